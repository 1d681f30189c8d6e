"""Graphs of 100,000 nodes in a row, a third of it in the sample: every walk is iterative, and linear."""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest

from lazygrad.autodiff.reverse import reverse_sweep
from lazygrad.ir.build import ones_like
from lazygrad.ir.composites.activation import relu
from lazygrad.ir.graph import Graph
from lazygrad.ir.node import Node
from lazygrad.ir.primitives import elementwise as ew
from lazygrad.ir.primitives.gradient import grad
from lazygrad.ir.text import parse, same_graph
from lazygrad.ir.verify import verify
from lazygrad.passes.decompose import decompose
from lazygrad.passes.differentiate import differentiate
from tests.reference import buffer_node
from tests.selection import share

pytestmark = pytest.mark.deeper

LENGTH = share(100_000)


def _chain(length: int = LENGTH) -> tuple[Node, Node]:
    start = node = buffer_node(np.zeros(2))
    for _ in range(length):
        node = ew.sin(node)
    return start, node


def test_it_builds_verifies_and_survives_its_text() -> None:
    graph = Graph([_chain()[1]])
    assert len(graph) == LENGTH + 1
    verify(graph)
    assert same_graph(parse(str(graph)), graph)


def test_it_is_differentiated() -> None:
    start, end = _chain()
    graph = differentiate(Graph([grad(end, ones_like(end), start)]))
    # sin and cos of every link, the product with the cotangent, the leaf and the expanded 1.
    assert sum(node.op is ew.cos for node in graph.nodes) == LENGTH
    assert sum(node.op is ew.mul for node in graph.nodes) == LENGTH


def test_it_is_swept_and_decomposed() -> None:
    start = node = buffer_node(np.zeros(2))
    for _ in range(LENGTH // 10):
        node = relu(node)
    found = reverse_sweep(node, ones_like(node), [start])
    graph = decompose(Graph([found[start]]))
    assert sum(link.op is ew.maximum for link in graph.nodes) == LENGTH // 10


def test_many_nested_gradients() -> None:
    node = buffer_node(np.zeros(2))
    roots = []
    for _ in range(300):
        step = node - grad(ew.sin(node), ones_like(node), node)
        roots.append(step)
        node = step
    graph = differentiate(Graph(roots))
    assert sum(link.op is ew.cos for link in graph.nodes) == 300


@pytest.mark.parametrize("which", ["chain", "gradient"])
def test_it_is_freed(which: str) -> None:
    start, end = _chain()
    held = end if which == "chain" else differentiate(Graph([grad(end, ones_like(end), start)]))
    watched = weakref.ref(start)
    del start, end, held
    gc.collect()
    assert watched() is None
