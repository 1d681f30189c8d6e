"""Counting how often values, or values in an interval, occur."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite, prod
from typing import Any

import numpy as np

from lazygrad.host.machine_memory import require_memory
from lazygrad.ir.dtype import Category, bool_, float32, float64, int64
from lazygrad.ops import return_types
from lazygrad.ops.arguments.operands import tensor_argument
from lazygrad.ops.arguments.out import accepts_out
from lazygrad.ops.arguments.registering import method
from lazygrad.ops.creation.filled import filled, zeros
from lazygrad.ops.creation.like import ones_like
from lazygrad.ops.creation.ranges import linspace
from lazygrad.ops.indexing.scattering import index_add
from lazygrad.ops.pointwise.selection import clamp, where
from lazygrad.ops.reductions.extrema import aminmax
from lazygrad.ops.reductions.sorting import searchsorted
from lazygrad.ops.reductions.sums import sum
from lazygrad.ops.shapes.parts import unbind
from lazygrad.ops.shapes.reshaping import reshape
from lazygrad.tensor import Tensor

_LARGEST = (1 << 63) - 1

__all__ = ["bincount", "histc", "histogram", "histogramdd"]


@method()
def bincount(input: Tensor, weights: Tensor | None = None, minlength: int = 0) -> Tensor:
    """How often each of 0, 1, … occurs, int64; or the sum of the weights at these places. Computes ``input`` now.

    Args:
        input: a vector of non-negative integers.
        weights: as many numbers; float32 stays, everything else is summed in float64.
        minlength: the least length of the result.

    Raises:
        RuntimeError: not a vector of integers, a negative number, weights of another shape, a negative length; a
            number so large that there is no memory for so many counts.
    """
    if tensor_argument(input, "bincount").dtype.category is not Category.INTEGER:
        raise NotImplementedError(f"bincount not implemented for '{input.dtype.scalar_type}'; cast to an integer dtype")
    if minlength < 0:
        raise RuntimeError("minlength should be >= 0")
    if input.ndim != 1 and input.shape.numel():
        raise RuntimeError("bincount only supports 1-d non-negative integral inputs.")
    places = reshape(input.detach(), -1)
    values = places.array()
    if values.size and values.min() < 0:
        raise RuntimeError("bincount only supports 1-d non-negative integral inputs.")
    if weights is not None and tuple(weights.shape) != tuple(input.shape):
        raise RuntimeError("weights should be 1-d and have the same length as input")
    largest = int(values.max()) if values.size else -1
    if largest >= _LARGEST:
        raise RuntimeError(f"maximum value of input overflowed, it should be < {_LARGEST} but got {largest}")
    length = max(minlength, largest + 1)
    require_memory(length * int64.itemsize)
    if weights is None or not values.size:
        counts = np.bincount(values.astype(np.int64, copy=False), minlength=minlength)
        return Tensor.from_array(counts, input.device, shared=False)
    counted = weights if weights.dtype is float32 else weights.to(float64)
    return index_add(zeros(length, dtype=counted.dtype, device=input.device), 0, places.to(int64), counted)


@accepts_out
@method()
def histc(input: Tensor, bins: int = 100, min: float = 0, max: float = 0) -> Tensor:
    """How many elements lie in each of ``bins`` intervals of equal width between ``min`` and ``max``.

    Args:
        input: a floating dtype, which the result has too.
        bins: how many.
        min, max: the range; that of the elements when both are equal. What lies outside is not counted.

    Raises:
        RuntimeError: a number of bins that is not positive, a range that is reversed or not finite.
        NotImplementedError: a bool tensor.
    """
    _require_floats("histc", input)
    if bins <= 0:
        raise RuntimeError("bins must be > 0")
    low, high = _range("histc", input, float(min), float(max), margin=1.0)
    return _counted(reshape(input.detach(), -1), bins, low, high).to(input.dtype)


def _require_floats(name: str, input: Tensor) -> None:
    if not tensor_argument(input, name).dtype.differentiable:
        raise NotImplementedError(f"{name} not implemented for '{input.dtype.scalar_type}'; cast with .float()")


def _range(name: str, input: Tensor, low: float, high: float, margin: float) -> tuple[float, float]:
    """The limits given, or where these are equal those of the values, equal ones moved apart by a margin.

    Raises:
        RuntimeError: not finite, or reversed.
    """
    if low == high and input.shape.numel():
        low, high = (float(limit) for limit in aminmax(input.detach()))
    if not (isfinite(low) and isfinite(high)):
        raise RuntimeError(f"{name}: range of [{low}, {high}] is not finite")
    if low > high:
        raise RuntimeError(f"{name}: max must be larger than min")
    return (low - margin, high + margin) if low == high else (low, high)


def _counted(values: Tensor, bins: int, low: float, high: float) -> Tensor:
    inside = (values >= low) & (values <= high)
    places = where(inside, (values - low) * bins / (high - low), 0.0).to(int64)
    counts = zeros(bins, dtype=int64, device=values.device)
    return index_add(counts, 0, clamp(places, 0, bins - 1), inside.to(int64))


# Several dimensions.


def _edges(name: str, values: Tensor, bins: Any, limits: tuple[float, float] | None) -> Tensor:
    """The ends of the intervals of one dimension, given or evenly spaced."""
    if isinstance(bins, Tensor):
        if bins.ndim != 1 or not bins.shape[0]:
            raise RuntimeError(f"{name}(): bins tensor should have one dimension and elements, not {tuple(bins.shape)}")
        if bins.dtype is not values.dtype:
            raise RuntimeError(f"{name}(): input tensor and bins tensors should have the same dtype")
        return bins
    if bins <= 0:
        raise RuntimeError(f"{name}(): bins must be > 0, but got {bins}")
    if limits is None:
        low, high = _range(name, values, 0.0, 0.0, margin=0.5) if values.shape.numel() else (0.0, 1.0)
    else:
        low, high = _range(name, values[:0], *limits, margin=0.5)
    return linspace(low, high, bins + 1, dtype=values.dtype, device=values.device)


def _binned(points: Tensor, edges: Sequence[Tensor], weight: Tensor | None, density: bool) -> Tensor:
    """The sum of the weights of the points, rows of coordinates, in each cell of a grid."""
    sizes = [edge.shape[0] - 1 for edge in edges]
    place, inside = filled((points.shape[0],), 0, int64, points.device), filled((), True, bool_, points.device)
    for axis, edge in enumerate(edges):
        x = points[:, axis].detach()
        found = searchsorted(edge.detach(), x, right=True) - 1
        found = where(x == edge[-1], sizes[axis] - 1, found)  # the last interval holds its right end
        inside = inside & (found >= 0) & (found < sizes[axis])
        place = place * sizes[axis] + clamp(found, 0, max(sizes[axis] - 1, 0))
    amount = ones_like(place, dtype=points.dtype) if weight is None else reshape(weight.detach(), -1)
    cells = filled((prod(sizes),), 0, points.dtype, points.device)
    if prod(sizes):
        cells = index_add(cells, 0, place, where(inside, amount, 0.0))
    hist = reshape(cells, sizes)
    return _as_density(hist, edges) if density else hist


def _as_density(hist: Tensor, edges: Sequence[Tensor]) -> Tensor:
    """``hist`` divided by its sum and by the volume of each cell."""
    result = hist / sum(hist)
    for axis, edge in enumerate(edges):
        widths = edge[1:] - edge[:-1]
        result = result / reshape(widths, tuple([-1 if a == axis else 1 for a in range(hist.ndim)]))
    return result


def _check_weight(name: str, weight: Tensor | None, shape: Sequence[int], input: Tensor) -> None:
    if weight is None:
        return
    if tuple(tensor_argument(weight, name, "weight").shape) != tuple(shape):
        raise RuntimeError(f"{name}(): if weight tensor is provided it should have the same shape as the input tensor "
                           f"excluding its innermost dimension, {tuple(shape)}, not {tuple(weight.shape)}")  # fmt: skip
    if weight.dtype is not input.dtype:
        raise RuntimeError(f"{name}(): if weight tensor is provided, input tensor and weight tensor should have the "
                           f"same dtype")  # fmt: skip


@accepts_out
@method()
def histogram(
    input: Tensor,
    bins: Any = 100,
    *,
    range: Sequence[float] | None = None,
    weight: Tensor | None = None,
    density: bool = False,
) -> return_types.histogram:
    """How many elements, or the sum of whose weights, lie in each interval: a named pair (hist, bin_edges).

    Args:
        input: floating values.
        bins: how many intervals of equal width, or the ascending ends of them.
        range: (lowest, highest); of the elements when None. Elements outside are not counted.
        weight: a weight for each element, in the input's dtype.
        density: divide by the sum and the width, so that the integral is 1.

    Raises:
        RuntimeError: bins that are not positive or not a vector, a range that is not finite or reversed, weights of
            another shape or dtype. NotImplementedError: integers or bools.
    """
    _require_floats("histogram", input)
    _check_weight("histogram", weight, input.shape, input)
    values = reshape(input.detach(), -1)
    edges = _edges("histogram", values, bins, None if range is None else (float(range[0]), float(range[1])))
    return return_types.histogram(_binned(reshape(values, -1, 1), [edges], weight, density), edges)


def histogramdd(
    input: Tensor,
    bins: Any,
    *,
    range: Sequence[float] | None = None,
    weight: Tensor | None = None,
    density: bool = False,
) -> return_types.histogramdd:
    """`histogram` in several dimensions: a named pair (hist, bin_edges), the latter a tuple of vectors.

    Args:
        input: (…, D), points of D coordinates.
        bins: how many intervals along all dimensions or along each, or the ends of the intervals along each.
        range: the lowest and the highest coordinate, one dimension after another.
        weight: a weight for each point.
        density: divide by the sum and the volume of the cells.

    Raises:
        RuntimeError: see `histogram`; not as many bins or ranges as dimensions.
    """
    _require_floats("histogramdd", input)
    if input.ndim < 2:
        raise RuntimeError("histogramdd(): input tensor should have at least 2 dimensions")
    count = input.shape[-1]
    _check_weight("histogramdd", weight, input.shape[:-1], input)
    along = [bins] * count if isinstance(bins, int) else list(bins)
    if len(along) != count:
        raise RuntimeError(f"histogramdd(): expected {count} sequences of bin edges or counts, one per dimension, "
                           f"but got {len(along)}")  # fmt: skip
    if range is not None and len(range) != 2 * count:
        raise RuntimeError(f"histogramdd(): range should have {2 * count} elements for {count} dimensions, but "
                           f"got {len(range)}")  # fmt: skip
    points = reshape(input.detach(), -1, count)
    ends = [] if range is None else [float(end) for end in range]
    limits: list[Any] = list(zip(ends[::2], ends[1::2], strict=True)) or [None] * count
    columns = unbind(points, 1)
    edges = [_edges("histogramdd", x, n, limit) for x, n, limit in zip(columns, along, limits, strict=True)]
    return return_types.histogramdd(_binned(points, edges, weight, density), tuple(edges))
