"""Other shapes, orders and selections of the same elements."""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from typing import Any

from lazygrad.array_api.axes import Axes, axes_of
from lazygrad.array_api.dtypes import result_type
from lazygrad.ops import public
from lazygrad.tensor import Tensor

__all__ = [
    "broadcast_arrays",
    "broadcast_shapes",
    "broadcast_to",
    "concat",
    "stack",
    "unstack",
    "expand_dims",
    "squeeze",
    "permute_dims",
    "moveaxis",
    "reshape",
    "flip",
    "roll",
    "repeat",
    "tile",
    "diff",
    "take",
    "take_along_axis",
]


def broadcast_arrays(*arrays: Tensor) -> tuple[Tensor, ...]:
    """Views of the arrays, all of one shape."""
    return public.broadcast_tensors(*arrays)


def broadcast_shapes(*shapes: tuple[int, ...]) -> tuple[int, ...]:
    """The shape that arrays of these shapes broadcast to.

    Raises:
        ValueError: they do not broadcast.
    """
    try:
        return tuple(public.broadcast_shapes(*shapes))
    except RuntimeError as error:
        raise ValueError(f"broadcast_shapes: {error}") from error


def broadcast_to(x: Tensor, /, shape: tuple[int, ...]) -> Tensor:
    """A view of ``x`` with another shape, repeating what has size 1."""
    return public.broadcast_to(x, shape)


def concat(arrays: Sequence[Tensor], /, *, axis: int | None = 0) -> Tensor:
    """Joined along one dimension; flattened first for None."""
    parts = [array.reshape(-1) for array in arrays] if axis is None else list(arrays)
    dtype = result_type(*parts)
    return public.cat([part.to(dtype) for part in parts], 0 if axis is None else axis)


def stack(arrays: Sequence[Tensor], /, *, axis: int = 0) -> Tensor:
    """Joined along a new dimension."""
    return public.stack(list(arrays), axis)


def unstack(x: Tensor, /, *, axis: int = 0) -> tuple[Tensor, ...]:
    """The pieces along one dimension."""
    return tuple(public.unbind(x, axis))


def expand_dims(x: Tensor, /, axis: int | tuple[int, ...]) -> Tensor:
    """With new dimensions of size 1, at the positions ``axis`` of the result.

    Raises:
        IndexError: a position outside of the result.
        ValueError: a position named twice.
    """
    axes = (axis,) if isinstance(axis, int) else tuple(axis)
    rank = x.ndim + len(axes)
    if any(not -rank <= one < rank for one in axes):
        raise IndexError(f"expand_dims: positions {axes} must lie between {-rank} and {rank - 1}")
    places = {one % rank for one in axes}
    if len(places) < len(axes):
        raise ValueError(f"expand_dims: positions {axes} name one twice")
    sizes = iter(x.shape)
    return public.reshape(x, [1 if place in places else next(sizes) for place in range(rank)])


def squeeze(x: Tensor, /, axis: int | tuple[int, ...]) -> Tensor:
    """Without dimensions of size 1. ValueError: one of another size."""
    axes = (axis,) if isinstance(axis, int) else axis
    if any(x.shape[one] != 1 for one in axes):
        raise ValueError(f"squeeze: a dimension among {axes} of shape {tuple(x.shape)} is not of size 1")
    return public.squeeze(x, axes)


def permute_dims(x: Tensor, /, axes: tuple[int, ...]) -> Tensor:
    """Dimensions in another order."""
    return public.permute(x, axes)


def moveaxis(x: Tensor, source: Any, destination: Any, /) -> Tensor:
    """Some dimensions at other positions, the others in their order."""
    return public.movedim(x, source, destination)


def reshape(x: Tensor, /, shape: tuple[int, ...], *, copy: builtins.bool | None = None) -> Tensor:
    """Another shape; a copy if asked for.

    Raises:
        ValueError: ``copy`` is False, and the elements have to be copied.
    """
    if copy is False:
        try:
            view: Tensor = x.view(shape)
        except RuntimeError as error:
            raise ValueError(f"reshape: {error}") from error
        return view
    return public.reshape(public.clone(x) if copy else x, shape)


def flip(x: Tensor, /, *, axis: Axes = None) -> Tensor:
    """Dimensions in reverse; all for None."""
    return public.flip(x, axes_of(x, axis))


def roll(x: Tensor, /, shift: Any, *, axis: Any = None) -> Tensor:
    """Elements moved along dimensions, those beyond the end to the beginning."""
    return public.roll(x, shift) if axis is None else public.roll(x, shift, axis)


def repeat(x: Any, repeats: Any, /, *, axis: int | None = None) -> Tensor:
    """Each element several times."""
    return public.repeat_interleave(x, repeats, axis)


def tile(x: Tensor, repetitions: tuple[int, ...], /) -> Tensor:
    """Copies of the whole array along dimensions."""
    return public.tile(x, repetitions)


def diff(
    x: Tensor, /, *, axis: int = -1, n: int = 1, prepend: Tensor | None = None, append: Tensor | None = None
) -> Tensor:
    """Differences of neighbours along ``axis``, taken ``n`` times."""
    return public.diff(x, n, axis, prepend, append)


def take(x: Any, indices: Tensor, /, *, axis: int | None = None) -> Tensor:
    """The slices that ``indices`` names."""
    along = 0 if axis is None else axis
    return public.index_select(x, along, public.where(indices < 0, indices + x.shape[along], indices))


def take_along_axis(x: Tensor, indices: Tensor, /, *, axis: int = -1) -> Tensor:
    """Of each line along ``axis`` the elements that ``indices`` names there."""
    return public.take_along_dim(x, indices, axis)
