"""Running sums, products and maxima along an axis."""

from __future__ import annotations

import numpy as np

from lazygrad.runtime.numpy_calls._precision import is_half, store, working_dtype


def cumsum(out: np.ndarray, x: np.ndarray, *, axis: int) -> None:
    """Running sum of ``x`` along ``axis``."""
    _accumulate(np.add, out, x, axis)


def cumprod(out: np.ndarray, x: np.ndarray, *, axis: int) -> None:
    """Running product of ``x`` along ``axis``."""
    _accumulate(np.multiply, out, x, axis)


def _accumulate(ufunc: np.ufunc, out: np.ndarray, x: np.ndarray, axis: int) -> None:
    """A long chain of float32 additions would lose digits, so it is carried in float64, as PyTorch does."""
    if x.ndim == 0:
        np.copyto(out, x)
    elif is_half(x.dtype):
        store(out, ufunc.accumulate(x.astype(np.float32), axis=axis))
    else:
        carried = np.dtype(np.float64) if x.dtype == np.float32 else x.dtype
        ufunc.accumulate(x, axis=axis, dtype=carried, out=out)


def cummax_index(out: np.ndarray, x: np.ndarray, *, axis: int) -> None:
    """Index of the running maximum along ``axis``: the last one on ties; a NaN stays the maximum."""
    if x.ndim == 0:
        out.fill(0)
        return
    values = x.astype(working_dtype(x.dtype), copy=False)
    is_maximum = values == np.maximum.accumulate(values, axis=axis)
    if values.dtype.kind == "f":
        is_maximum |= np.isnan(values)
    position = np.arange(x.shape[axis]).reshape(-1, *(1,) * (x.ndim - axis - 1))
    np.maximum.accumulate(np.where(is_maximum, position, 0), axis=axis, out=out)
