"""Forward rules of the few ops whose pullback cannot be transposed, because it is not written as linear.

A rule is ``rule(node, tangents)``, ``tangents`` in the order of the node's inputs and None where one does not vary.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from lazygrad.ir.build import cast, zeros_like
from lazygrad.ir.composites import logarithm as lg
from lazygrad.ir.composites.define import widen
from lazygrad.ir.matrix import columns, joined_columns, joined_rows, rows
from lazygrad.ir.node import Node
from lazygrad.ir.op import Op
from lazygrad.ir.primitives import elementwise as ew
from lazygrad.ir.primitives import factorization as fa
from lazygrad.ir.primitives import leaf

PushforwardRule = Callable[[Node, list[Node | None]], Node | None]


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


def _logarithm_times(of_one_more: bool) -> PushforwardRule:
    """Of x · ln y or x · ln(1 + y). Their pullback leaves out a masked cotangent, a tangent of 0 is not left out."""

    def rule(node: Node, tangents: list[Node | None]) -> Node | None:
        x, y = [widen(source) for source in node.inputs]
        dx, dy = [None if tangent is None else widen(tangent) for tangent in tangents]
        argument, log = (y + 1, ew.log1p(y)) if of_one_more else (y, ew.log(y))
        pole = ew.bitwise_and(ew.eq(x, x.like(0)), ew.le(argument, argument.like(0)))
        parts = [] if dx is None else [dx * ew.where(pole, log.like(0), log)]
        parts += [] if dy is None else [dy * x / argument]
        return cast(parts[0] if len(parts) == 1 else parts[0] + parts[1], node.dtype)

    return rule


PUSHFORWARDS: Mapping[Op, PushforwardRule] = {
    leaf.checkpoint: _checkpoint,
    fa.matrix_exp: _matrix_exp,
    lg.xlogy: _logarithm_times(False),
    lg.xlog1py: _logarithm_times(True),
}
