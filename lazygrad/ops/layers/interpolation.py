"""Resizing of signals, images and volumes, one dimension after the other.

Along a dimension every output element is a weighted sum of a few input elements. Conventions: with
``align_corners`` the centers of the corner pixels coincide, otherwise their outer corners do.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from functools import partial
from math import floor as whole
from typing import Any

from lazygrad.ir.dtype import float32, float64, int64
from lazygrad.ops.arguments.operands import tensor_argument
from lazygrad.ops.creation.ranges import arange
from lazygrad.ops.indexing.gathering import index_select
from lazygrad.ops.layers.adaptive_pooling import adaptive_avg_pool1d, adaptive_avg_pool2d, adaptive_avg_pool3d
from lazygrad.ops.pointwise.arithmetic import abs
from lazygrad.ops.pointwise.relational import le, lt
from lazygrad.ops.pointwise.rounding import floor
from lazygrad.ops.pointwise.selection import clamp, where
from lazygrad.ops.reductions.sums import sum
from lazygrad.ops.shapes.joining import stack
from lazygrad.ops.shapes.reshaping import reshape, unsqueeze
from lazygrad.tensor import Tensor

Taps = tuple[Tensor, Tensor]  # (out, taps) positions read for each output element, and their weights

_RANKS = {"linear": 1, "bilinear": 2, "trilinear": 3, "bicubic": 2}
_WITHOUT_CORNERS = ("nearest", "nearest-exact", "area")


def _grid(count: int, like: Tensor) -> Tensor:
    """0, 1, …, as the float that positions are computed in."""
    dtype = float64 if like.dtype is float64 else float32
    return arange(count, dtype=dtype, device=like.device)


def _centers(size: int, count: int, scale: float | None, align_corners: bool, like: Tensor) -> Tensor:
    """Where in the input the output's elements lie."""
    numbers = _grid(count, like)
    if align_corners:
        return numbers * ((size - 1) / (count - 1) if count > 1 else 0.0)
    return (numbers + 0.5) * _step(size, count, scale) - 0.5


def _step(size: int, count: int, scale: float | None) -> float:
    """How far apart in the input neighbours of the output lie."""
    return 1.0 / scale if scale else size / count


def _nearest(size: int, count: int, scale: float | None, exact: bool, like: Tensor) -> Tensor:
    numbers = arange(count, dtype=float32, device=like.device)
    places = (numbers + 0.5 if exact else numbers) * _step(size, count, scale)
    return clamp(floor(places).to(int64), max=size - 1)


def _linear_taps(size: int, count: int, scale: float | None, align_corners: bool, like: Tensor) -> Taps:
    center = clamp(_centers(size, count, scale, align_corners, like), min=0)
    below = clamp(floor(center).to(int64), max=size - 1)
    above = clamp(below + 1, max=size - 1)
    share = clamp(center - below.to(center.dtype), 0, 1)
    return stack([below, above], 1), stack([1 - share, share], 1)


def cubic_weight(distance: Tensor, a: float) -> Tensor:
    """The cubic convolution kernel of Keys (1981), 0 from a distance of 2 on."""
    x = abs(distance)
    near = ((a + 2) * x - (a + 3)) * x * x + 1
    far = ((x - 5) * x + 8) * x * a - 4 * a
    return where(le(x, 1), near, where(lt(x, 2), far, 0.0))


def _cubic_taps(size: int, count: int, scale: float | None, align_corners: bool, like: Tensor) -> Taps:
    center = _centers(size, count, scale, align_corners, like)
    below = floor(center)
    offsets = arange(-1, 3, dtype=center.dtype, device=like.device)
    places = unsqueeze(below, 1) + offsets
    weights = cubic_weight(unsqueeze(center - below, 1) - offsets, -0.75)
    return clamp(places.to(int64), 0, size - 1), weights


def _triangle_weight(distance: Tensor) -> Tensor:
    return clamp(1 - abs(distance), min=0)


def _smooth_taps(size: int, count: int, scale: float | None, align_corners: bool, like: Tensor, radius: int) -> Taps:
    """A filter as wide as the output's pixels, so that shrinking averages (antialias)."""
    step = (size - 1) / (count - 1) if align_corners and count > 1 else _step(size, count, scale)
    stretch = max(step, 1.0)
    center = (_grid(count, like) + 0.5) * step
    support = radius * stretch
    low = clamp(floor(center - support + 0.5).to(int64), min=0)
    high = clamp(floor(center + support + 0.5).to(int64), max=size)
    taps = min(2 * whole(support + 1) + 1, size + 1)
    places = unsqueeze(low, 1) + arange(taps, device=like.device)
    distance = (places.to(center.dtype) - unsqueeze(center, 1) + 0.5) / stretch
    kernel = _triangle_weight(distance) if radius == 1 else cubic_weight(distance, -0.5)
    kernel = where(lt(places, unsqueeze(high, 1)), kernel, 0.0)
    return clamp(places, max=size - 1), kernel / sum(kernel, 1, keepdim=True)


def _along(input: Tensor, axis: int, taps: Taps) -> Tensor:
    """The weighted sums along one dimension."""
    places, weights = taps
    count, width = places.shape
    read = index_select(input, axis, reshape(places, -1))
    read = reshape(read, (*input.shape[:axis], count, width, *input.shape[axis + 1 :]))
    weights = reshape(weights, (count, width, *(1,) * (input.ndim - axis - 1))).to(input.dtype)
    return sum(read * weights, axis + 1)


def _sizes(
    input: Tensor, size: Any, scale_factor: Any, recompute: bool | None
) -> tuple[tuple[int, ...], list[float | None]]:
    """The output's spatial sizes, and the scale factors that positions are computed from."""
    spatial = input.shape[2:]
    if (size is None) == (scale_factor is None):
        raise ValueError("only one of size or scale_factor should be defined" if size is not None
                         else "either size or scale_factor should be defined")  # fmt: skip
    given = size if size is not None else scale_factor
    each = list(given) if isinstance(given, Sequence) else [given] * len(spatial)
    if len(each) != len(spatial):
        raise ValueError(f"Input and output must have the same number of spatial dimensions, but got input with "
                         f"spatial dimensions of {list(spatial)} and {given}")  # fmt: skip
    if size is not None:
        if recompute:
            raise ValueError("recompute_scale_factor is not meaningful with an explicit size.")
        return tuple([int(n) for n in each]), [None] * len(spatial)
    counts = tuple([whole(n * factor) for n, factor in zip(spatial, each, strict=True)])
    return counts, [None if recompute else float(factor) for factor in each]


def interpolate(
    input: Tensor,
    size: int | Sequence[int] | None = None,
    scale_factor: float | Sequence[float] | None = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
    recompute_scale_factor: bool | None = None,
    antialias: bool = False,
) -> Tensor:
    """The input at another resolution.

    Args:
        input: (N, C, *spatial) with one to three spatial dimensions.
        size: the spatial sizes; or
        scale_factor: by how much to multiply them; one number stands for every dimension.
        mode: nearest, nearest-exact, linear, bilinear, trilinear, bicubic or area, by the number of dimensions.
        align_corners: whether the centers of the corner pixels are kept, for the linear and cubic modes.
        recompute_scale_factor: compute positions from the sizes rather than from ``scale_factor``.
        antialias: average when shrinking, for bilinear and bicubic.

    Raises:
        ValueError: neither or both of ``size`` and ``scale_factor``; options that do not go with the mode.
        NotImplementedError: a mode that does not go with the number of dimensions.
        RuntimeError: a size that is not positive.
    """
    rank = tensor_argument(input, "interpolate").ndim - 2
    if mode in _WITHOUT_CORNERS and align_corners is not None:
        raise ValueError("align_corners option can only be set with the interpolating modes: linear | bilinear | "
                         "bicubic | trilinear")  # fmt: skip
    counts, scales = _sizes(input, size, scale_factor, recompute_scale_factor)
    if antialias and mode not in ("bilinear", "bicubic"):
        raise ValueError("Anti-alias option is restricted to bilinear and bicubic modes and requires a 4-D tensor")
    if rank not in (1, 2, 3) or _RANKS.get(mode, rank) != rank or mode not in (*_RANKS, *_WITHOUT_CORNERS):
        raise NotImplementedError(f"Input Error: Only 3D, 4D and 5D input Tensors supported (got {rank + 2}D) for the "
                                  f"modes: nearest | linear | bilinear | bicubic | trilinear | area | nearest-exact "
                                  f"(got {mode})")  # fmt: skip
    if min(*counts, *input.shape[1:]) < 1:
        raise RuntimeError(f"Input and output sizes should be greater than 0, but got input {list(input.shape)} and "
                           f"output {counts}")  # fmt: skip
    if mode == "area":
        return (adaptive_avg_pool1d, adaptive_avg_pool2d, adaptive_avg_pool3d)[rank - 1](input, counts)
    if mode.startswith("nearest"):
        for axis, (count, scale) in enumerate(zip(counts, scales, strict=True), 2):
            input = index_select(input, axis, _nearest(input.shape[axis], count, scale, mode != "nearest", input))
        return input
    taps = _taps_of(mode, antialias)
    for axis, (count, scale) in enumerate(zip(counts, scales, strict=True), 2):
        input = _along(input, axis, taps(input.shape[axis], count, scale, bool(align_corners), input))
    return input


def _taps_of(mode: str, antialias: bool) -> Callable[[int, int, float | None, bool, Tensor], Taps]:
    cubic = mode == "bicubic"
    if antialias:
        return partial(_smooth_taps, radius=2 if cubic else 1)
    return _cubic_taps if cubic else _linear_taps


def upsample(
    input: Tensor,
    size: int | Sequence[int] | None = None,
    scale_factor: float | Sequence[float] | None = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
) -> Tensor:
    """`interpolate` under its former name."""
    warnings.warn("`upsample` is deprecated. Use `interpolate` instead.", stacklevel=2)
    return interpolate(input, size, scale_factor, mode, align_corners)


def upsample_nearest(
    input: Tensor, size: int | Sequence[int] | None = None, scale_factor: float | Sequence[float] | None = None
) -> Tensor:
    """`interpolate` in the mode nearest."""
    warnings.warn("`upsample_nearest` is deprecated. Use `interpolate` instead.", stacklevel=2)
    return interpolate(input, size, scale_factor, mode="nearest")


def upsample_bilinear(
    input: Tensor, size: int | Sequence[int] | None = None, scale_factor: float | Sequence[float] | None = None
) -> Tensor:
    """`interpolate` in the mode bilinear, with aligned corners."""
    warnings.warn("`upsample_bilinear` is deprecated. Use `interpolate` instead.", stacklevel=2)
    return interpolate(input, size, scale_factor, mode="bilinear", align_corners=True)
