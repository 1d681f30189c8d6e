"""Data movements that need a copy: joining, strided views of flat memory, counting."""

from __future__ import annotations

from typing import SupportsInt

import numpy as np

from lazygrad.host.calls._copies import start_from
from lazygrad.host.calls._precision import store
from lazygrad.host.strides import strided

Extent = tuple[int, ...]


def concat(out: np.ndarray, *parts: np.ndarray, axis: int) -> None:
    """``parts`` one after another along ``axis``."""
    np.concatenate(parts, axis=axis, out=out)


def roll(out: np.ndarray, x: np.ndarray, distance: SupportsInt, *, axis: int, backward: bool) -> None:
    """``x`` moved along ``axis`` by ``distance``, towards the front if ``backward``; the ends are joined."""
    size = x.shape[axis]
    if size:
        cut = (int(distance) if backward else -int(distance)) % size
        moved, source = out.swapaxes(0, axis), x.swapaxes(0, axis)
        np.copyto(moved[: size - cut], source[cut:])
        np.copyto(moved[size - cut :], source[:cut])


def update_view(
    out: np.ndarray,
    base: np.ndarray,
    values: np.ndarray,
    shift: SupportsInt = 0,
    *,
    shape: Extent,
    strides: Extent,
    offset: int,
) -> None:
    """``base`` with the elements of a strided view of it replaced by ``values``.

    Args:
        out: the result, like ``base``; may be ``base`` itself.
        base: what the view looks into, as if it were row-major.
        values: ``shape``.
        shift: added to the offset.
        shape, strides, offset: the view; strides and offset count elements.
    """
    start_from(out, base)
    np.copyto(_strided(out, shape, strides, offset + int(shift)), values)


def read_view(
    out: np.ndarray, base: np.ndarray, shift: SupportsInt = 0, *, shape: Extent, strides: Extent, offset: int
) -> None:
    """The elements of a strided view of ``base``, as in `update_view`."""
    np.copyto(out, _strided(np.ascontiguousarray(base), shape, strides, offset + int(shift)))


def _strided(memory: np.ndarray, shape: Extent, strides: Extent, offset: int) -> np.ndarray:
    item = memory.itemsize
    return strided(memory, shape, tuple([stride * item for stride in strides]), offset * item)


def iota(out: np.ndarray, *, length: int, dtype: str) -> None:
    """0, 1, …, length-1 in ``out``'s dtype, which is the one called ``dtype``."""
    store(out, np.arange(length))


def reinterpret(out: np.ndarray, x: np.ndarray, *, dtype: str) -> None:
    """The bytes of ``x`` as ``dtype``, which is that of ``out``; ``out`` has as many bytes."""
    if out.size:
        np.copyto(out.reshape(-1).view(np.uint8), np.ascontiguousarray(x).reshape(-1).view(np.uint8))
