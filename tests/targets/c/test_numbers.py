"""Every scalar op and every cast of a C kernel gives numpy's numbers, for values at the edges of every dtype."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import ml_dtypes
import numpy as np
import pytest

import lazygrad as lg
from lazygrad.host.buffer import Buffer
from lazygrad.host.dtypes import to_numpy
from lazygrad.ir.dtype import ALL_DTYPES, DType, bool_
from lazygrad.ir.graph import Graph
from lazygrad.ir.node import Node, tensor_type
from lazygrad.ir.op import Kind, Op, registry
from lazygrad.ir.primitives import elementwise as ew
from lazygrad.ir.primitives.leaf import buffer, leaf_node
from lazygrad.runtime.backend_choice import backend
from lazygrad.runtime.plan import Plan
from lazygrad.tensor import Tensor
from tests.codegen.c_backend import running_c
from tests.runtime.toolchains import needs_compiler

pytestmark = needs_compiler

Array = np.ndarray
FLOATS = [0.0, -0.0, 0.25, 0.5, -0.5, 1.0, -1.0, 1.5, 2.5, -2.5, 3.0, 7.75, -100.0, 1e-7, 60000.0]
SPECIAL = [float("nan"), float("inf"), float("-inf")]
INTEGERS = [0, 1, 2, 3, 5, 7, 8, 31, 64, 100, 127, 128, 200, 255, 32767, 2**31 - 1, 2**62 + 1]
BINARY = frozenset(
    [ew.add, ew.sub, ew.mul, ew.div, ew.floor_div, ew.remainder, ew.fmod, ew.pow_, ew.atan2, ew.maximum, ew.minimum]
    + [ew.copysign, ew.complex_]
    + [ew.eq, ew.ne, ew.lt, ew.le, ew.gt, ew.ge, ew.bitwise_and, ew.bitwise_or, ew.bitwise_xor]
    + [ew.shift_left, ew.shift_right]
)
# Ops of which numpy's own zero depends on how it was vectorized, or on the dtype.
UNSIGNED_ZERO = (ew.maximum, ew.minimum, ew.sign)
NOT_OF_BOOLS = (ew.sign, ew.neg, ew.sub)
CORRECTLY_ROUNDED = (ew.sqrt, ew.add, ew.sub, ew.mul, ew.div)


def numbers(dtype: DType) -> Array:
    """Values of ``dtype`` at and near the edges of what ops do."""
    if dtype is bool_:
        return np.array([False, True])
    if dtype.is_floating_point:
        with np.errstate(over="ignore"):
            return np.array(FLOATS + SPECIAL).astype(to_numpy(dtype))
    if dtype.is_complex:
        parts = np.array([0.0, -0.0, 0.25, 1.0, -1.0, 2.5, -3.0, *SPECIAL])
        values = np.empty((parts.size, parts.size), to_numpy(dtype))
        values.real, values.imag = parts, parts[:, None]
        return values.ravel()
    low, high = lg.iinfo(dtype).min, lg.iinfo(dtype).max
    values = [v for n in INTEGERS for v in (n, -n) if low <= v <= high]
    return np.array([*dict.fromkeys([*values, low, low + 1, high])], to_numpy(dtype))


def input_node(values: Array, dtype: DType, slot: int) -> Node:
    return leaf_node(buffer, (slot,), tensor_type(values.shape, dtype))


def evaluate(roots: Sequence[Node], inputs: Sequence[Array]) -> list[Array]:
    """The values of ``roots`` on the backend chosen here."""
    plan = Plan(Graph(roots))
    outputs = [Buffer.empty(node.type) for node in plan.schedule.outputs]
    plan.run([Buffer(values) for values in inputs], outputs, [])
    found = [outputs[plan.memory.slots[root].index].array for root in plan.schedule.roots]
    return [array.reshape(root.shape) for array, root in zip(found, roots, strict=True) if array is not None]


def accepted(op: Op, inputs: tuple[Node, ...]) -> Node | None:
    """``op`` applied to ``inputs``, or None if it, or numpy, does not take their dtypes."""
    dtype = inputs[0].dtype
    if (op in NOT_OF_BOOLS and dtype is bool_) or (op is ew.round_ and not dtype.is_floating_point):
        return None
    try:
        return op(*inputs)
    except (RuntimeError, TypeError):
        return None


def operands(op: Op, dtype: DType, values: Array) -> tuple[list[Array], list[DType]]:
    """All pairs (or, of a unary op, all) of ``values``, in arrays of one shape, but those of which it has no result."""
    if op not in BINARY:
        return [values], [dtype]
    first, second = (grid.ravel() for grid in np.meshgrid(values, values))
    if op.may_refuse((), dtype):
        first, second = first[second != 0], second[second != 0]
    if not dtype.differentiable and op is ew.pow_:
        first, second = first[second >= 0], second[second >= 0]
    return [np.ascontiguousarray(first), np.ascontiguousarray(second)], [dtype, dtype]


OPS = [op for op in registry.values() if op.kind is Kind.ELEMENTWISE and op not in (ew.cast, ew.where, ew.require)]


@pytest.mark.parametrize("dtype", ALL_DTYPES, ids=lambda dtype: dtype.name)
def test_every_elementwise_op(dtype: DType) -> None:
    roots, inputs, ops = [], [], []
    for op in OPS:
        arrays, dtypes = operands(op, dtype, numbers(dtype))
        nodes = tuple(input_node(a, d, len(inputs) + i) for i, (a, d) in enumerate(zip(arrays, dtypes, strict=True)))
        root = accepted(op, nodes)
        if root is not None:
            roots.append(root)
            inputs += arrays
            ops.append(op)
    assert_same_numbers(ops, roots, inputs)


def assert_same_numbers(ops: list[Op], roots: list[Node], inputs: list[Array]) -> None:
    with backend("numpy"):
        expected = evaluate(roots, inputs)
    with running_c():
        actual = evaluate(roots, inputs)
    for op, root, a, e in zip(ops, roots, actual, expected, strict=True):
        assert a.dtype == e.dtype
        if a.dtype.kind in "biu":
            np.testing.assert_array_equal(a, e, err_msg=op.name)
            continue
        is_root = op is ew.abs_ and root.inputs[0].dtype.is_complex
        rounds = is_root or not (op.is_exact or op in CORRECTLY_ROUNDED)
        tolerance = 0.0 if not rounds else 4 * float(ml_dtypes.finfo(a.dtype).eps)
        if a.dtype.kind == "c":
            a, e = (np.stack([values.real, values.imag]) for values in (a, e))
        with np.errstate(invalid="ignore"):  # NaN of every kind
            a, e = a.astype(float), e.astype(float)
        near_zero = tolerance if op in (ew.lgamma, ew.digamma) else 0.0  # they have zeros that are no numbers of theirs
        np.testing.assert_allclose(a, e, rtol=tolerance, atol=near_zero, err_msg=op.name)
        if op not in UNSIGNED_ZERO:
            zero = e == 0
            np.testing.assert_array_equal(np.signbit(a[zero]), np.signbit(e[zero]), err_msg=f"{op.name}: sign of zero")


def test_exact_ops_of_random_bits() -> None:
    roots, inputs, ops = [], [], []
    random = np.random.default_rng(0)
    for dtype in ALL_DTYPES:
        for op in OPS:
            count = 2 if op in BINARY else 1
            arrays = [random_bits(random, dtype) for _ in range(count)] if op.is_exact else []
            nodes = tuple(input_node(array, dtype, len(inputs) + i) for i, array in enumerate(arrays))
            root = accepted(op, nodes) if nodes else None
            if root is not None:
                roots.append(root)
                inputs += arrays
                ops.append(op)
    assert_same_numbers(ops, roots, inputs)


def random_bits(random: np.random.Generator, dtype: DType, count: int = 1000) -> Array:
    """Numbers of all magnitudes, and of floats also NaN of every kind."""
    if dtype is bool_:
        return random.integers(0, 2, count).astype(bool)
    return np.frombuffer(random.bytes(count * dtype.itemsize), to_numpy(dtype)).copy()


def test_where() -> None:
    roots, inputs = [], []
    condition = np.tile([True, False], 40)
    for dtype in ALL_DTYPES:
        x = np.resize(numbers(dtype), 80)
        y = np.resize(numbers(dtype)[::-1], 80).copy()
        slots = len(inputs)
        chosen = input_node(condition, bool_, slots)
        roots.append(ew.where(chosen, input_node(x, dtype, slots + 1), input_node(y, dtype, slots + 2)))
        inputs += [condition, x, y]
    assert_same_numbers([ew.where] * len(roots), roots, inputs)


def test_casts_between_all_pairs_of_dtypes() -> None:
    roots, inputs = [], []
    for slot, dtype in enumerate(ALL_DTYPES):
        values = castable(dtype)
        x = input_node(values, dtype, slot)
        inputs.append(values)
        roots += [ew.cast(x, dtype=target.name) for target in ALL_DTYPES if target is not dtype]
    assert_same_numbers([ew.contiguous] * len(roots), roots, inputs)


def castable(dtype: DType) -> Array:
    """Numbers of all magnitudes, but of floats only those that every integer type of 32 bits can hold, and specials.

    What becomes of the others depends on the width of numpy's vectors.
    """
    if dtype.is_complex:
        return (castable(dtype.to_real()) * (1 + 2j)).astype(to_numpy(dtype))
    if not dtype.is_floating_point:
        return numbers(dtype)
    rng = np.random.default_rng(0)
    values = np.concatenate([numbers(dtype)[:-3].astype(float), rng.uniform(-250, 250, 200), rng.normal(0, 1e-6, 50)])
    return values.astype(to_numpy(dtype))


@pytest.mark.parametrize("dtype", [d for d in ALL_DTYPES if d.itemsize and not d.differentiable and d is not bool_])
@pytest.mark.parametrize("divide", [lg.floor_divide, lg.remainder, lg.fmod], ids=lambda function: function.__name__)
def test_integer_division_by_zero_is_numpys_error(divide: Callable[[Tensor, Tensor], Tensor], dtype: DType) -> None:
    x = lg.arange(40).to(dtype).realize()
    y = lg.tensor([1] * 39 + [0], dtype=dtype)
    errors = []
    for name in ("numpy", "c"):
        with pytest.raises(RuntimeError) as error, backend(name):
            divide(x, y).realize()
        errors.append(str(error.value))
    assert errors[0] == errors[1]


def test_what_was_refused_leaves_inputs_and_can_run_again() -> None:
    divisors = [lg.tensor([2] * 39 + [last]) for last in (0, 3)]
    x = lg.arange(40).realize()
    with backend("c"), pytest.raises(RuntimeError, match="ero"):
        (x // divisors[0]).realize()
    np.testing.assert_array_equal(x.numpy(), np.arange(40))
    with running_c():
        np.testing.assert_array_equal((x // divisors[1]).numpy(), np.arange(40) // divisors[1].numpy())


def test_division_of_a_row_by_one_number_is_rounded_as_division_is() -> None:
    """For divisors of every exponent, subnormal and special ones too; but tiny quotients may be off by one unit."""
    random = np.random.default_rng(7)
    exponents = np.arange(256, dtype=np.uint32).repeat(4) << 23
    mantissas = random.integers(0, 1 << 23, exponents.size, dtype=np.uint32)
    mantissas[::4] = 0  # powers of two, 0 and infinity
    divisors = ((mantissas | exponents) ^ (random.integers(0, 2, exponents.size, dtype=np.uint32) << 31)).view(
        np.float32
    )
    dividends = random.integers(0, 1 << 32, (divisors.size, 40), dtype=np.uint32).view(np.float32)
    dividends[:, :3] = 0.0, np.inf, 1.0
    with np.errstate(all="ignore"):
        expected = dividends / divisors[:, None]
    x, y = lg.tensor(dividends).realize(), lg.tensor(divisors[:, None]).realize()
    with running_c():
        found = (x / y).numpy()
    tiny = np.abs(expected) < 2.0**-101
    np.testing.assert_array_equal(found[~tiny], expected[~tiny])
    assert (np.abs(found[tiny] - expected[tiny]) <= np.spacing(np.abs(expected[tiny]))).all()
