"""Running sums, products and maxima along an axis."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from lazygrad.host.calls._precision import store, working_dtype

_BLOCK_ELEMENTS = 1 << 16  # half an L2 cache of float64

_Scan = Callable[[np.ndarray, np.ndarray], None]  # target, values


def cumsum(out: np.ndarray, x: np.ndarray, *, axis: int) -> None:
    """Running sum of ``x`` along ``axis``; float32 is summed in float64, 16-bit floats in float32."""
    _accumulate(np.add, out, x, axis)


def cumprod(out: np.ndarray, x: np.ndarray, *, axis: int) -> None:
    """Running product of ``x`` along ``axis``, carried as in `cumsum`."""
    _accumulate(np.multiply, out, x, axis)


def logcumsumexp(out: np.ndarray, x: np.ndarray, *, axis: int) -> None:
    """ln Σ eˣ of the elements up to each along ``axis``, carried as in `cumsum`."""
    if x.dtype.kind == "c":
        _scan_blocks(lambda target, values: _complex_logcumsumexp(target, values, axis), out, x, axis)
    else:
        _accumulate(np.logaddexp, out, x, axis)


def _complex_logcumsumexp(target: np.ndarray, values: np.ndarray, axis: int) -> None:
    """Step by step: numpy's logaddexp takes real numbers only."""
    sums, terms = np.moveaxis(target, axis, 0), np.moveaxis(values, axis, 0)
    sums[:1] = terms[:1]
    for k in range(1, len(terms)):
        is_larger = sums[k - 1].real >= terms[k].real
        larger, smaller = np.where(is_larger, sums[k - 1], terms[k]), np.where(is_larger, terms[k], sums[k - 1])
        sums[k] = np.where(smaller.real == -np.inf, larger, larger + np.log1p(np.exp(smaller - larger)))


def _accumulate(ufunc: np.ufunc, out: np.ndarray, x: np.ndarray, axis: int) -> None:
    # PyTorch carries float32 in float64 too: a long chain of roundings would lose digits.
    carried = np.dtype(np.float64) if x.dtype == np.float32 else working_dtype(x.dtype)

    def scan(target: np.ndarray, values: np.ndarray) -> None:
        running = values.astype(carried)
        with np.errstate(invalid="ignore"):
            ufunc.accumulate(running, axis=axis, out=running)
        store(target, running)

    _scan_blocks(scan, out, x, axis)


def cummax_index(out: np.ndarray, x: np.ndarray, *, axis: int) -> None:
    """Index of the running maximum along ``axis``: the last one on ties; a NaN stays the maximum."""

    def scan(target: np.ndarray, values: np.ndarray) -> None:
        values = values.astype(working_dtype(values.dtype), copy=False)
        is_maximum = values == np.maximum.accumulate(values, axis=axis)
        if values.dtype.kind == "f":
            is_maximum |= np.isnan(values)
        position = np.arange(values.shape[axis]).reshape(-1, *(1,) * (values.ndim - axis - 1))
        np.maximum.accumulate(np.where(is_maximum, position, 0), axis=axis, out=target)

    _scan_blocks(scan, out, x, axis)


def _scan_blocks(scan: _Scan, out: np.ndarray, x: np.ndarray, axis: int) -> None:
    """Apply ``scan`` to slices across another axis, each small enough for the cache."""
    if x.ndim < 2:
        scan(out.reshape(x.size), x.reshape(x.size))
        return
    if not x.size:
        return
    across = 0 if axis else x.ndim - 1
    width = max(1, _BLOCK_ELEMENTS * x.shape[across] // x.size)
    # On one thread: numpy's accumulate keeps the interpreter lock.
    for start in range(0, x.shape[across], width):
        block = (slice(None),) * across + (slice(start, start + width),)
        scan(out[block], x[block])
