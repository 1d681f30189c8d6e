"""materialize_views: copies exactly where strides cannot say which elements are meant."""

from __future__ import annotations

import pytest

from lazygrad.ir.graph import Graph
from lazygrad.ir.node import Node
from lazygrad.ir.primitives import elementwise as ew
from lazygrad.ir.primitives import movement as mv
from lazygrad.ir.primitives.contraction import matmul
from lazygrad.passes.views import materialize_views, view_of
from tests.passes.programs import constant, leaf

X = leaf((4, 6))
TRANSPOSED = mv.permute(X, axes=(1, 0))
HALF = mv.slice_(X, start=(0, 0), stop=(4, 6), step=(1, 2))
ROWS = mv.slice_(X, start=(1, 0), stop=(3, 6), step=(1, 1))


def copies(node: Node) -> int:
    """How many copies the pass adds below an op that reads ``node``."""
    graph = materialize_views(Graph([ew.exp(node)]))
    return sum(n.op is ew.contiguous for n in graph.nodes)


NO_COPY = {
    "transpose": TRANSPOSED,
    "every other column": HALF,
    "rows flattened": mv.reshape(ROWS, shape=(12,)),
    "every other column, rows and columns split apart": mv.reshape(HALF, shape=(2, 2, 3)),
    "expand": mv.expand(leaf((4, 1)), shape=(4, 6)),
    "flip": mv.flip(X, axes=(0, 1)),
    "transpose, then split": mv.reshape(TRANSPOSED, shape=(2, 3, 4)),
    "sizes of 1": mv.reshape(TRANSPOSED, shape=(6, 1, 4)),
    "windows": mv.windows(X, size=(2,), stride=(1,), dilation=(1,)),
    "diagonal": mv.diagonal(X, offset=1, axis1=0, axis2=1),
}
ONE_COPY = {
    "transpose flattened": mv.reshape(TRANSPOSED, shape=(24,)),
    "every other column flattened across a gap": mv.reshape(
        mv.slice_(X, start=(0, 0), stop=(4, 4), step=(1, 1)), shape=(16,)
    ),
    "expand flattened": mv.reshape(mv.expand(leaf((4, 1)), shape=(4, 6)), shape=(24,)),
    "flip flattened over one axis": mv.reshape(mv.flip(X, axes=(1,)), shape=(24,)),
}


@pytest.mark.parametrize("name", NO_COPY)
def test_strides_express(name: str) -> None:
    assert copies(NO_COPY[name]) == 0


@pytest.mark.parametrize("name", ONE_COPY)
def test_strides_cannot_express(name: str) -> None:
    assert copies(ONE_COPY[name]) == 1


def test_readers_of_one_view_share_its_copy() -> None:
    flat = mv.reshape(TRANSPOSED, shape=(24,))
    square = mv.reshape(TRANSPOSED, shape=(3, 8))
    graph = materialize_views(Graph([ew.exp(flat), ew.sin(square), ew.cos(flat)]))
    assert sum(node.op is ew.contiguous for node in graph.nodes) == 1


def test_after_the_pass_every_view_is_of_something_stored() -> None:
    roots = [ew.exp(node) for node in (*NO_COPY.values(), *ONE_COPY.values())]
    for node in materialize_views(Graph(roots)).nodes:
        base, view = view_of(node)
        assert view.shape == node.shape
        assert base.op.name != "reshape"


def test_roots_are_storable() -> None:
    roots = [TRANSPOSED, constant(2), mv.reshape(X, shape=(24,)), mv.reshape(ew.exp(X), shape=(24,))]
    transposed, number, same_memory, whole = materialize_views(Graph(roots)).roots
    assert transposed.op is ew.contiguous
    assert number.op is ew.contiguous
    assert same_memory.op is mv.reshape, "all of a buffer in order shares its memory"
    assert whole.op is mv.reshape, "all of a computed value in order shares its memory"


def test_library_calls_get_arrays_for_numbers() -> None:
    number = mv.expand(constant(2), shape=(6, 3))
    graph = materialize_views(Graph([matmul(X, number)]))
    assert graph.roots[0].inputs[1].op is ew.contiguous


def test_a_clone_nobody_sees_costs_nothing() -> None:
    assert [node.op.name for node in materialize_views(Graph([ew.exp(ew.clone(X))])).nodes] == ["buffer", "exp"]
    assert materialize_views(Graph([ew.clone(X)])).roots[0].op is ew.clone
