"""Forward rules of the few ops whose pullback cannot be transposed, because it is not written as linear.

A rule is ``rule(node, tangents)``, ``tangents`` in the order of the node's inputs and None where one does not vary.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from lazygrad.ir.build import zeros_like
from lazygrad.ir.matrix import columns, joined_columns, joined_rows, rows
from lazygrad.ir.node import Node, Op
from lazygrad.ir.primitives import factorization as fa
from lazygrad.ir.primitives import leaf

Rule = Callable[[Node, list[Node | None]], Node | None]


def _checkpoint(node: Node, tangents: list[Node | None]) -> Node | None:
    """Forward mode stores nothing that would have to be computed again."""
    return tangents[0]


def _matrix_exp(node: Node, tangents: list[Node | None]) -> Node | None:
    """The upper right block of exp [[a, t], [0, a]] (I. Najfeld and T. F. Havel, 1995)."""
    (a,), (tangent,) = node.inputs, tangents
    assert tangent is not None
    size = a.shape[-1]
    above, below = joined_columns(a, tangent), joined_columns(zeros_like(a), a)
    return columns(rows(fa.matrix_exp(joined_rows(above, below)), 0, size), size, 2 * size)


PUSHFORWARDS: Mapping[Op, Rule] = {
    leaf.checkpoint: _checkpoint,
    fa.matrix_exp: _matrix_exp,
}
