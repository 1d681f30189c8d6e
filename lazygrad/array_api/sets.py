"""Distinct elements, and membership."""

from __future__ import annotations

import builtins
from math import prod
from typing import Any, NamedTuple

from lazygrad.array_api.operands import promoted
from lazygrad.ir.dtype import int64
from lazygrad.ops import public
from lazygrad.tensor import Tensor

__all__ = [
    "isin",
    "unique_all",
    "unique_counts",
    "unique_inverse",
    "unique_values",
]


def isin(x1: Any, x2: Any, /, *, invert: builtins.bool = False) -> Tensor:
    """Whether each element of ``x1`` is among those of ``x2``; the opposite with ``invert``."""
    found: Tensor = public.isin(*promoted("isin", x1, x2), invert=invert)
    return found


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


def _distinct(x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Distinct elements, which of them each element is, and how often they occur.

    PyTorch leaves complex numbers out, as they have no order. As pairs they have one; the standard asks for none.
    """
    if not x.dtype.is_complex:
        values, inverse, counts = public.unique(x, return_inverse=True, return_counts=True)
    else:
        pairs = public.view_as_real(public.reshape(x, (-1,)))
        found, inverse, counts = public.unique(pairs, return_inverse=True, return_counts=True, dim=0)
        values = public.view_as_complex(found)
    return values, public.reshape(inverse, tuple(x.shape)), counts


def unique_all(x: Tensor, /) -> UniqueAll:
    """Distinct elements, where each occurs first, which of them each element is, and how often they occur."""
    values, inverse, counts = _distinct(x)
    size = prod(x.shape)
    place = public.arange(size, device=x.device)
    first = public.full(tuple(values.shape), size, dtype=int64, device=x.device)
    first = public.scatter_reduce(first, 0, inverse.reshape(-1), place, "amin")
    return UniqueAll(values, first, inverse, counts)


def unique_counts(x: Tensor, /) -> UniqueCounts:
    """Distinct elements, and how often they occur."""
    values, _, counts = _distinct(x)
    return UniqueCounts(values, counts)


def unique_inverse(x: Tensor, /) -> UniqueInverse:
    """Distinct elements, and which of them each element is."""
    values, inverse, _ = _distinct(x)
    return UniqueInverse(values, inverse)


def unique_values(x: Tensor, /) -> Tensor:
    """Distinct elements."""
    return _distinct(x)[0]
