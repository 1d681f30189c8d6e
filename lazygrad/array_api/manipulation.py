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
    "concat",
    "stack",
    "unstack",
    "expand_dims",
    "squeeze",
    "permute_dims",
    "matrix_transpose",
    "reshape",
    "flip",
    "roll",
    "repeat",
    "take",
    "take_along_axis",
]


def broadcast_arrays(*arrays: Tensor) -> tuple[Tensor, ...]:
    """Views of the arrays, all of one shape."""
    return public.broadcast_tensors(*arrays)


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


def expand_dims(x: Tensor, /, *, axis: int = 0) -> Tensor:
    """With a new dimension of size 1."""
    return public.unsqueeze(x, axis)


def squeeze(x: Tensor, /, axis: int | tuple[int, ...]) -> Tensor:
    """Without dimensions of size 1. ValueError: one of another size."""
    axes = (axis,) if isinstance(axis, int) else axis
    if builtins.any(x.shape[one] != 1 for one in axes):
        raise ValueError(f"squeeze: a dimension among {axes} of shape {tuple(x.shape)} is not of size 1")
    return public.squeeze(x, axes)


def permute_dims(x: Tensor, /, axes: tuple[int, ...]) -> Tensor:
    """Dimensions in another order."""
    return public.permute(x, axes)


def matrix_transpose(x: Any, /) -> Tensor:
    """The last two dimensions swapped."""
    return public.transpose(x, -2, -1)


def reshape(x: Any, /, shape: tuple[int, ...], *, copy: builtins.bool | None = None) -> Tensor:
    """Another shape; a copy if asked for."""
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


def take(x: Any, indices: Tensor, /, *, axis: int | None = None) -> Tensor:
    """The slices that ``indices`` names."""
    along = 0 if axis is None else axis
    return public.index_select(x, along, public.where(indices < 0, indices + x.shape[along], indices))


def take_along_axis(x: Tensor, indices: Tensor, /, *, axis: int = -1) -> Tensor:
    """Of each line along ``axis`` the elements that ``indices`` names there."""
    return public.take_along_dim(x, indices, axis)
