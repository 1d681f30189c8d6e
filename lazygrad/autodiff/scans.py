"""Scans along an axis that derivative rules need, spelled in primitives without a division."""

from __future__ import annotations

from lazygrad.ir.dtype import Scalar
from lazygrad.ir.node import Node
from lazygrad.ir.primitives import indexing
from lazygrad.ir.primitives import movement as mv
from lazygrad.ir.primitives.reduction import cumprod, cumsum


def shifted(x: Node, axis: int, amount: int, fill: Scalar) -> Node:
    """``x`` moved by ``amount`` along an axis (towards the end when positive), ``fill`` entering behind it."""
    before = tuple(amount if a == axis else 0 for a in range(x.rank))
    return indexing.pad(x, x.like(fill), before=before, after=tuple(-amount for amount in before))


def reversed_cumsum(x: Node, axis: int) -> Node:
    """The running sum from the end."""
    return mv.flip(cumsum(mv.flip(x, axes=(axis,)), axis=axis), axes=(axis,))


def products_of_others(x: Node) -> Node:
    """For each element of the last axis, the product of all the others."""
    axis = x.rank - 1
    backwards = mv.flip(x, axes=(axis,))
    before = shifted(cumprod(x, axis=axis), axis, 1, 1)
    after = mv.flip(shifted(cumprod(backwards, axis=axis), axis, 1, 1), axes=(axis,))
    return before * after


def reversed_recurrence(addend: Node, factor: Node, axis: int) -> Node:
    """``s[k] = addend[k] + factor[k] · s[k+1]`` along an axis, with ``s`` 0 beyond its end.

    By recursive doubling (Hillis and Steele, 1986): after a round with distance d, ``addend[k]`` holds the part of
    ``s[k]`` that comes from the next 2d elements, so about log₂ of the size rounds of plain elementwise ops suffice
    and every derivative of them is right, zeros or not.
    """
    distance = 1
    while distance < addend.shape[axis]:
        addend = addend + _with_later(factor, addend, axis, distance)
        factor = _with_later(factor, factor, axis, distance)
        distance *= 2
    return addend


def _with_later(x: Node, later: Node, axis: int, distance: int) -> Node:
    """``x[k] · later[k + distance]``, and 0 where that is beyond the end, also of infinities."""
    start = tuple(distance if a == axis else 0 for a in range(x.rank))
    step = (1,) * x.rank
    stop = tuple(size - skipped for size, skipped in zip(x.shape, start, strict=True))
    product = mv.slice_(x, start=(0,) * x.rank, stop=stop, step=step) * mv.slice_(
        later, start=start, stop=x.shape, step=step
    )
    return indexing.pad(product, x.like(0), before=(0,) * x.rank, after=start)
