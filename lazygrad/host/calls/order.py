"""Sorting and the positions of extremes."""

from __future__ import annotations

import numpy as np

from lazygrad.host.calls._precision import is_half, working_dtype

_LOW_WORD = 0xFFFFFFFF
_FEW = 1 << 8  # elements; up to here numpy's stable sort takes less time than to make words of them


def argmax(out: np.ndarray, x: np.ndarray, *, axis: int) -> None:
    """Index of the first maximum along ``axis``, which ``out`` keeps with size 1; NaN is the maximum."""
    _as_numbers(x).argmax(axis, out, keepdims=True)


def argmin(out: np.ndarray, x: np.ndarray, *, axis: int) -> None:
    """Index of the first minimum along ``axis``, which ``out`` keeps with size 1; NaN is the minimum."""
    _as_numbers(x).argmin(axis, out, keepdims=True)


def _as_numbers(x: np.ndarray) -> np.ndarray:
    return x.astype(np.float32) if is_half(x.dtype) else x


def argsort(out: np.ndarray, x: np.ndarray, *, axis: int, descending: bool) -> None:
    """Indices that sort ``x`` along ``axis``; equal elements keep their order, NaN is larger than any number."""
    if x.ndim == 0:
        out.fill(0)
        return
    rows, target = (x, out) if axis == x.ndim - 1 else (np.moveaxis(x, axis, -1), np.moveaxis(out, axis, -1))
    if x.dtype.itemsize <= 4 and x.shape[axis] <= _LOW_WORD and (x.size > _FEW or is_half(x.dtype)):
        np.copyto(target, _argsort_packed(rows, descending))
    elif descending:
        # Sorting the reversed rows and reversing the result keeps equal elements in order.
        np.subtract(x.shape[axis] - 1, np.argsort(rows[..., ::-1], axis=-1, kind="stable")[..., ::-1], out=target)
    else:
        np.copyto(target, np.argsort(rows, axis=-1, kind="stable"))


def _argsort_packed(rows: np.ndarray, descending: bool) -> np.ndarray:
    """Sort along the last axis by the 64-bit words (key, index): all differ, so the fastest sort is stable too."""
    keys = _integer_keys(rows)
    words = np.invert(keys) if descending else keys
    words <<= 32
    words |= np.arange(rows.shape[-1])
    words.sort(axis=-1)
    words &= _LOW_WORD
    return words


def _integer_keys(values: np.ndarray) -> np.ndarray:
    """int64 numbers of 32 bits that are ordered as ``values`` (of at most 32 bits) are."""
    dtype = working_dtype(values.dtype)
    if dtype.kind != "f":
        whole = values.astype(np.int64)
        return whole - (1 << 31) if dtype == np.uint32 else whole
    floats = values.astype(dtype)
    floats += 0  # makes -0.0 equal to 0.0
    floats[np.isnan(floats)] = np.nan  # one pattern for all of them: the largest positive one
    bits = floats.view(np.int32)
    # The bits of negative floats grow with their size: turning all but the sign around puts them in order.
    return (bits ^ ((bits >> 31) & 0x7FFFFFFF)).astype(np.int64)
