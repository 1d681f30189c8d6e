"""Sums of padded parts and of products, and products with one right operand: merged, and still the same numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import numpy as np
import pytest

import lazygrad as lg
from lazygrad import nn
from lazygrad.ir import build
from lazygrad.ir.graph import Graph
from lazygrad.ir.node import Node
from lazygrad.ir.primitives import elementwise as ew
from lazygrad.ir.primitives import indexing as ix
from lazygrad.ir.primitives.contraction import matmul
from lazygrad.ir.primitives.reduction import reduce_sum
from lazygrad.passes.merge_products import merge_products
from lazygrad.passes.merge_sums import merge_sums
from lazygrad.passes.pipeline import GraphPass
from tests.passes.programs import calls_with_gradients, constant, leaf, realized
from tests.reference import evaluate


def merged(change: GraphPass, *roots: Node) -> Counter[str]:
    """The ops after a pass that changes no result."""
    before = Graph(roots)
    after = change(before)
    random = np.random.default_rng(0)
    inputs = {node: random.integers(-3, 4, node.shape) for node in before.nodes if node.op.name == "buffer"}
    values = {node: array.astype(node.dtype.name) for node, array in inputs.items()}
    for expected, found in zip(evaluate(before, values), evaluate(after, values), strict=True):
        np.testing.assert_array_equal(found, expected)
    return Counter(node.op.name for node in after.nodes if node.op.name not in ("buffer", "constant", "expand"))


def padded(part: Node, before: int, after: int, axis: int = 1, value: float = 0) -> Node:
    def amounts(amount: int) -> tuple[int, ...]:
        return tuple(amount if a == axis else 0 for a in range(part.rank))

    return ix.pad(part, constant(value), before=amounts(before), after=amounts(after))


A, B, C = (leaf((2, size), slot=slot) for slot, size in enumerate((3, 4, 5)))
WIDE = leaf((2, 12), slot=3)
JOINED: dict[str, Node] = {
    "two halves": padded(A, 0, 4) + padded(B, 3, 0),
    "in another order": padded(C, 7, 0) + padded(A, 0, 9) + padded(B, 3, 5),
    "with gaps": padded(A, 1, 8) + padded(B, 6, 2),
    "with another term between": padded(A, 0, 9) + WIDE + padded(B, 3, 5),
}


@pytest.mark.parametrize("name", JOINED)
def test_padded_parts_become_one_concatenation(name: str) -> None:
    ops = merged(merge_sums, JOINED[name])
    assert ops["pad"] == 0 and ops["concat"] == 1
    assert ops["add"] == ("another" in name and "term" in name)


LEFT_ALONE: dict[str, Callable[[], tuple[Node, ...]]] = {
    "overlapping": lambda: (padded(A, 0, 4) + padded(B, 2, 1),),
    "not padded with zeros": lambda: (padded(A, 0, 4, value=1) + padded(B, 3, 0),),
    "along different axes": lambda: (padded(leaf((2, 2)), 0, 1, 0) + padded(leaf((3, 1), slot=1), 0, 1, 1),),
    "cropping": lambda: (padded(A, -1, 4) + padded(B, 2, 0),),
    "read elsewhere": lambda: ((part := padded(A, 0, 4)) + padded(B, 3, 0), ew.neg(part)),
}


@pytest.mark.parametrize("name", LEFT_ALONE)
def test_other_sums_of_padded_values_stay(name: str) -> None:
    assert merged(merge_sums, *LEFT_ALONE[name]())["concat"] == 0


def test_a_sum_of_products_is_one_product() -> None:
    left = [leaf((20, 2), slot=i) for i in range(3)]
    right = [leaf((2, 30), slot=3 + i) for i in range(3)]
    total = matmul(left[0], right[0]) + matmul(left[1], right[1]) + matmul(left[2], right[2])
    assert merged(merge_sums, total) == {"concat": 2, "matmul": 1}


def test_transposed_operands_are_joined_as_they_lie() -> None:
    gradients, inputs = ([leaf((2, size), slot=size + i) for i in range(2)] for size in (20, 30))
    products = [matmul(build.swap_last(g), x) for g, x in zip(gradients, inputs, strict=True)]
    bias = reduce_sum(gradients[1], axes=(0,)) + reduce_sum(gradients[0], axes=(0,))
    ops = merged(merge_sums, products[0] + products[1], bias)
    assert ops == {"concat": 3, "permute": 1, "matmul": 1, "reduce_sum": 1}  # two of the three are equal: cse's work


def test_long_products_are_not_copied() -> None:
    products = [matmul(leaf((4, 100), slot=i), leaf((100, 4), slot=2 + i)) for i in range(2)]
    assert merged(merge_sums, products[0] + products[1]) == {"matmul": 2, "add": 1}


def test_products_of_inputs_with_one_matrix_are_one() -> None:
    weight, bias = leaf((4, 5), slot=9), leaf((5,), slot=8)
    products = [matmul(leaf((2, 4), slot=i), build.swap_last(leaf((5, 4), slot=9))) for i in range(3)]
    assert merged(merge_products, *[ew.neg(product) for product in products])["matmul"] == 3  # three right operands
    products = [matmul(leaf((2, 4), slot=i), weight) for i in range(3)]
    ops = merged(merge_products, *[ew.neg(product) for product in products])
    assert (ops["concat"], ops["matmul"], ops["slice"]) == (1, 1, 3)
    ops = merged(merge_products, *[ew.neg(product + bias) for product in products])
    assert (ops["matmul"], ops["add"], ops["slice"]) == (1, 1, 3)


def test_results_of_a_program_stay_where_they_are() -> None:
    weight = leaf((4, 5), slot=9)
    assert merged(merge_products, *[matmul(leaf((2, 4), slot=i), weight) for i in range(3)]) == {"matmul": 3}


def test_a_recurrence_copies_its_transposed_weight_once() -> None:
    transposed = build.swap_last(leaf((4, 4)))
    state = matmul(leaf((2, 4), slot=1), transposed)
    for _ in range(5):
        state = matmul(ew.neg(state), transposed)
    ops = merged(merge_products, ew.neg(state))
    assert (ops["contiguous"], ops["matmul"]) == (1, 6)


@pytest.mark.parametrize(("width", "calls"), [(32, 2), (10, 3)])
def test_calls_of_a_recurrent_network_with_gradients(width: int, calls: int) -> None:
    """Per step one product and one kernel forwards; one product and two kernels backwards.

    Narrow gates are copied into their concatenation, others are made there.
    """

    def count(steps: int) -> tuple[int, int]:
        from_input, from_state = nn.Linear(3, 4 * width), nn.Linear(width, 4 * width, bias=False)
        state = memory = lg.zeros(2, width)
        for x in realized(2, steps, 3).unbind(1):
            a, b, c, d = (from_input(x) + from_state(state)).chunk(4, dim=1)
            memory = b.sigmoid() * memory + a.sigmoid() * c.tanh()
            state = d.sigmoid() * memory.tanh()
        return calls_with_gradients(state, [*from_input.parameters(), *from_state.parameters()])

    few, many = count(6), count(9)
    assert ((many[0] - few[0]) / 3, (many[1] - few[1]) / 3) == (3, calls)
