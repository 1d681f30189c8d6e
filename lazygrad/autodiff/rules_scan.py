"""Pullbacks of the running sum and product."""

from __future__ import annotations

from lazygrad.autodiff.registry import Cotangents, define_pullbacks
from lazygrad.autodiff.scans import reversed_cumsum, reversed_recurrence, shifted
from lazygrad.ir.build import conj
from lazygrad.ir.node import Node
from lazygrad.ir.primitives import reduction as rd


def _cumprod(g: Node, y: Node, x: Node) -> Cotangents:
    """``∂/∂x[k] = (x[0] … x[k-1]) · s[k]`` where ``s[k] = g[k] + x[k+1]·s[k+1]``: no division, so zeros are fine."""
    axis = y["axis"]
    return shifted(conj(y), axis, 1, 1) * reversed_recurrence(g, shifted(conj(x), axis, -1, 0), axis)


define_pullbacks(
    {
        rd.cumsum: lambda g, y, x: reversed_cumsum(g, y["axis"]),
        rd.cumprod: _cumprod,
    }
)
