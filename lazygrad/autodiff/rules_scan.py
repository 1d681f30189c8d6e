"""Pullbacks of the running sum and product, and of the running sum in logarithms."""

from __future__ import annotations

from math import inf

from lazygrad.autodiff.registry import Cotangents, define_pullbacks, in_float32
from lazygrad.autodiff.scans import reversed_cumsum, reversed_recurrence, shifted
from lazygrad.ir.build import conj
from lazygrad.ir.composites.define import widen
from lazygrad.ir.node import Node
from lazygrad.ir.primitives import elementwise as ew
from lazygrad.ir.primitives import reduction as rd


def _cumprod(g: Node, y: Node, x: Node) -> Cotangents:
    """``∂/∂x[k] = (x[0] … x[k-1]) · s[k]`` where ``s[k] = g[k] + x[k+1]·s[k+1]``: no division, so zeros are fine."""
    axis = y["axis"]
    return shifted(conj(y), axis, 1, 1) * reversed_recurrence(g, shifted(conj(x), axis, -1, 0), axis)


def _apart(smaller: Node, larger: Node) -> Node:
    """``exp(smaller - larger)``, 1 where both are the same infinity."""
    return ew.exp(ew.where(ew.eq(smaller, larger), smaller.like(0), smaller - larger))


def _logcumsumexp(g: Node, y: Node, x: Node) -> Cotangents:
    """``∂/∂x[k] = Σ g[j] · exp(x[k] - y[j])`` over j ≥ k, as ``exp(x[k] - y[k]) · s[k]`` where
    ``s[k] = g[k] + exp(y[k] - y[k+1]) · s[k+1]``: y grows, so that nothing overflows."""
    axis, value, x = y["axis"], conj(widen(y)), conj(x)
    decay = _apart(value, shifted(value, axis, -1, inf))
    return _apart(x, value) * reversed_recurrence(g, decay, axis)


define_pullbacks(
    {
        rd.cumsum: lambda g, y, x: reversed_cumsum(g, y["axis"]),
        rd.cumprod: _cumprod,
        rd.logcumsumexp: in_float32(_logcumsumexp),
    }
)
