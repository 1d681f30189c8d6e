"""Sorted elements, distinct elements, and places."""

from __future__ import annotations

import builtins
from math import prod
from typing import Any, NamedTuple

from lazygrad.ir.dtype import int64
from lazygrad.ops import public
from lazygrad.tensor import Tensor

__all__ = [
    "sort",
    "argsort",
    "searchsorted",
    "nonzero",
    "UniqueAll",
    "UniqueCounts",
    "UniqueInverse",
    "unique_all",
    "unique_counts",
    "unique_inverse",
    "unique_values",
]


def sort(x: Tensor, /, *, axis: int = -1, descending: builtins.bool = False, stable: builtins.bool = True) -> Tensor:
    """Elements in order."""
    found: Tensor = public.sort(x, dim=axis, descending=descending, stable=stable)[0]
    return found


def argsort(x: Tensor, /, *, axis: int = -1, descending: builtins.bool = False, stable: builtins.bool = True) -> Tensor:
    """Places of the elements in order."""
    return public.argsort(x, dim=axis, descending=descending, stable=stable)


def searchsorted(x1: Tensor, x2: Tensor, /, *, side: Any = "left", sorter: Tensor | None = None) -> Tensor:
    """Where elements would have to be inserted."""
    return public.searchsorted(x1, x2, side=side, sorter=sorter)


def nonzero(x: Tensor, /) -> tuple[Tensor, ...]:
    """The places of elements that are not zero, a vector per dimension."""
    return tuple(public.nonzero(x, as_tuple=True))


class UniqueAll(NamedTuple):
    """What `unique_all` returns."""

    values: Tensor
    indices: Tensor
    inverse_indices: Tensor
    counts: Tensor


class UniqueCounts(NamedTuple):
    """What `unique_counts` returns."""

    values: Tensor
    counts: Tensor


class UniqueInverse(NamedTuple):
    """What `unique_inverse` returns."""

    values: Tensor
    inverse_indices: Tensor


def unique_all(x: Any, /) -> UniqueAll:
    """Distinct elements, where each occurs first, which of them each element is, and how often they occur."""
    values, inverse, counts = public.unique(x, return_inverse=True, return_counts=True)
    size = prod(x.shape)
    place = public.arange(size, device=x.device)
    first = public.full(tuple(values.shape), size, dtype=int64, device=x.device)
    first = public.scatter_reduce(first, 0, inverse.reshape(-1), place, "amin")
    return UniqueAll(values, first, inverse, counts)


def unique_counts(x: Tensor, /) -> UniqueCounts:
    """Distinct elements, and how often they occur."""
    return UniqueCounts(*public.unique(x, return_counts=True))


def unique_inverse(x: Tensor, /) -> UniqueInverse:
    """Distinct elements, and which of them each element is."""
    return UniqueInverse(*public.unique(x, return_inverse=True))


def unique_values(x: Tensor, /) -> Tensor:
    """Distinct elements."""
    found: Tensor = public.unique(x)
    return found
