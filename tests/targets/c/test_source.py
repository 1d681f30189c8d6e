"""What the plan promises is what the C source does: functions, calls and loops are counted in the text."""

from __future__ import annotations

import re
import subprocess
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import lazygrad as lg
from lazygrad import nn
from lazygrad.codegen.clike.passes import RowPass
from lazygrad.codegen.clike.spellings import SPELLINGS, expression
from lazygrad.codegen.kernel import Kernel
from lazygrad.ir.dtype import ALL_DTYPES, bfloat16, float16, float32, float64
from lazygrad.ir.op import Kind, registry
from lazygrad.ir.primitives import elementwise as ew
from lazygrad.nn import functional as F
from lazygrad.runtime.plan import Plan
from lazygrad.targets.c.build import include_folder
from lazygrad.targets.c.dialect import C
from lazygrad.targets.c.kernel import CKernel
from lazygrad.targets.c.library_functions import ATTRIBUTES
from lazygrad.targets.c.loops import LoopShape, plan_loops
from lazygrad.targets.c.toolchain import toolchain
from lazygrad.tensor import Tensor
from tests.codegen.plans import PROGRAMS, plan_of
from tests.passes.programs import realized
from tests.targets.c.vector_math import is_gcc


def training_step() -> Plan:
    model = nn.Sequential(nn.Conv2d(1, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.Flatten(), nn.Linear(144, 10))
    optimizer = lg.optim.Adam(model.parameters())
    F.cross_entropy(model(realized(8, 1, 8, 8)), lg.tensor(np.arange(8))).backward()
    optimizer.step()
    return lg.last_step().plan_object


def transposed_copies() -> Plan:
    x = realized(300, 200)
    return lg.stages(lg.softmax(x.T.exp(), 0).flip(1).reshape(-1) * 0.7).plan_object


def shared_products() -> Plan:
    x, w, b = realized(300, 200), realized(200, 200), realized(200)
    return lg.stages(lg.softmax(lg.tanh(x @ w + b) @ w, -1) @ w).plan_object


PLANS: dict[str, Callable[[], Plan]] = {name: lambda text=text: plan_of(text) for name, text in PROGRAMS.items()}
PLANS |= {"a training step": training_step, "views": transposed_copies, "products": shared_products}

_FUNCTION = re.compile(r"^(?:CALLED )?static void (\w+)\(([^\n]*)\)\n\{\n(.*?)^\}", re.MULTILINE | re.DOTALL)
_LOOP = re.compile(r"for \(i64 (\w+) = (.+?); \1 < (.+?); \1(?:\+\+| \+= \d+)\)")
_CALL = re.compile(r"\b(lg_\w+|host|\w+)\((?:&solo|&team|\d)")


def functions_of(plan: Plan) -> dict[str, str]:
    """Bodies of the static functions."""
    return {name: body for name, _, body in _FUNCTION.findall(plan.sources["c"].text)}


def driver_of(plan: Plan) -> list[str]:
    """The statements of the driver that are calls of steps."""
    _, _, text = plan.sources["c"].text.rpartition("const team team = {threads};")
    lines = [line.strip() for line in text.partition("return refused;")[0].splitlines()[1:]]
    return [line for line in lines if _CALL.search(line)]


def kernels_of(plan: Plan) -> list[tuple[Kernel, CKernel]]:
    """The distinct kernels, each in both forms."""
    distinct = list(dict.fromkeys(step.kernel for step in plan.kernels))
    return list(zip(distinct, plan.sources["c"].kernels, strict=True))


@pytest.mark.parametrize("name", PLANS)
def test_one_function_per_distinct_kernel(name: str) -> None:
    plan = PLANS[name]()
    units = [function.removesuffix("_units") for function in functions_of(plan) if function.endswith("_units")]
    assert units == [kernel.name for _, kernel in kernels_of(plan)]
    assert all(kernel.name in functions_of(plan) for kernel in plan.sources["c"].kernels)


@pytest.mark.parametrize("name", PLANS)
def test_one_call_per_step(name: str) -> None:
    plan = PLANS[name]()
    names = {kernel: rendered.name for kernel, rendered in kernels_of(plan)}
    lowered, steps, calls = iter(plan.kernels), iter(plan.schedule.steps), 0
    for line in driver_of(plan):
        group = next(steps)
        called = _CALL.search(line)
        assert called is not None
        calls += 1
        if not group.is_library:
            assert called[1] == names[next(lowered).kernel]
        elif called[1].endswith("_epilogue"):
            assert called[1] == f"lg_{group.nodes[0].op.name}_epilogue"
            assert not next(steps).is_library
            assert f"&(epilogue){{after_{names[next(lowered).kernel]}" in line
            calls += 1
        else:
            assert called[1] in (f"lg_{group.nodes[0].op.name}", "host")
    assert calls == len(plan.schedule.steps) == plan.kernel_calls + plan.library_calls


def test_kernels_follow_products_and_convolutions_part_by_part() -> None:
    x, w, b = realized(300, 200), realized(200, 200), realized(200)
    images, filters = realized(4, 3, 40, 40), realized(8, 3, 3, 3)
    followed = {"matmul": [lg.tanh(x @ w + b), lg.softmax(x @ w, -1)], "conv": [F.conv2d(images, filters, realized(8))]}
    for op, results in followed.items():
        for result in results:
            assert f"lg_{op}_epilogue(" in lg.stages(result).plan_object.sources["c"].text


def test_a_kernel_does_not_follow_where_its_result_lies_over_what_the_product_reads() -> None:
    plan = shared_products()
    product = next(node for group in plan.schedule.steps[2:] for node in group.nodes if group.is_library)
    read, following = product.inputs[0], plan.kernels[1].outputs[0]
    places = [plan.memory.temporaries[plan.memory.slots[node].index].offset for node in (read, following)]
    assert places[0] == places[1]
    assert plan.sources["c"].text.count("lg_matmul_epilogue(") == 1


def expected_loops(kernel: Kernel, rendered: CKernel) -> Counter[str]:
    """How many loops of `_units` count in each variable, but for those over blocks of long sums."""
    nest, plan = rendered.nest, rendered.passes
    loops = Counter({"unit": 1, "i": len(nest.split)})
    walks = [each for each in plan.passes if each.computed or each.reductions or each.stores]
    for axis in nest.middle:
        loops[f"i{axis}"] += len(walks)
    if nest.vector is None:
        return +loops
    loops[f"i{nest.vector}"] += 1 if nest.shape is LoopShape.SHORT else len(walks)
    if nest.shape is LoopShape.LANES:
        stages = [plan.known, *[each.finished for each in plan.passes]]
        loops[f"i{nest.vector}"] += sum(bool(stage) for stage in stages)
        loops["lane"] = sum(own_reductions(each, rendered) for each in plan.passes)
    return +loops


def own_reductions(row_pass: RowPass, rendered: CKernel) -> int:
    return sum(value not in rendered.nest.split for value in row_pass.reductions)


@pytest.mark.parametrize("name", PLANS)
def test_loops_are_the_ones_that_were_planned(name: str) -> None:
    plan = PLANS[name]()
    for kernel, rendered in kernels_of(plan):
        loops = _LOOP.findall(functions_of(plan)[f"{rendered.name}_units"])
        counted = Counter(variable for variable, _, _ in loops)
        blocks = counted.pop("block", 0)
        assert blocks <= len(rendered.passes.passes)
        assert counted == expected_loops(kernel, rendered)
        for variable, begin, end in loops:
            assert_extent(kernel, rendered, variable, begin, end)


def assert_extent(kernel: Kernel, rendered: CKernel, variable: str, begin: str, end: str) -> None:
    """A loop over an axis covers all of it, the unit's tile of it, or a block."""
    nest = rendered.nest
    if variable == "unit":
        assert (begin, end) == ("begin", "end")
    elif re.fullmatch(r"i\d+", variable):
        axis = int(variable[1:])
        if begin == "block":
            assert end.strip("()").startswith("block + ")
        elif axis in dict(nest.tiles):
            assert (begin, end) == (f"first{axis}", f"last{axis}")
        else:
            assert (begin, end) == ("0", str(kernel.sizes[axis]))


@pytest.mark.parametrize("name", PLANS)
def test_units_cover_the_domain_once(name: str) -> None:
    plan = PLANS[name]()
    for kernel, rendered in kernels_of(plan):
        nest = rendered.nest
        tiles = dict(nest.tiles)
        extent = 1
        for axis, size in enumerate(kernel.sizes):
            counted = [axis in nest.units, axis in tiles, axis in nest.middle or axis == nest.vector]
            assert any(counted) and not (axis in nest.units and counted[2])
            extent *= -(-size // tiles[axis]) if axis in tiles else size if axis in nest.units else 1
        assert nest.extent == extent
        assert set(nest.split) <= {v for v in range(99) if v >= len(kernel.loads) and v < 99}


@pytest.mark.parametrize("name", PLANS)
def test_every_full_value_is_computed_once_per_pass_that_wants_it(name: str) -> None:
    plan = PLANS[name]()
    for kernel, rendered in kernels_of(plan):
        body = functions_of(plan)[f"{rendered.name}_units"]
        wanted = Counter(value for each in rendered.passes.passes for value in (*each.computed, *each.recalled))
        for value, count in wanted.items():
            assert len(re.findall(rf"const \w+ v{value} =", body)) == count, f"v{value} of\n{kernel}"


# The op tables.


@pytest.mark.parametrize("name", sorted(name for name, op in registry.items() if op.kind is Kind.ELEMENTWISE))
def test_every_elementwise_op_has_a_c_spelling(name: str) -> None:
    op = registry[name]
    assert op is ew.cast or op in SPELLINGS


@pytest.mark.parametrize("name", sorted(name for name, op in registry.items() if op.kind is Kind.REDUCTION))
def test_every_reduction_has_one(name: str) -> None:
    assert registry[name] in SPELLINGS


def test_the_table_of_spellings_holds_nothing_else() -> None:
    assert {op.kind for op in SPELLINGS} == {Kind.ELEMENTWISE, Kind.REDUCTION}


# What numpy does when the driver calls back.
HOST_CALLS = frozenset(
    """
    cast_float8 cholesky eig eigh eigvals eigvalsh fft_c2c fft_c2r fft_r2c geqrf ldl ldl_solve logcumsumexp lstsq lu
    matrix_exp pivot_order pointwise qr svd svdvals triangular_solve
    """.split()
)


@pytest.mark.parametrize("name", sorted(name for name, op in registry.items() if op.kind is Kind.LIBRARY))
def test_every_library_op_is_a_c_call_or_a_host_call(name: str) -> None:
    declared = (include_folder() / "library" / "calls.h").read_text()
    assert (registry[name] in ATTRIBUTES) != (name in HOST_CALLS)
    assert name in HOST_CALLS or f"i32 lg_{name}(" in declared


def test_casts_to_half_from_double_round_once() -> None:
    assert expression(C, ew.cast, float64, float16, ["x"]) == "(f32)(f16)x"
    assert expression(C, ew.cast, float32, bfloat16, ["x"]) == "lg_round_bf16((f32)x)"


def test_sixteen_bit_results_are_rounded_after_each_operation() -> None:
    for dtype in ALL_DTYPES:
        text = expression(C, ew.mul, dtype, dtype, ["x", "y"])
        assert ("round" in text) == dtype.is_half
        assert "round" not in expression(C, ew.maximum, dtype, dtype, ["x", "y"])


# Loop shapes of representative kernels.


def matrix(*shape: int) -> Tensor:
    return lg.zeros(shape).realize()


SHAPES: dict[str, tuple[Callable[[], Tensor], list[LoopShape]]] = {
    "one element": (lambda: matrix() + 1, [LoopShape.ROWS]),
    "elementwise": (lambda: matrix(1000, 1000).exp() * 2, [LoopShape.ROWS]),
    "elementwise on one axis": (lambda: matrix(1_000_000) * 2, [LoopShape.ROWS]),
    "softmax over rows": (lambda: lg.softmax(matrix(64, 1000), 1), [LoopShape.ROWS]),
    "softmax over columns": (lambda: lg.softmax(matrix(500, 10000), 0), [LoopShape.LANES]),
    "softmax over channels": (lambda: lg.softmax(matrix(16, 21, 4096), 1), [LoopShape.LANES]),
    "sum over rows": (lambda: matrix(1000, 1000).sum(1), [LoopShape.ROWS]),
    "sum over columns": (lambda: matrix(1000, 1000).sum(0), [LoopShape.SPLIT]),
    "sum over many columns": (lambda: matrix(100, 100_000).sum(0), [LoopShape.LANES]),
    "sum over short rows": (lambda: matrix(500_000, 4).sum(1), [LoopShape.SHORT]),
    "softmax over four": (lambda: lg.softmax(matrix(500_000, 4), 1), [LoopShape.SHORT]),
    "softmax over five": (lambda: lg.softmax(matrix(500_000, 5), 1), [LoopShape.LANES]),
    "sum over fifteen": (lambda: matrix(500_000, 15).sum(1), [LoopShape.SHORT]),
    "sum over everything": (lambda: matrix(1000, 1000).sum(), [LoopShape.SPLIT]),
    "sum over little": (lambda: matrix(10, 10).sum(), [LoopShape.ROWS]),
    "batch statistics": (lambda: matrix(32, 16, 30, 30).mean((0, 2, 3)), [LoopShape.ROWS]),
    "statistics of few channels": (lambda: matrix(32, 3, 100, 100).mean((0, 2, 3)), [LoopShape.SPLIT]),
}


@pytest.mark.parametrize("name", SHAPES)
def test_loop_shapes_of_representative_kernels(name: str) -> None:
    program, shapes = SHAPES[name]
    plan = lg.stages(program()).plan_object
    assert [plan_loops(step.kernel).shape for step in plan.kernels] == shapes


VECTORIZED: dict[str, Callable[[], Tensor]] = {
    "elementwise": lambda: matrix(1000, 1000).exp() * 2,
    "softmax": lambda: lg.softmax(matrix(64, 1000), 1),
    "maxima of short rows": lambda: matrix(500_000, 4).amax(1),
    "sums of short rows": lambda: matrix(500_000, 3).square().sum(1),
    "maxima of windows": lambda: F.max_pool2d(matrix(2, 16, 64, 64), 2),
    "maxima of overlapping windows": lambda: F.max_pool2d(matrix(2, 16, 65, 65), 3, 2),
    "sums over columns": lambda: matrix(100, 100_000).sum(0),
}


@pytest.mark.parametrize("name", VECTORIZED)
def test_innermost_loops_vectorize(name: str, tmp_path: Path) -> None:
    found = toolchain()
    if found is None or not is_gcc():
        pytest.skip("only gcc's remarks are read")
    source, unit = tmp_path / "kernels.c", lg.stages(VECTORIZED[name]()).plan_object.sources["c"].text
    source.write_text(unit)
    command = [*found.command, *found.flags, "-I", str(include_folder()), "-c", str(source), "-o", str(tmp_path / "o")]
    remarks = subprocess.run([*command, "-fopt-info-vec-optimized"], check=True, capture_output=True, text=True).stderr
    vectorized = [int(line) for line in re.findall(r"kernels\.c:(\d+):\d+: optimized: loop vectorized", remarks)]
    pragmas = [number for number, line in enumerate(unit.splitlines(), 1) if "#pragma omp simd" in line]
    end = pragmas[1] if len(pragmas) > 1 else unit.count("\n")
    assert any(pragmas[0] < line < end for line in vectorized), remarks


def test_the_next_row_is_fetched_while_this_one_is_computed() -> None:
    text = lg.stages(lg.softmax(matrix(64, 1000), 1)).plan_object.sources["c"].text
    assert text.count("lg_prefetch(&x0[(i0 + 1) * 1000 + block], 1024);") == 1
    assert "lg_prefetch" not in lg.stages(lg.softmax(matrix(64, 100), 1)).plan_object.sources["c"].text


def test_fixed_chunks_do_not_depend_on_threads() -> None:
    texts = set()
    for threads in (1, 2, 16):
        before = lg.get_num_threads()
        lg.set_num_threads(threads)
        texts.add(Plan(plan_of(PROGRAMS["several"]).stages.recorded).sources["c"].text)
        lg.set_num_threads(before)
    assert len(texts) == 1


def test_large_totals_of_chunks_are_few_and_apart() -> None:
    """A product that is reduced both ways: each chunk has as many totals as a row has elements."""
    product = realized(54, 256, 1) * realized(54, 256, 64)
    (kernel,) = lg.stages([product.sum(1), (-product).sum(0)]).plan_object.sources["c"].kernels
    chunks, rest = divmod(kernel.totals_bytes, 256 * 64 * 4 + 64)  # no multiple of a page
    assert rest == 0 and 2 <= chunks <= 16


@pytest.mark.parametrize("name", PLANS)
def test_totals_lie_behind_the_arena(name: str) -> None:
    plan = PLANS[name]()
    totals = [kernel.totals_bytes for kernel in plan.sources["c"].kernels]
    assert plan.sources["c"].arena_bytes >= plan.memory.arena_bytes + max(totals, default=0)
