"""Paddings: what vanishes, what becomes a slice, which views move below, and that the numbers stay."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lazygrad.ir.dtype import float32
from lazygrad.ir.graph import Graph
from lazygrad.ir.node import Node
from lazygrad.ir.primitives import indexing as ix
from lazygrad.ir.primitives import movement as mv
from lazygrad.passes.simplify import simplify
from tests.passes.programs import constant, leaf
from tests.reference import evaluate

Amounts = tuple[int, ...]
X = leaf((3, 4))


def padded(x: Node, before: Amounts, after: Amounts, value: float = 0.0) -> Node:
    return ix.pad(x, constant(value), before=before, after=after)


def zeros(*shape: int) -> Node:
    return mv.expand(constant(0.0), shape=shape)


def sliced(x: Node, start: Amounts, stop: Amounts, step: Amounts = (1, 1)) -> Node:
    return mv.slice_(x, start=start, stop=stop, step=step)


def ops(node: Node) -> list[str]:
    """The ops of the simplified program, which computes the same."""
    before = Graph([node])
    after = simplify(before)
    values = {leaf: np.arange(math.prod(leaf.shape)).reshape(leaf.shape) + 1.0 for leaf in before.nodes if leaf is X}
    (expected,), (found,) = evaluate(before, values), evaluate(after, values)
    np.testing.assert_array_equal(found, expected)
    assert after.roots[0].type is node.type
    return [n.op.name for n in after.nodes if n.op.name not in ("buffer", "constant", "scalar")]


WIDE = padded(X, (1, 0), (0, 2), 7.0)
BECOMES: dict[str, tuple[Node, list[str]]] = {
    "nothing added": (padded(X, (0, 0), (0, 0)), []),
    "only cropped": (padded(X, (-1, 0), (0, -1)), ["slice"]),
    "cropped and padded": (padded(X, (-1, 2), (1, 0)), ["slice", "pad"]),
    "everything cropped": (padded(X, (-3, 0), (2, 0), 5.0), ["expand"]),
    "more than everything": (padded(X, (-5, 0), (7, 0), 5.0), ["expand"]),
    "zeros around zeros": (padded(zeros(3, 4), (1, 0), (0, 0)), ["expand"]),
    "negative zeros around zeros": (padded(zeros(3, 4), (1, 0), (0, 0), -0.0), ["expand", "pad"]),
    "ones around zeros": (padded(zeros(3, 4), (1, 0), (0, 0), 1.0), ["expand", "pad"]),
    "twice with one number": (padded(padded(X, (1, 0), (0, 2)), (0, 3), (1, 0)), ["pad"]),
    "twice with two numbers": (padded(padded(X, (1, 0), (0, 2)), (0, 3), (1, 0), 1.0), ["pad", "pad"]),
    "transposed": (mv.permute(WIDE, axes=(1, 0)), ["permute", "pad"]),
    "flipped": (mv.flip(WIDE, axes=(0,)), ["flip", "pad"]),
    "sliced inside": (sliced(WIDE, (1, 1), (4, 4)), ["slice"]),
    "sliced outside": (sliced(WIDE, (0, 4), (4, 6)), ["expand"]),
    "sliced across": (sliced(WIDE, (0, 2), (3, 6)), ["slice", "pad"]),
    "every second element": (sliced(WIDE, (0, 1), (4, 6), (2, 2)), ["slice", "pad"]),
    "with a new axis": (mv.reshape(WIDE, shape=(4, 1, 6)), ["reshape", "pad"]),
    "flattened": (mv.reshape(WIDE, shape=(24,)), ["pad", "reshape"]),
}


@pytest.mark.parametrize("name", BECOMES)
def test_becomes(name: str) -> None:
    node, expected = BECOMES[name]
    assert ops(node) == expected


axes = st.tuples(st.integers(-3, 4), st.integers(-3, 4), st.integers(0, 8), st.integers(0, 8), st.integers(1, 3))


@settings(max_examples=300, deadline=None)
@given(st.tuples(axes, axes), st.booleans())
def test_any_slice_of_any_padding(chosen: tuple[tuple[int, ...], ...], flips: bool) -> None:
    before = tuple(axis[0] for axis in chosen)
    after = tuple(max(axis[1], -size - axis[0]) for axis, size in zip(chosen, X.shape, strict=True))
    node = padded(X, before, after, 3.0)
    start = tuple(min(axis[2], size) for axis, size in zip(chosen, node.shape, strict=True))
    stop = tuple(max(low, min(axis[3], size)) for axis, low, size in zip(chosen, start, node.shape, strict=True))
    node = mv.flip(node, axes=(1,)) if flips else node
    node = sliced(node, start, stop, tuple(axis[4] for axis in chosen))
    ops(node)
    for padding in [n for n in simplify(Graph([node])).nodes if n.op is ix.pad]:
        assert min(*padding["before"], *padding["after"]) >= 0 and 0 not in padding.inputs[0].shape
    assert node.dtype is float32
