"""What ops say of themselves is so: a walk over the registry."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from functools import reduce
from itertools import count

import numpy as np
import pytest

import lazygrad.ops  # noqa: F401 - registers every op
from lazygrad.autodiff.registry import is_differentiable
from lazygrad.host.buffer import Buffer
from lazygrad.host.dtypes import to_numpy
from lazygrad.ir.dtype import ALL_DTYPES, DType, bfloat16, bool_, complex64, float32, int64
from lazygrad.ir.graph import Graph
from lazygrad.ir.node import Node, make_node, tensor_type
from lazygrad.ir.op import Kind, Op, Refusal, registry
from lazygrad.ir.primitives import elementwise as ew
from lazygrad.ir.primitives.float8 import cast_float8
from lazygrad.ir.primitives.indexing import iota
from lazygrad.ir.primitives.leaf import buffer, constant, leaf_node
from lazygrad.ir.primitives.random import philox
from lazygrad.runtime.backend_choice import backend
from lazygrad.runtime.plan import Plan
from tests.autodiff.test_batching import ALL

Array = np.ndarray


def of_kind(*kinds: Kind) -> list[str]:
    return sorted(name for name, op in registry.items() if op.kind in kinds)


def test_names_are_unique() -> None:
    """A name registers the op that was made last, and every module of the package holds that one."""
    modules = [module for name, module in list(sys.modules.items()) if name.startswith("lazygrad.")]
    held = {value for module in modules for value in vars(module).values() if isinstance(value, Op)}
    assert len(held) > 200 and {op.name for op in held if registry[op.name] is not op} == set()


def leaf(array: Array, dtype: DType, slot: int) -> Node:
    return leaf_node(buffer, (slot,), tensor_type(array.shape, dtype))


def computed(node: Node, arrays: Sequence[Array]) -> Array:
    """The value of ``node``, whose leaves are numbered and hold ``arrays``, by numpy."""
    plan = Plan(Graph([node]))
    if plan.schedule.roots[0].op is buffer:
        return arrays[0]  # it is its operand
    output = Buffer.empty(node.type)
    with backend("numpy"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        plan.run([Buffer(array) for array in arrays], [output], [])
    assert output.array is not None
    return output.array.reshape(node.shape)


def is_refused(node: Node, arrays: Sequence[Array]) -> bool:
    """Whether numpy's code stops with an error."""
    try:
        computed(node, arrays)
    except (RuntimeError, IndexError, ValueError):
        return True
    return False


# Refusals.

HOSTILE = {
    float32: np.array([0, -0.0, 1, -1, 1e30, np.inf, -np.inf, np.nan], np.float32),
    int64: np.array([0, 1, -1, 2**63 - 1, -(2**63), 63, 64, 3]),
    bool_: np.array([True, False] * 4),
    complex64: np.array([0, 1j, -1, np.inf, complex(np.nan, np.inf), 1e30j, 2, 3], np.complex64),
}


def accepted(op: Op, dtype: DType, array: Array) -> Iterator[tuple[Node, list[Array]]]:
    """``op`` of one, two and three hostile operands, where it takes so many of that dtype."""
    attrs = {ew.require: ("IndexError", "no {}"), ew.cast: ("int64",)}.get(op, ())
    takes_condition = op in (ew.require, ew.where)
    for operands in (1, 2, 3):
        arrays = [np.roll(array, i) for i in range(operands)]
        dtypes = [dtype] * operands
        if takes_condition:
            arrays[0], dtypes[0] = HOSTILE[bool_], bool_
        leaves = tuple(leaf(a, d, i) for i, (a, d) in enumerate(zip(arrays, dtypes, strict=True)))
        try:
            node = make_node(op, leaves, attrs, None)
        except (RuntimeError, TypeError):
            continue
        yield node, arrays


@pytest.mark.parametrize("name", of_kind(Kind.ELEMENTWISE))
def test_an_elementwise_op_refuses_operands_exactly_where_it_says_so(name: str) -> None:
    op, tried = registry[name], 0
    for dtype, array in HOSTILE.items():
        for node, arrays in accepted(op, dtype, array):
            try:
                refused = is_refused(node, arrays)
            except TypeError:  # numpy has no such function of this dtype
                continue
            assert refused == op.may_refuse(node.attrs, node.dtype), node
            tried += 1
    assert tried


def number(value: int) -> Node:
    return leaf_node(constant, (value,), tensor_type((), int64))


OF_NUMBERS = {
    "philox": philox(number(1), number(2), shape=(8,)),
    "iota": iota(length=3, dtype="int64"),
    "cast_float8": cast_float8(leaf_node(buffer, (0,), tensor_type((3,), float32)), dtype="float8_e5m2"),
}


def alone(name: str) -> Iterator[Node]:
    """The op of every case of the gradient tests, on leaves; where it can refuse matrices, it is asked to."""
    if name in OF_NUMBERS:
        yield OF_NUMBERS[name]
    for case in ALL.get(name, ()):
        root = case.build(*[leaf(array, dtype_of(array), i) for i, array in enumerate(case.arrays)])
        for node in Graph([root]).nodes:
            if node.op.name == name:
                slots = count()
                inputs = [
                    x if x.op.kind is Kind.LEAF and x.op is not buffer else leaf_node(buffer, (next(slots),), x.type)
                    for x in node.inputs
                ]
                attrs = [
                    "linalg.f" if key == "check" else "gels" if key == "driver" else value
                    for key, value in node.named_attrs()
                ]
                yield make_node(node.op, tuple(inputs), tuple(attrs), None)


def dtype_of(array: Array) -> DType:
    return next(dtype for dtype in ALL_DTYPES if to_numpy(dtype) == array.dtype)


def filled(node: Node, number: float) -> list[Array]:
    """Arrays for the leaves of ``node``: floats and complex numbers are ``number``, integers what is left of it."""
    whole = int(number) if np.isfinite(number) else 1
    leaves = [source for source in node.inputs if source.op is buffer]
    return [np.full(x.shape, number if x.dtype.differentiable else whole).astype(to_numpy(x.dtype)) for x in leaves]


def without_a_column(arrays: list[Array]) -> list[Array]:
    """Floats whose first column is zero: its element of R is zero exactly, as that of equal columns is or is not."""
    for array in arrays:
        if array.ndim and array.dtype.kind in "fc":
            array[..., :1] = 0
    return arrays


# Pivots must be a factorization's own: LAPACK does not look at them.
TRUSTING = {"ldl_solve": (1.0, np.nan, np.inf)}


@pytest.mark.parametrize("name", of_kind(Kind.LIBRARY, Kind.REDUCTION, Kind.PADDING))
def test_a_call_refuses_operands_exactly_where_it_says_so(name: str) -> None:
    op = registry[name]
    refused = [
        is_refused(node, filled(node, number))
        for node in alone(name)
        for number in TRUSTING.get(name, (0.0, 1.0, -1.0, 1e6, np.nan, np.inf))
    ]
    refused += [is_refused(node, without_a_column(filled(node, 1.0))) for node in alone(name)]
    assert refused, "tests/autodiff has no case of this op"
    assert any(refused) == (op.refuses is not None)


def test_ops_that_are_asked_to_check_a_matrix_refuse_some() -> None:
    asked = [op for op in registry.values() if "check" in op.position and op.kind is not Kind.COMPOSITE]
    assert asked
    for op in asked:
        assert op.refuses is Refusal.MATRIX
        attrs = tuple("linalg.f" if name == "check" else False for name in op.attr_names)
        silent = tuple("" if name == "check" else False for name in op.attr_names)
        assert op.may_refuse(attrs, float32)
        assert not op.may_refuse(silent, float32)


# Reductions.


@pytest.mark.parametrize("name", of_kind(Kind.REDUCTION))
@pytest.mark.parametrize("dtype", [d for d in ALL_DTYPES if d is not bfloat16], ids=lambda dtype: dtype.name)
def test_a_reduction_is_its_combination_again_and_again(name: str, dtype: DType) -> None:
    op = registry[name]
    folding = op.folding
    assert folding is not None
    if dtype.is_complex and op.is_exact:
        return  # complex numbers have no order
    low = -2 if dtype.is_signed else 0
    numbers = np.random.default_rng(0).integers(low, 3, (5, 4)).astype(to_numpy(dtype))
    folded = computed(make_node(op, (leaf(numbers, dtype, 0),), ((0,),), None), [numbers])

    def combine(total: Array, row: Array) -> Array:
        pair = tuple(leaf(array, dtype, i) for i, array in enumerate((total, row)))
        return computed(make_node(folding.combine, pair, (), None), [total, row])

    start = np.full(4, folding.neutral(dtype), to_numpy(dtype))
    np.testing.assert_array_equal(reduce(combine, numbers, start), folded[0])  # small whole numbers: nothing is rounded


@pytest.mark.parametrize("name", of_kind(Kind.REDUCTION))
def test_the_neutral_element_changes_no_number(name: str) -> None:
    folding = registry[name].folding
    assert folding is not None
    for dtype, array in HOSTILE.items():
        if dtype.is_complex:
            continue
        neutral = np.full(array.shape, folding.neutral(dtype), to_numpy(dtype))
        pair = (leaf(neutral, dtype, 0), leaf(array, dtype, 1))
        combined = computed(make_node(folding.combine, pair, (), None), [neutral, array])
        np.testing.assert_array_equal(combined, array)


# Which ops have which facts.

ONLY_OF: dict[str, tuple[Callable[[Op], bool], set[Kind]]] = {
    "folding": (lambda op: op.folding is not None, {Kind.REDUCTION}),
    "is_exact": (lambda op: op.is_exact, {Kind.ELEMENTWISE, Kind.REDUCTION}),
    "is_expensive": (lambda op: op.is_expensive, {Kind.ELEMENTWISE}),
    "refuses": (lambda op: op.refuses is not None, {Kind.ELEMENTWISE, Kind.LIBRARY}),
    "starts_from_first": (lambda op: op.starts_from_first, {Kind.LIBRARY}),
    "number_inputs": (lambda op: bool(op.number_inputs), {Kind.LIBRARY, Kind.PADDING}),
}


@pytest.mark.parametrize("fact", ONLY_OF)
def test_a_fact_is_stated_of_the_kinds_it_means_something_for(fact: str) -> None:
    holds, kinds = ONLY_OF[fact]
    assert {op.kind for op in registry.values() if holds(op)} <= kinds
    assert any(holds(op) for op in registry.values())


def test_every_reduction_says_how_it_folds() -> None:
    assert [name for name in of_kind(Kind.REDUCTION) if registry[name].folding is None] == []


def test_no_op_is_exact_and_expensive() -> None:
    assert [name for name, op in registry.items() if op.is_exact and op.is_expensive] == []


@pytest.mark.parametrize("name", [name for name, op in registry.items() if op.starts_from_first])
def test_what_starts_from_its_first_input_has_its_type(name: str) -> None:
    for node in alone(name):
        assert node.inputs[0].type is node.type


@pytest.mark.parametrize("name", [name for name, op in registry.items() if op.number_inputs])
def test_inputs_that_are_numbers_have_no_dimension(name: str) -> None:
    op = registry[name]
    for node in alone(name):
        assert all(node.inputs[i].shape == () for i in op.number_inputs if i < len(node.inputs))


@pytest.mark.parametrize("name", [name for name, op in registry.items() if op.unsaved_input is not None])
def test_an_input_that_is_not_saved_is_one_that_a_gradient_flows_to(name: str) -> None:
    op = registry[name]
    assert is_differentiable(op)
    for node in alone(name):
        assert op.unsaved_input is not None
        assert node.inputs[op.unsaved_input].dtype.differentiable
