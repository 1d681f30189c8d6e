"""Common subexpression elimination: what is one node afterwards, and what stays two."""

from __future__ import annotations

from lazygrad.ir.dtype import float32
from lazygrad.ir.graph import Graph
from lazygrad.ir.node import tensor_type
from lazygrad.ir.primitives import elementwise as ew
from lazygrad.ir.primitives import reduction as rd
from lazygrad.ir.primitives.leaf import buffer, leaf_node, runtime_number, scalar
from lazygrad.passes.cse import cse
from tests.passes.programs import constant, leaf


def test_equal_computations_become_one_through_several_levels() -> None:
    x = leaf((3,))
    result = cse(Graph([ew.exp(x * 2), ew.exp(x * 2)]))
    assert result.roots[0] is result.roots[1]
    assert [node.op.name for node in result.nodes] == ["buffer", "constant", "mul", "exp"]


def test_attributes_types_and_the_order_of_inputs_tell_nodes_apart() -> None:
    x, y = leaf((3, 3)), leaf((3, 3), slot=1)
    pairs = [
        (rd.reduce_sum(x, axes=(0,)), rd.reduce_sum(x, axes=(1,))),
        (x - y, y - x),
        (ew.cast(x, dtype="float64"), ew.cast(x, dtype="float16")),
        (x * constant(1.0), x * constant(2.0)),
    ]
    for first, second in pairs:
        result = cse(Graph([first, second]))
        assert result.roots[0] is not result.roots[1]


def test_buffers_are_told_apart_by_their_slots() -> None:
    same = cse(Graph([leaf((3,), slot=1), leaf((3,), slot=1)]))
    different = cse(Graph([leaf((3,), slot=1), leaf((3,), slot=2)]))
    assert same.roots[0] is same.roots[1]
    assert different.roots[0] is not different.roots[1]


def test_leaves_without_slots_stay_apart() -> None:
    buffers = [leaf_node(buffer, (None,), tensor_type((3,), float32)) for _ in range(2)]
    numbers = [runtime_number(0.3, float32) for _ in range(2)]
    assert numbers[0].op is scalar
    for pair in (buffers, numbers):
        result = cse(Graph(pair))
        assert result.roots[0] is not result.roots[1]


def test_roots_names_and_watched_nodes_follow() -> None:
    x = leaf((3,))
    first, second = ew.exp(x), ew.exp(x)
    result = cse(Graph([first, second], names={x: "x"}, watched=[second]))
    assert result.names == {x: "x"}
    assert result.watched == (result.roots[0],)
