"""Mean and squared deviations, read from memory once.

Both are taken of the distances d = x − c from the first element c of the row, so that neither loses digits where the
mean is large beside the spread: the distances are exact there. Where only c is far from the others, each distance is
rounded to c's last place; to begin with the mean would take another sum.

Variances and means that are results are float64. The squares of a float32 do not overflow there, nor is the rounding of
their sum seen in a float32. So one pass is enough:

    m = c + Σ d / n        Σ (x − m)² = Σ d² − (Σ d)² / n

What the difference cancels is less than a factor of n + 1, since Σ (x − m)² is at least (c − m)², and 2⁻⁵³ is small
enough for that. Where distances lie beyond the largest float32 both results are NaN.

What keeps its dtype, float64 and the rows that a layer normalizes, takes Σ d / n first, and then the squares of what is
left. A row that has left the cache by then would be read twice. It is cut into blocks that stay there until their own
mean and squares are known, and those are joined:

    Σ (x − m)² = Σ over blocks of [Σ (x − c)² + 2 (c − m) Σ (x − c) + count · (c − m)²] − (Σ (x − m))² / n

The terms with Σ (x − c), which would be 0 without rounding, make up for the rounding of the means c of blocks, and the
last for that of the mean m. Without them the result would be off by what rounding a mean loses, squared, per element.
"""

from __future__ import annotations

from typing import NamedTuple

from lazygrad.ir.build import cast, expand, mean, reduce_sum, reshape
from lazygrad.ir.composites.define import widen
from lazygrad.ir.dtype import float64
from lazygrad.ir.node import Node
from lazygrad.ir.primitives import elementwise as ew
from lazygrad.ir.primitives.leaf import detach
from lazygrad.ir.primitives.movement import slice_
from lazygrad.ir.shape import Shape, numel

Axes = tuple[int, ...]

_CACHE_BYTES = 1 << 19  # what stays in the second-level cache while a row is read
_BLOCK_BYTES = 1 << 14  # of a block along memory: a third of a first-level cache
_LANES = 512  # columns that are reduced at once where the last axis is not reduced
_LANES_BLOCK_BYTES = 1 << 17
_SMALLEST_BLOCK = 16  # elements: below, blocks cost more than a second reading


class _Blocks(NamedTuple):
    """A shape with one axis cut in two, and which of its axes lie within a block and which number the blocks."""

    shape: Shape
    within: Axes
    between: Axes


def moments(x: Node, axes: Axes) -> tuple[Node, Node]:
    """The mean of ``x`` over ``axes`` and Σ (x − mean)², both of which keep the axes with size 1, in float64."""
    count = numel(tuple(x.shape[axis] for axis in axes))
    if x.dtype is float64 or not count:
        center, low, squares = moments_in_parts(cast(x, float64), axes)
        return center + low, squares
    first, apart = _from_first(widen(x), axes)
    distance = cast(apart, float64)
    total = reduce_sum(distance, axes)
    mean_distance = total * (1.0 / count)
    squares = -(total * mean_distance) + reduce_sum(distance * distance, axes)  # in this order they share a buffer
    return cast(first, float64) + mean_distance, ew.maximum(squares, squares.like(0))  # rounding may be negative


def moments_in_parts(x: Node, axes: Axes) -> tuple[Node, Node, Node]:
    """The mean in two numbers, subtracted one after the other, and Σ (x − mean)², all in the dtype of ``x``."""
    blocks = _blocks(x, axes)
    if blocks is None:
        first, apart = _from_first(x, axes)
        low = mean(apart, axes)
        apart = apart - low
        return first, low, reduce_sum(apart * apart, axes)
    within, between = blocks.within, blocks.between
    cut = reshape(x, blocks.shape)
    centers = mean(cut, within)
    apart = cut - centers
    squares, rest = reduce_sum(apart * apart, within), reduce_sum(apart, within)
    center = mean(centers, between)
    distance = centers - center
    count = numel(tuple(blocks.shape[axis] for axis in within))
    total = reduce_sum(squares + distance * (rest * 2 + distance * count), between)
    left = reduce_sum(rest + distance * count, between)
    low = left * _share(x, axes)
    kept = tuple(1 if axis in axes else size for axis, size in enumerate(x.shape))
    return reshape(center, kept), reshape(low, kept), reshape(_less(total, left * low), kept)


def centered(x: Node, center: Node) -> Node:
    """``x - center`` in the dtype of ``x``, of a float64 mean of its rows that float32 may not hold."""
    if center.dtype is x.dtype:
        return x - center
    lead = x.rank - center.rank
    axes = tuple([axis for axis in range(x.rank) if axis < lead or center.shape[axis - lead] == 1])
    first, apart = _from_first(x, axes)
    return apart - cast(center - cast(first, center.dtype), x.dtype)


def _from_first(x: Node, axes: Axes) -> tuple[Node, Node]:
    """The first element along ``axes`` and the distances from it. Which it is changes nothing: no gradient flows."""
    kept = tuple([1 if axis in axes else size for axis, size in enumerate(x.shape)])
    if not all([x.shape[axis] for axis in axes]):
        return expand(x.like(0), kept), x
    first = detach(slice_(x, start=(0,) * x.rank, stop=kept, step=(1,) * x.rank))
    return first, x - first


def _less(squares: Node, excess: Node) -> Node:
    """The difference. Where nothing is left both are rounding, and where both are infinite it would be NaN."""
    return ew.where(ew.lt(excess, squares), squares - excess, squares)


def _share(x: Node, axes: Axes) -> float:
    return 1.0 / max(numel(tuple(x.shape[axis] for axis in axes)), 1)


def average(x: Node, axes: Axes) -> Node:
    """The mean that `moments` gives, so that a graph that has both computes it once."""
    return moments(x, axes)[0]


def is_cut(x: Node, axes: Axes) -> bool:
    """Whether `moments_in_parts` cuts the rows of ``x`` into blocks."""
    return _blocks(x, axes) is not None


def _blocks(x: Node, axes: Axes) -> _Blocks | None:
    """How to cut ``x``; None where a row stays in the cache, or has no divisor that makes good blocks."""
    if not axes:
        return None
    along_memory = x.rank - 1 in axes
    lane_bytes = x.dtype.itemsize * (1 if along_memory else min(_LANES, x.shape[-1]))
    if numel(tuple(x.shape[axis] for axis in axes)) * lane_bytes <= _CACHE_BYTES:
        return None
    room = (_BLOCK_BYTES if along_memory else _LANES_BLOCK_BYTES) // lane_bytes
    whole, cut, inner = _inner_axes(x.shape, axes, room)
    if inner * numel(tuple(x.shape[axis] for axis in whole)) < _SMALLEST_BLOCK:
        return None
    shape = (*x.shape[:cut], x.shape[cut] // inner, inner, *x.shape[cut + 1 :])
    within = [cut + 1, *(axis + 1 for axis in whole)]
    between = [axis if axis <= cut else axis + 1 for axis in axes if axis not in whole]
    return _Blocks(shape, tuple(sorted(within)), tuple(sorted(between)))


def _inner_axes(shape: Shape, axes: Axes, room: int) -> tuple[list[int], int, int]:
    """The innermost of ``axes`` that fit as a whole, the next one, and the largest divisor of it that still fits."""
    whole: list[int] = []
    for axis in sorted(axes, reverse=True):
        if shape[axis] > room:
            return whole, axis, max(divisor for divisor in range(1, room + 1) if shape[axis] % divisor == 0)
        whole.append(axis)
        room //= max(shape[axis], 1)
    raise AssertionError("a row that fits the room is not cut")
