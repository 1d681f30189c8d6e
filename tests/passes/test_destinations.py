"""Parts of a concatenation are made where it has them: which ones, in what memory, and the numbers stay."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import lazygrad as lg
from lazygrad.ir.dtype import int64
from lazygrad.ir.graph import Graph
from lazygrad.ir.node import Node
from lazygrad.ir.primitives import elementwise as ew
from lazygrad.ir.primitives import indexing as ix
from lazygrad.ir.primitives import movement as mv
from lazygrad.ir.primitives.contraction import matmul
from lazygrad.memory.slots import Place
from lazygrad.passes.fuse import fuse
from lazygrad.passes.schedule import Schedule, schedule
from lazygrad.passes.views import materialize_views
from lazygrad.runtime.backend_choice import backend
from lazygrad.tensor import Tensor
from tests.codegen.c_backend import QUICKLY, running_c, small_loops
from tests.passes.programs import leaf
from tests.passes.test_schedule import placed
from tests.runtime.toolchains import needs_compiler


def scheduled(*roots: Node) -> Schedule:
    return schedule(fuse(materialize_views(Graph(roots))))


def concats(order: Schedule) -> int:
    """How many concatenations have something to copy."""
    return sum(group.nodes[0].op is ix.concat for group in order.steps)


def joined(*parts: Node, axis: int = 1) -> Node:
    return ix.concat(*parts, axis=axis)


X, Y = leaf((4, 32)), leaf((4, 32), slot=1)
W = leaf((64, 8), slot=2)


def test_kernels_write_slices() -> None:
    first, second = ew.exp(X), ew.exp(Y)
    order = scheduled(matmul(joined(first, second), W))
    memory = placed(order)
    assert concats(order) == 0 and set(order.destinations) == {first, second}
    assert [order.memory_of(node)[1].offset for node in (first, second)] == [0, 32]
    assert order.memory_of(first)[1].strides == (64, 1)
    assert [slot.place for slot in memory.slots.values()].count(Place.ARENA) == 1


def test_an_output_is_written_in_place_too() -> None:
    order = scheduled(joined(ew.exp(X), ew.exp(Y)))
    memory = placed(order)
    assert concats(order) == 0 and memory.temporaries == ()


def test_concatenations_inside_concatenations() -> None:
    rows = [joined(ew.exp(X), ew.sin(X)), joined(ew.exp(Y), ew.sin(Y))]
    order = scheduled(ew.exp(matmul(joined(*rows, axis=0), W)))
    memory = placed(order)
    assert concats(order) == 0 and len(order.destinations) == 6 and len(memory.temporaries) == 2
    roots = {order.memory_of(node)[0] for node in order.destinations}
    assert len(roots) == 1


def test_a_whole_piece_may_be_read_by_others_and_made_by_calls() -> None:
    product = matmul(X, leaf((32, 32), slot=3))
    order = scheduled(joined(product, ew.exp(product), axis=0))
    assert concats(order) == 0 and set(order.destinations) == {product, order.outputs[0].inputs[1]}


STAY: dict[str, Callable[[], list[Node]]] = {
    "a result of the program": lambda: [(y := ew.exp(X)), joined(y, y * y)],
    "an input": lambda: [joined(X, Y)],
    "read by something else": lambda: [joined(y := ew.exp(X), Y), matmul(mv.permute(y, axes=(1, 0)), Y)],
    "twice in one": lambda: [joined(y := ew.exp(X), y)],
    "made by a call, in strides": lambda: [joined(matmul(X, leaf((32, 32), slot=3)), Y)],
    "through a view": lambda: [joined(mv.flip(ew.exp(X), axes=(0,)), Y)],
    "narrow": lambda: [joined(ew.exp(leaf((4, 3))), ew.exp(leaf((4, 3), slot=1)))],
}


@pytest.mark.parametrize("name", STAY)
def test_others_are_copied(name: str) -> None:
    roots = STAY[name]()
    order = scheduled(*roots)
    assert concats(order) == 1
    assert not any(node.op is not ew.mul for node in order.destinations)


def test_only_what_lies_elsewhere_is_copied() -> None:
    y = lg.tensor(np.ones((8, 32), np.float32)).realize()
    plan = lg.stages(lg.cat([lg.exp(y), y, y, lg.sin(y), y], 1) * 2).plan_object
    assert "concat(concat_2[:, 32:96], input0, input0, axis=1)" in plan.sources["numpy"].text
    assert "concat(concat_2[:, 128:160], input0, axis=1)" in plan.sources["numpy"].text
    driver = plan.sources["c"].text.rpartition("const team team")[2]
    assert driver.count("lg_concat(") == 2


def test_what_is_inside_lives_until_the_last_reader_of_any_part() -> None:
    part = ew.exp(X)
    both = joined(part, ew.sin(X), axis=0)
    total = matmul(both, leaf((32, 32), slot=4))
    late = part
    for _ in range(3):
        late = matmul(late, leaf((32, 32), slot=5))
    order = scheduled(total, late + part)
    memory = placed(order)
    (temporary,) = [temporary for temporary in memory.temporaries if temporary.node is both]
    assert temporary.last == len(order.steps) - 1


INDEX = leaf((4,), int64, slot=6)


def test_what_a_call_starts_from_is_made_where_its_result_lies() -> None:
    start = ew.exp(X)
    order = scheduled(ix.put(start, Y, INDEX, accumulate=True))
    memory = placed(order)
    assert set(order.destinations) == {start} and memory.temporaries == ()


def test_calls_that_start_from_one_another_share_one_memory() -> None:
    start = ew.exp(X)
    first = ix.put(start, Y, INDEX, accumulate=True)
    order = scheduled(ew.sin(matmul(ix.put(first, Y, INDEX, accumulate=False), leaf((32, 32), slot=3))))
    memory = placed(order)
    assert set(order.destinations) == {start, first} and len(memory.temporaries) == 2


STARTED_ELSEWHERE: dict[str, Callable[[], list[Node]]] = {
    "an input": lambda: [ix.put(X, Y, INDEX, accumulate=True)],
    "a result of the program": lambda: [(y := ew.exp(X)), ix.put(y, Y, INDEX, accumulate=True)],
    "read afterwards": lambda: [ix.put(y := ew.exp(X), Y, INDEX, accumulate=True), matmul(y, leaf((32, 4), slot=3))],
    "also what is written": lambda: [ix.put(y := ew.exp(X), y, INDEX, accumulate=True)],
    "seen otherwise": lambda: [ix.put(mv.flip(ew.exp(X), axes=(0,)), Y, INDEX, accumulate=True)],
}


@pytest.mark.parametrize("name", STARTED_ELSEWHERE)
def test_what_others_need_is_copied_by_the_call(name: str) -> None:
    assert not scheduled(*STARTED_ELSEWHERE[name]()).destinations


ROWS = np.array([2, 0, 2, 3])

PROGRAMS: dict[str, Callable[[Tensor], list[Tensor]]] = {
    "rows added": lambda x: [(x * 2).index_add(0, lg.tensor(ROWS), x[:4] + 1), x + 1],
    "rows set, then added": lambda x: [
        x.exp().index_copy(0, lg.tensor(ROWS[1:]), x[:3]).index_add(0, lg.tensor(ROWS), x[:4])
    ],
    "scattered": lambda x: [(x * 2).scatter_add(0, lg.tensor(ROWS)[:, None].expand(4, x.shape[1]), x[:4]).cumsum(1)],
    "rows added to what is read": lambda x: [(y := x * 2).index_add(0, lg.tensor(ROWS), y[:4]), y @ y.T],
    "a part overwritten": lambda x: [lg.cat([overwritten(x * 2, x), x + 1], 0).cumsum(0)],
    "columns": lambda x: [lg.cat([x.exp(), x.sin(), x * 2], 1) @ lg.cat([x, x.cos(), x + 1], 1).T],
    "rows": lambda x: [lg.cat([x.exp(), x.cumsum(0), x.sum(0, keepdim=True)], 0).softmax(0) @ x.T],
    "nested": lambda x: [lg.cat([lg.cat([x.exp(), x.sin()], 1), lg.cat([x, x * 3], 1)], 0).cumsum(0)],
    "stacked": lambda x: [lg.stack([x.exp(), x * 2, x], axis).cumsum(0) for axis in range(3)],
    "reductions": lambda x: [lg.cat([x.sum(1, keepdim=True).exp(), x.amax(1, keepdim=True)], 0).cumsum(0)],
    "sums of columns": lambda x: [lg.cat([(x * 2).sum(0), x.amax(0)]).cumsum(0)],
    "a row kernel": lambda x: [lg.cat([x.softmax(1), x.tanh()], 1).flip(0).cumsum(1)],
    "read twice": lambda x: [lg.cat([y := x.exp(), x], 0).cumsum(0) @ y.T, y.T @ x],
    "truth values": lambda x: [lg.cat([x > 0, x < 1], 1).cumsum(1), lg.cat([lg.where(x > 0, x, 1), x], 1).cumsum(0)],
    "halves": lambda x: [lg.cat([x.half() * 2, x.half() + 1], 1).cumsum(1), lg.cat([x.bfloat16() * 2] * 2).cumsum(0)],
    "erf": lambda x: [lg.cat([lg.erf(x), lg.nn.functional.gelu(x)], 1).cumsum(0)],
}


def overwritten(x: Tensor, values: Tensor) -> Tensor:
    x[1:3, 2:9] = values[:2, :7]
    return x


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("shape", [(5, 32), (40, 130), (300, 700)], ids=str)
@pytest.mark.parametrize("way", ["numpy", pytest.param("c", marks=needs_compiler)])
def test_values_are_those_of_realized_parts(name: str, shape: tuple[int, ...], way: str) -> None:
    values = np.random.default_rng(0).integers(-8, 9, shape).astype(np.float64) / 16

    def results(realize: Callable[[Tensor], Tensor]) -> list[np.ndarray]:
        with pytest.MonkeyPatch.context() as patch:
            for joins in ("cat", "stack"):
                original = getattr(lg, joins)
                patch.setattr(lg, joins, lambda parts, axis=0, join=original: join([realize(p) for p in parts], axis))
            found = PROGRAMS[name](lg.tensor(values))
            lg.realize_all(found)
            return [result.double().numpy() for result in found]

    with backend("numpy"):
        expected = results(lambda part: part.realize())
    if way == "numpy":
        with backend("numpy"):
            actual = results(lambda part: part)
    else:
        with small_loops(), running_c(threads=2, flags=QUICKLY):
            actual = results(lambda part: part)
    for found, wanted in zip(actual, expected, strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-5 if way == "c" else 1e-12, atol=1e-6)
