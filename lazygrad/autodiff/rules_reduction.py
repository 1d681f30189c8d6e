"""Pullbacks of the reductions, whose results keep the reduced axes."""

from __future__ import annotations

from lazygrad.autodiff.registry import DISCRETE, Cotangents, define_pullbacks
from lazygrad.autodiff.scans import products_of_others
from lazygrad.ir.build import cast, conj, expand, permute, reduce_sum, reshape
from lazygrad.ir.node import Node
from lazygrad.ir.primitives import elementwise as ew
from lazygrad.ir.primitives import reduction as rd
from lazygrad.ir.shape import numel


def attains(x: Node, y: Node) -> Node:
    """1 for the elements of x that are the extremum y, 0 for others; all NaNs are, where there are any."""
    return cast(ew.bitwise_or(ew.eq(x, y), ew.isnan(x)), x.dtype)


def _extremum(g: Node, y: Node, x: Node) -> Cotangents:
    """Elements that tie for the maximum or minimum share the gradient evenly, as PyTorch's max() and min()."""
    attained = attains(x, y)
    return g / reduce_sum(attained, y["axes"]) * attained


def _prod(g: Node, y: Node, x: Node) -> Cotangents:
    """The product of the other elements, without dividing: right beside zeros, to any order."""
    axes: tuple[int, ...] = y["axes"]
    if not axes:
        return g
    order = (*[axis for axis in range(x.rank) if axis not in axes], *axes)
    moved = permute(x, order)
    lead = moved.shape[: x.rank - len(axes)]
    others = products_of_others(reshape(moved, (*lead, numel(moved.shape[len(lead) :]))))
    inverse = tuple(sorted(range(x.rank), key=order.__getitem__))
    return g * conj(permute(reshape(others, moved.shape), inverse))


define_pullbacks(
    {
        rd.reduce_sum: lambda g, y, x: expand(g, x.shape),
        rd.reduce_prod: _prod,
        rd.reduce_max: _extremum,
        rd.reduce_min: _extremum,
        rd.argmax: DISCRETE,
        rd.argmin: DISCRETE,
        rd.argsort: DISCRETE,
        rd.cummax_index: DISCRETE,
    }
)
