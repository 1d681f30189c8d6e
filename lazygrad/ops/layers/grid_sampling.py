"""Reading images and volumes at arbitrary places, and the grids of places that affine maps give.

Coordinates run from -1 to 1 over the image, x (the last dimension) first. Source: Jaderberg et al., "Spatial
Transformer Networks", 2015.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from math import prod
from typing import NamedTuple

from lazygrad.ir.dtype import int32, int64
from lazygrad.ir.primitives.movement import slice_
from lazygrad.ir.user_warning import warn_user
from lazygrad.ops.arguments.operands import tensor_argument
from lazygrad.ops.arguments.precision import single_precision_on_cpu
from lazygrad.ops.arguments.reducing import reshaped
from lazygrad.ops.arguments.tracing import traced
from lazygrad.ops.creation.like import ones_like
from lazygrad.ops.creation.ranges import arange
from lazygrad.ops.indexing.addressing import take_node
from lazygrad.ops.indexing.gathering import gather
from lazygrad.ops.layers.interpolation_weights import cubic_weight
from lazygrad.ops.linalg.products import bmm
from lazygrad.ops.pointwise.arithmetic import abs
from lazygrad.ops.pointwise.division import remainder
from lazygrad.ops.pointwise.relational import ge, gt, lt
from lazygrad.ops.pointwise.rounding import floor, round
from lazygrad.ops.pointwise.selection import clamp, where
from lazygrad.ops.shapes.joining import stack
from lazygrad.ops.shapes.layout import contiguous
from lazygrad.ops.shapes.permuting import transpose
from lazygrad.ops.shapes.reshaping import broadcast_tensors, expand, reshape, unsqueeze
from lazygrad.size import as_shape
from lazygrad.tensor import Tensor
from lazygrad.tensor_base import record_node

__all__ = ["affine_grid_generator", "grid_sampler", "grid_sampler_2d", "grid_sampler_3d"]

_MODES = ("bilinear", "nearest", "bicubic")
_PADDINGS = ("zeros", "border", "reflection")
_MANY_CHANNELS = 16  # from which on a copy with the channels of each element side by side is read faster


# Reading.


def _unnormalized(coordinate: Tensor, size: int, align_corners: bool) -> Tensor:
    """From [-1, 1] to element numbers."""
    if align_corners:
        return (coordinate + 1) / 2 * (size - 1)
    return ((coordinate + 1) * size - 1) / 2


def _reflected(place: Tensor, size: int, align_corners: bool) -> Tensor:
    """``place`` thrown back at the borders until it lies inside."""
    low, span = (0.0, float(size - 1)) if align_corners else (-0.5, float(size))
    if span == 0:
        return place * 0
    around = remainder(abs(place - low), 2 * span)
    inside = where(gt(around, span), 2 * span - around, around) + low
    return clamp(inside, 0, size - 1)


def _column(grid: Tensor, axis: int, shape: tuple[int, int]) -> Tensor:
    """One coordinate of all points, as a node: what a view of computed elements records is no part of a trace."""
    sizes = tuple(grid.shape[:-1])
    ranges = ((0,) * len(sizes) + (axis,), (*sizes, axis + 1), (1,) * (len(sizes) + 1))
    return Tensor.from_node(reshaped(record_node(slice_, (grid.node(),), ranges), shape))


def _padded(place: Tensor, size: int, padding: str, align_corners: bool) -> Tensor:
    if padding == "border":
        return clamp(place, 0, size - 1)
    return _reflected(place, size, align_corners) if padding == "reflection" else place


class _Place(NamedTuple):
    """Whole places along one dimension, (N, points): which element, 0 for those outside, and whether it is inside."""

    number: Tensor
    is_inside: Tensor


def _whole(place: Tensor, size: int, elements: int) -> _Place:
    # Vectors of 64-bit integers are neither made of floats nor multiplied on most processors.
    dtype = int32 if elements < 1 << 31 else int64
    is_inside = ge(place, 0) & lt(place, size)
    return _Place(where(is_inside, place, 0).to(dtype), is_inside)


class _Image(NamedTuple):
    """What is read: (N, C, elements), or (N, elements, C) where the channels of an element are read together."""

    values: Tensor
    channel_axis: int

    def at(self, flat: Tensor) -> Tensor:
        """The elements of these numbers, (N, points), beside or below each other as those of the image."""
        batch, points = flat.shape
        if self.channel_axis == 1:
            return gather(self.values, 2, expand(unsqueeze(flat, 1), (batch, self.values.shape[1], points)))
        first = reshape(arange(batch, device=flat.device), (batch, 1))
        return Tensor.from_node(
            take_node(self.values.node(), [(0, expand(first, flat.shape).node()), (1, flat.node())])
        )


def _image(input: Tensor, batch: int, channels: int, elements: int) -> _Image:
    planes = reshape(input, (batch, channels, elements))
    return _Image(planes, 1) if channels < _MANY_CHANNELS else _Image(contiguous(transpose(planes, 1, 2)), 2)


def _elements(image: _Image, extent: Sequence[int], places: Sequence[_Place]) -> Tensor:
    """The elements of an image at whole places, one for each dimension; 0 outside."""
    flat, is_inside = places[0]
    for size, place in zip(extent[1:], places[1:], strict=True):
        flat = flat * size + place.number
        is_inside = is_inside & place.is_inside
    return where(unsqueeze(is_inside, image.channel_axis), image.at(flat.to(int64)), 0.0)


class _Share(NamedTuple):
    """One of the places along a dimension between which a point lies, and its weight."""

    place: _Place
    weight: Tensor


def _weighted(image: _Image, extent: Sequence[int], shares: Sequence[Sequence[_Share]]) -> Tensor:
    """The sum over all combinations of one share for each dimension."""
    total = None
    for corner in product(*shares):
        weight = corner[0].weight
        for share in corner[1:]:
            weight = weight * share.weight
        part = _elements(image, extent, [share.place for share in corner]) * unsqueeze(weight, image.channel_axis)
        total = part if total is None else total + part
    assert total is not None
    return total


def _linear(place: Tensor, size: int, elements: int) -> list[_Share]:
    below = floor(place).detach()
    above = below + 1
    return [
        _Share(_whole(below, size, elements), above - place),
        _Share(_whole(above, size, elements), place - below),
    ]


def _cubic(place: Tensor, size: int, elements: int, padding: str, align_corners: bool) -> list[_Share]:
    below = floor(place).detach()
    shares = []
    for offset in range(-1, 3):
        read = _padded(below + offset, size, padding, align_corners)
        shares.append(_Share(_whole(read, size, elements), cubic_weight(place - below - offset, -0.75)))
    return shares


@single_precision_on_cpu
def grid_sample(
    input: Tensor,
    grid: Tensor,
    mode: str = "bilinear",
    padding_mode: str = "zeros",
    align_corners: bool | None = None,
) -> Tensor:
    """The input read at the places of a grid, between pixels by interpolation.

    Args:
        input: (N, C, H, W) or (N, C, D, H, W), floating.
        grid: (N, H_out, W_out, 2) or (N, D_out, H_out, W_out, 3), in the input's dtype.
        mode: bilinear (trilinear of volumes), nearest, or bicubic (images only).
        padding_mode: what lies outside: zeros, the border element, or the reflection at the border.
        align_corners: whether ±1 is the center of the corner pixels rather than their outer corner; False for None.

    Returns:
        (N, C, H_out, W_out) or (N, C, D_out, H_out, W_out).

    Raises:
        ValueError: an unknown mode or padding.
        RuntimeError: shapes or dtypes that do not fit; bicubic of a volume.
    """
    if mode not in _MODES:
        raise ValueError(f"nn.functional.grid_sample(): expected mode to be 'bilinear', 'nearest' or 'bicubic', but "
                         f"got: '{mode}'")  # fmt: skip
    if padding_mode not in _PADDINGS:
        raise ValueError(f"nn.functional.grid_sample(): expected padding_mode to be 'zeros', 'border', or 'reflection',"
                         f" but got: '{padding_mode}'")  # fmt: skip
    if align_corners is None:
        warn_user("Default grid_sample and affine_grid behavior is align_corners=False; say which you mean")
    return _sampled(input, grid, mode, padding_mode, bool(align_corners))


@traced
def _sampled(input: Tensor, grid: Tensor, mode: str, padding: str, align_corners: bool) -> Tensor:
    shape, points = tensor_argument(input, "grid_sampler").shape, tensor_argument(grid, "grid_sampler", "grid").shape
    rank = len(shape) - 2
    if rank not in (2, 3) or len(points) != len(shape):
        raise RuntimeError(f"grid_sampler(): expected 4D or 5D input and grid with same number of dimensions, but got "
                           f"input with sizes {list(shape)} and grid with sizes {list(points)}")  # fmt: skip
    if shape[0] != points[0] or points[-1] != rank:
        raise RuntimeError(f"grid_sampler(): expected grid to have size {rank} in last dimension and the input's batch "
                           f"size, but got input with sizes {list(shape)} and grid with sizes "
                           f"{list(points)}")  # fmt: skip
    if input.dtype is not grid.dtype:
        raise RuntimeError(f"grid_sampler(): expected input and grid to have same dtype, but input has {input.dtype} "
                           f"and grid has {grid.dtype}")  # fmt: skip
    if min(shape[2:]) < 1:
        raise RuntimeError(f"grid_sampler(): expected input to have non-empty spatial dimensions, but input has sizes "
                           f"{list(shape)}")  # fmt: skip
    if mode == "bicubic" and rank != 2:
        raise RuntimeError("grid_sampler(): bicubic interpolation only supports 4D input")
    extent, count = tuple(shape[2:]), prod(points[1:-1])
    elements = prod(extent)
    image = _image(input, shape[0], shape[1], elements)
    axes = range(rank - 1, -1, -1)  # x, the last dimension, comes first
    places = [_column(grid, axis, (points[0], count)) for axis in axes]
    places = [_unnormalized(place, size, align_corners) for place, size in zip(places, extent, strict=True)]
    if mode == "bicubic":
        shares = [
            _cubic(place, size, elements, padding, align_corners) for place, size in zip(places, extent, strict=True)
        ]
        result = _weighted(image, extent, shares)
    else:
        places = [_padded(place, size, padding, align_corners) for place, size in zip(places, extent, strict=True)]
        if mode == "nearest":
            nearest = [round(place).detach() for place in places]
            whole = [_whole(place, size, elements) for place, size in zip(nearest, extent, strict=True)]
            result = _elements(image, extent, whole)
        else:
            shares = [_linear(place, size, elements) for place, size in zip(places, extent, strict=True)]
            result = _weighted(image, extent, shares)
    result = result if image.channel_axis == 1 else contiguous(transpose(result, 1, 2))
    return Tensor.from_node(reshaped(result.node(), (shape[0], shape[1], *points[1:-1])))


def grid_sampler(
    input: Tensor, grid: Tensor, interpolation_mode: int, padding_mode: int, align_corners: bool
) -> Tensor:
    """`nn.functional.grid_sample`: modes 0 bilinear, 1 nearest, 2 bicubic; paddings 0 zeros, 1 border, 2 reflection."""
    return _sampled(input, grid, _MODES[interpolation_mode], _PADDINGS[padding_mode], align_corners)


def grid_sampler_2d(
    input: Tensor, grid: Tensor, interpolation_mode: int, padding_mode: int, align_corners: bool
) -> Tensor:
    """`grid_sampler` of images."""
    return grid_sampler(input, grid, interpolation_mode, padding_mode, align_corners)


def grid_sampler_3d(
    input: Tensor, grid: Tensor, interpolation_mode: int, padding_mode: int, align_corners: bool
) -> Tensor:
    """`grid_sampler` of volumes."""
    return grid_sampler(input, grid, interpolation_mode, padding_mode, align_corners)


# Grids.


def _coordinates(size: int, align_corners: bool, like: Tensor) -> Tensor:
    """The normalized coordinates of the elements along one dimension."""
    numbers = arange(size, dtype=like.dtype, device=like.device)
    if align_corners:
        return numbers * (2 / (size - 1)) - 1 if size > 1 else numbers
    return (numbers * 2 + 1) / size - 1


def affine_grid(theta: Tensor, size: Sequence[int], align_corners: bool | None = None) -> Tensor:
    """The grid of places at which `grid_sample` reads an image moved by an affine map.

    Args:
        theta: (N, 2, 3) for images or (N, 3, 4) for volumes, floating.
        size: of the output, (N, C, H, W) or (N, C, D, H, W).
        align_corners: as for `grid_sample`.

    Returns:
        (N, H, W, 2) or (N, D, H, W, 3).

    Raises:
        ValueError: not floats, or a shape that does not go with ``size``.
        NotImplementedError: another number of dimensions.
    """
    if align_corners is None:
        warn_user("Default grid_sample and affine_grid behavior is align_corners=False; say which you mean")
    sizes = as_shape((size,))
    if not tensor_argument(theta, "affine_grid", "theta").dtype.is_floating_point:
        raise ValueError(f"Expected theta to have floating point type, but got {theta.dtype}")
    rank = len(sizes) - 2
    if rank not in (2, 3):
        raise NotImplementedError(f"affine_grid only supports 4D and 5D sizes, for 2D and 3D affine transforms, "
                                  f"respectively. Got size {sizes}.")  # fmt: skip
    if tuple(theta.shape[1:]) != (rank, rank + 1) or theta.ndim != 3:
        raise ValueError(f"Expected a batch of {rank}D affine matrices of shape Nx{rank}x{rank + 1} for size {sizes}. "
                         f"Got {tuple(theta.shape)}.")  # fmt: skip
    if min(sizes) <= 0:
        raise ValueError(f"Expected non-zero, positive output size. Got {sizes}")
    return affine_grid_generator(theta, sizes, bool(align_corners))


def affine_grid_generator(theta: Tensor, size: Sequence[int], align_corners: bool) -> Tensor:
    """`nn.functional.affine_grid` without its checks."""
    extent = tuple(size[2:])
    rank = len(extent)
    axes = []
    for axis in range(rank - 1, -1, -1):
        along = tuple([-1 if a == axis else 1 for a in range(rank)])
        axes.append(reshape(_coordinates(extent[axis], align_corners, theta), along))
    coordinates = list(broadcast_tensors(*axes))
    homogeneous = stack([*coordinates, ones_like(coordinates[0])], -1)
    rows = expand(reshape(homogeneous, (1, prod(extent), rank + 1)), (size[0], prod(extent), rank + 1))
    return reshape(bmm(rows, theta.transpose(1, 2)), (size[0], *extent, rank))
