"""Resizing of signals, images and volumes, one dimension after the other.

Along a dimension every output element is a weighted sum of a few input elements; `interpolation_weights` says of which.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial, reduce
from math import floor as whole
from typing import Any

from lazygrad.ir.dtype import float64, uint8
from lazygrad.ir.user_warning import warn_user
from lazygrad.ops.arguments.operands import tensor_argument
from lazygrad.ops.arguments.reducing import reshaped
from lazygrad.ops.arguments.tracing import traced
from lazygrad.ops.indexing.gathering import gather
from lazygrad.ops.layers.adaptive_pooling import adaptive_avg_pool1d, adaptive_avg_pool2d, adaptive_avg_pool3d
from lazygrad.ops.layers.interpolation_weights import (
    Taps,
    cubic_kernel,
    cubic_taps,
    linear_kernel,
    linear_taps,
    nearest_places,
    smooth_taps,
)
from lazygrad.ops.layers.smooth_activations import float_argument
from lazygrad.ops.pointwise.arithmetic import add
from lazygrad.ops.pointwise.bitwise import logical_and
from lazygrad.ops.pointwise.elementary import exp2, log2
from lazygrad.ops.pointwise.relational import eq, lt, maximum, ne
from lazygrad.ops.pointwise.rounding import ceil, floor, trunc
from lazygrad.ops.pointwise.selection import clamp, where
from lazygrad.ops.reductions.extrema import amax
from lazygrad.ops.reductions.sums import sum
from lazygrad.ops.shapes.joining import stack
from lazygrad.ops.shapes.padding import bordered
from lazygrad.ops.shapes.parts import between
from lazygrad.ops.shapes.reshaping import expand, reshape, unsqueeze
from lazygrad.tensor import Tensor

_LARGEST_WEIGHT = 2**15 - 0.5  # that of interpolated bytes
_FACTORS = {False: 8, True: 4}  # up to which linear and cubic interpolation are written as sums of slices
_RANKS = {"linear": 1, "bilinear": 2, "trilinear": 3, "bicubic": 2}
_WITHOUT_CORNERS = ("nearest", "nearest-exact", "area")


def _taken(input: Tensor, axis: int, places: Tensor) -> Tensor:
    """The elements at ``places`` along one dimension, a gather that reads and writes them where they lie."""
    shape = input.shape
    target = (*shape[:axis], places.shape[0], *shape[axis + 1 :])
    return gather(input, axis, expand(reshape(places, (-1, *(1,) * (input.ndim - axis - 1))), target))


def _along(input: Tensor, axis: int, taps: Taps) -> Tensor:
    """The weighted sums along one dimension."""
    return reduce(add, [_weighted(input, axis, places, weights) for places, weights in taps])


def _weighted(input: Tensor, axis: int, places: Tensor, weights: Tensor) -> Tensor:
    """The elements at places (out,) times their weights, or the sum of those at places (out, elements)."""
    weights = reshape(weights, (*weights.shape, *(1,) * (input.ndim - axis - 1))).to(input.dtype)
    if places.ndim == 1:
        return _taken(input, axis, places) * weights
    read = _taken(input, axis, reshape(places, -1))
    read = reshape(read, (*input.shape[:axis], *places.shape, *input.shape[axis + 1 :]))
    return sum(read * weights, axis + 1)


def _merged(taps: Taps) -> Taps:
    """The taps with one weight for each element: at an edge, where several read the same, the first has them all."""
    merged = []
    for number, (places, _) in enumerate(taps):
        weight = reduce(add, [where(eq(others, places), weights, 0.0) for others, weights in taps[number:]])
        is_first = [ne(others, places) for others, _ in taps[:number]]
        merged.append((places, where(reduce(logical_and, is_first), weight, 0.0) if is_first else weight))
    return merged


def _along_bytes(input: Tensor, axis: int, taps: Taps) -> Tensor:
    """The same for uint8, as PyTorch has it: weights of 16 bits, and sums rounded to bytes after every dimension."""
    taps = _merged(taps)
    bits = ceil(log2(_LARGEST_WEIGHT / reduce(maximum, [amax(weights) for _, weights in taps]))) - 1
    scale = exp2(bits)
    halves = [where(lt(weights, 0), -0.5, 0.5) for _, weights in taps]
    whole_taps = [(places, trunc(weights * scale + half))
                  for (places, weights), half in zip(taps, halves, strict=True)]  # fmt: skip
    sums = _along(input.to(float64), axis, whole_taps) / scale
    return clamp(floor(sums + 0.5), 0, 255).to(uint8)


# To a multiple of the size, without aligned corners, every element becomes the same sums of its neighbours. These are
# slices of the input: nothing is gathered, and no gradient is scattered.


def _factor(size: int, count: int, scale: float | None, at_most: int) -> int | None:
    """By what whole number a dimension grows, where it does."""
    factor = count // size
    grows_evenly = count == size * factor and 1 < factor <= at_most
    return factor if grows_evenly and (scale is None or scale == factor) else None


def _repeated(input: Tensor, axis: int, factor: int) -> Tensor:
    shape = input.shape
    copies = expand(unsqueeze(input, axis + 1), (*shape[: axis + 1], factor, *shape[axis + 1 :]))
    return reshape(copies, (*shape[:axis], shape[axis] * factor, *shape[axis + 1 :]))


def _multiplied(input: Tensor, axis: int, factor: int, kernel: Callable[[float], list[float]]) -> Tensor:
    """The dimension ``factor`` times as long; ``kernel`` gives the weights for how far behind an element one lies."""
    shape, size = input.shape, input.shape[axis]
    radius = len(kernel(0.0)) // 2
    source = bordered(input, axis, radius, radius, "replicate")
    phases = []
    for phase in range(factor):
        center = (phase + 0.5) / factor - 0.5
        below = whole(center)
        first = below + 1  # of the elements read, counted from the border's first
        parts = [
            between(source, axis, first + tap, first + tap + size) * weight
            for tap, weight in enumerate(kernel(center - below))
            if weight
        ]
        phases.append(reduce(add, parts))
    joined = stack(phases, axis + 1).node()
    return Tensor.from_node(reshaped(joined, (*shape[:axis], size * factor, *shape[axis + 1 :])))


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


@traced
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
        NotImplementedError: integers for the linear and cubic modes; bilinear and bicubic take uint8.
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
    if mode in _RANKS and not (input.dtype is uint8 and rank == 2):
        float_argument(input, f"interpolate with mode {mode!r}")
    if mode == "area":
        return (adaptive_avg_pool1d, adaptive_avg_pool2d, adaptive_avg_pool3d)[rank - 1](input, counts)
    grow = _nearest_along if mode.startswith("nearest") else _interpolated_along
    for axis in _order(input):
        count, scale = counts[axis - 2], scales[axis - 2]
        input = grow(input, axis, count, scale, mode, bool(align_corners), antialias)
    return input


def _order(input: Tensor) -> list[int]:
    """The spatial axes. Bytes are rounded after each, so their order is PyTorch's: the last one first."""
    axes = list(range(2, input.ndim))
    return axes[::-1] if input.dtype is uint8 else axes


def _nearest_along(
    input: Tensor, axis: int, count: int, scale: float | None, mode: str, align_corners: bool, antialias: bool
) -> Tensor:
    size = input.shape[axis]
    factor = _factor(size, count, scale, count)
    if factor is not None:
        return _repeated(input, axis, factor)
    return _taken(input, axis, nearest_places(size, count, scale, mode != "nearest", input))


def _interpolated_along(
    input: Tensor, axis: int, count: int, scale: float | None, mode: str, align_corners: bool, antialias: bool
) -> Tensor:
    size, cubic = input.shape[axis], mode == "bicubic"
    taps = _taps_of(mode, antialias)
    if input.dtype is uint8:
        return _along_bytes(input, axis, taps(size, count, scale, align_corners, input.to(float64)))
    factor = None if align_corners or antialias else _factor(size, count, scale, _FACTORS[cubic])
    if factor is not None:
        return _multiplied(input, axis, factor, cubic_kernel if cubic else linear_kernel)
    return _along(input, axis, taps(size, count, scale, align_corners, input))


def _taps_of(mode: str, antialias: bool) -> Callable[[int, int, float | None, bool, Tensor], Taps]:
    cubic = mode == "bicubic"
    if antialias:
        return partial(smooth_taps, radius=2 if cubic else 1)
    return cubic_taps if cubic else linear_taps


def upsample(
    input: Tensor,
    size: int | Sequence[int] | None = None,
    scale_factor: float | Sequence[float] | None = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
) -> Tensor:
    """`interpolate` under its former name."""
    warn_user("`nn.functional.upsample` is deprecated. Use `nn.functional.interpolate` instead.")
    return interpolate(input, size, scale_factor, mode, align_corners)


def upsample_nearest(
    input: Tensor, size: int | Sequence[int] | None = None, scale_factor: float | Sequence[float] | None = None
) -> Tensor:
    """`interpolate` in the mode nearest."""
    warn_user("`nn.functional.upsample_nearest` is deprecated. Use `nn.functional.interpolate` instead.")
    return interpolate(input, size, scale_factor, mode="nearest")


def upsample_bilinear(
    input: Tensor, size: int | Sequence[int] | None = None, scale_factor: float | Sequence[float] | None = None
) -> Tensor:
    """`interpolate` in the mode bilinear, with aligned corners."""
    warn_user("`nn.functional.upsample_bilinear` is deprecated. Use `nn.functional.interpolate` instead.")
    return interpolate(input, size, scale_factor, mode="bilinear", align_corners=True)
