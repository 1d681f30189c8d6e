"""Pullbacks of the running sum and product, and of the running sum in logarithms."""

from __future__ import annotations

from math import inf

from lazygrad.autodiff.registry import Cotangents, define_pullbacks, in_float32
from lazygrad.autodiff.scans import reversed_cumsum, reversed_recurrence, shifted
from lazygrad.ir.build import conj
from lazygrad.ir.composites.define import widen
from lazygrad.ir.node import Node
from lazygrad.ir.primitives import elementwise as ew
from lazygrad.ir.primitives import movement as mv
from lazygrad.ir.primitives import reduction as rd


def _cumprod(g: Node, y: Node, x: Node) -> Cotangents:
    """``∂/∂x[k] = (x[0] … x[k-1]) · s[k]`` where ``s[k] = g[k] + x[k+1]·s[k+1]``: no division, so zeros are fine."""
    axis = y["axis"]
    return shifted(conj(y), axis, 1, 1) * reversed_recurrence(g, shifted(conj(x), axis, -1, 0), axis)


def _logcumsumexp(g: Node, y: Node, x: Node) -> Cotangents:
    """``∂/∂x[k] = Σ g[j] · exp(x[k] - y[j])`` over j ≥ k, with the sum taken in logarithms for either sign of g."""
    axis, value = y["axis"], widen(y)
    if x.dtype.is_complex:
        reached = mv.flip(ew.log(g) - conj(value), axes=(axis,))
        return ew.exp(mv.flip(rd.logcumsumexp(reached, axis=axis), axes=(axis,)) + conj(x))

    def part(share: Node) -> Node:
        positive = ew.gt(share, share.like(0))
        log_share = ew.log(ew.where(positive, share, share.like(1))) - value
        reached = mv.flip(ew.where(positive, log_share, share.like(-inf)), axes=(axis,))
        return ew.exp(mv.flip(rd.logcumsumexp(reached, axis=axis), axes=(axis,)) + x)

    return part(g) - part(-g)


define_pullbacks(
    {
        rd.cumsum: lambda g, y, x: reversed_cumsum(g, y["axis"]),
        rd.cumprod: _cumprod,
        rd.logcumsumexp: in_float32(_logcumsumexp),
    }
)
