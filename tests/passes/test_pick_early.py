"""Gathers of few elements below arithmetic: which ones move, and that every bit stays."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import numpy as np
import pytest

import lazygrad as lg
from lazygrad.ir.dtype import int64
from lazygrad.ir.graph import Graph
from lazygrad.ir.node import Node
from lazygrad.ir.primitives import elementwise as ew
from lazygrad.ir.primitives import indexing as ix
from lazygrad.ir.primitives.reduction import reduce_max
from lazygrad.nn import functional as F
from lazygrad.passes.pick_early import pick_early
from tests.passes.programs import leaf, realized
from tests.reference import evaluate

X, Y = leaf((4, 32)), leaf((4, 32), slot=1)
INDEX = leaf((4, 2), int64, slot=2)
WHOLE = leaf((4, 32), int64, slot=5)


def picked(x: Node, index: Node = INDEX, axis: int = 1) -> Node:
    return ix.gather(x, index, axis=axis, wraps=False)


def changed(*roots: Node) -> tuple[Counter[str], list[tuple[int, ...]]]:
    """The ops after the pass, which changes no result, and the shapes that gathers read."""
    before = Graph(roots)
    after = pick_early(before)
    random = np.random.default_rng(0)
    values = {
        node: random.integers(0, 4, node.shape) + (0 if node.dtype is int64 else 0.5)
        for node in before.nodes
        if node.op.name == "buffer"
    }
    for expected, found in zip(evaluate(before, values), evaluate(after, values), strict=True):
        np.testing.assert_array_equal(found, expected)
    gathers = [node for node in after.nodes if node.op is ix.gather]
    return Counter(node.op.name for node in after.nodes), [node.shape for node in gathers]


def test_what_is_picked_is_computed_alone() -> None:
    row = reduce_max(X, axes=(1,))
    ops, _ = changed(picked(ew.log((X - row) * 2)))
    assert ops["gather"] == 1
    after = pick_early(Graph([picked(ew.log((X - row) * 2))]))
    assert all(node.shape in ((4, 2), (4, 1), ()) or not node.inputs for node in after.nodes)


def test_nothing_is_cut_from_one_element() -> None:
    """A length of 1 stands for any other, and not for 0."""
    x = lg.tensor([5], dtype=lg.int8)
    assert lg.diff(x, n=2).tolist() == [] and (x * 2 + x)[1:].tolist() == []


def test_operands_that_only_rows_or_columns_have() -> None:
    assert changed(picked((X + leaf((32,), slot=3)) * leaf((4, 1), slot=4)))[0]["gather"] == 2
    assert changed(picked((X + leaf((1, 32), slot=3)) * leaf((), slot=4)))[0]["gather"] == 2


STAY: dict[str, Callable[[], list[Node]]] = {
    "many are picked": lambda: [picked(-X, leaf((4, 5), int64, slot=2))],
    "part of the rows": lambda: [picked(-X, leaf((3, 2), int64, slot=2))],
    "in memory for another call": lambda: [picked(y := -X), ix.concat(y, X, axis=0)],
    "a result": lambda: [picked(y := -X), y],
    "not arithmetic": lambda: [picked(X)],
    "three arrays": lambda: [picked(X + Y * leaf((4, 32), slot=3))],
    "a division that refuses 0": lambda: [picked(ew.floor_div(WHOLE, leaf((4, 32), int64, slot=6)))],
    "a padding": lambda: [picked(-ix.pad(X, X.like(0), before=(0, 1), after=(0, 0)))],
}


@pytest.mark.parametrize("name", STAY)
def test_stays(name: str) -> None:
    roots = STAY[name]()
    assert pick_early(Graph(roots)).roots == tuple(roots)


def test_what_refuses_no_operand_moves() -> None:
    """Powers of integers have a result for every exponent, and so have divisions of floats."""
    assert changed(picked(ew.pow_(WHOLE, leaf((4, 32), int64, slot=6))))[0]["gather"] == 2
    assert changed(picked(ew.remainder(X, Y)))[0]["gather"] == 2


def test_long_chains_are_not_computed_twice() -> None:
    node = X
    for _ in range(30):
        node = -node
    assert pick_early(Graph([root := picked(node)])).roots == (root,)


def test_a_likelihood_writes_no_matrix() -> None:
    x, target = realized(64, 256), lg.tensor(np.arange(64))
    for loss in (F.nll_loss(F.log_softmax(x, -1), target), F.cross_entropy(x, target)):
        assert lg.stages(loss).plan_object.memory.arena_bytes < x.nbytes
