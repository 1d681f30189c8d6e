"""Sorted elements, and places."""

from __future__ import annotations

import builtins
from typing import Any

from lazygrad.ops import public
from lazygrad.tensor import Tensor

__all__ = [
    "sort",
    "argsort",
    "searchsorted",
    "nonzero",
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
    """The places of elements that are not zero, a vector per dimension.

    Raises:
        ValueError: ``x`` has no dimensions.
    """
    if not x.ndim:
        raise ValueError("nonzero: an array without dimensions has no places")
    return tuple(public.nonzero(x, as_tuple=True))
