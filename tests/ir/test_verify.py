"""`verify` finds each way in which a graph can contradict itself."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from lazygrad.ir.composites.activation import relu
from lazygrad.ir.dtype import float32
from lazygrad.ir.graph import Graph
from lazygrad.ir.node import Node, tensor_type
from lazygrad.ir.op import Kind
from lazygrad.ir.primitives import elementwise as ew
from lazygrad.ir.primitives import leaf
from lazygrad.ir.primitives import reduction as rd
from lazygrad.ir.verify import VerificationError, verify
from tests.reference import buffer_node


def _leaf() -> Node:
    return buffer_node(np.zeros((2, 3)))


def _wrong_shape(x: Node) -> Node:
    return Node(ew.sin, (x,), (), tensor_type((3, 2), x.dtype))


def _wrong_dtype(x: Node) -> Node:
    return Node(ew.sin, (x,), (), tensor_type(x.shape, float32))


def _missing_attribute(x: Node) -> Node:
    return Node(rd.reduce_sum, (x,), (), tensor_type((1, 3), x.dtype))


def _unhashable_attribute(x: Node) -> Node:
    return Node(rd.reduce_sum, (x,), ([0],), tensor_type((1, 3), x.dtype))


def _leaf_with_input(x: Node) -> Node:
    return Node(leaf.buffer, (x,), (0,), x.type)


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (_wrong_shape, "inference gives f64.2, 3."),
        (_wrong_dtype, "inference gives f64"),
        (_missing_attribute, "0 attributes"),
        (_unhashable_attribute, "hashable"),
        (_leaf_with_input, "a leaf has no inputs"),
    ],
)
def test_a_false_node_is_found(build: Callable[[Node], Node], message: str) -> None:
    with pytest.raises(VerificationError, match=message):
        verify(Graph([build(_leaf())]))


def test_a_kind_that_does_not_belong() -> None:
    graph = Graph([relu(_leaf())])
    verify(graph)
    with pytest.raises(VerificationError, match="composite ops do not belong"):
        verify(graph, frozenset(Kind) - {Kind.COMPOSITE})


def test_an_input_out_of_order_and_a_missing_root() -> None:
    graph = Graph([ew.sin(_leaf())])
    graph.nodes.reverse()
    with pytest.raises(VerificationError, match="does not come before it"):
        verify(graph)
    graph = Graph([ew.sin(_leaf())])
    graph.roots = (_leaf(),)
    with pytest.raises(VerificationError, match="root"):
        verify(graph)


def test_a_true_graph_passes() -> None:
    x = _leaf()
    verify(Graph([rd.reduce_sum(ew.exp(x) * 2, axes=(0,)), x]))
