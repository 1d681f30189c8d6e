"""Matrix products: operands arranged so that BLAS takes them, work spread over threads by us rather than by BLAS."""

from __future__ import annotations

from math import prod

import numpy as np

from lazygrad.host.blas import serial_blas
from lazygrad.host.calls._precision import product_dtype, store
from lazygrad.host.threads import get_num_threads, parallel_for

_PARALLEL_FLOPS = 1 << 22  # below this, waking a thread costs more than it saves


def matmul(out: np.ndarray, a: np.ndarray, b: np.ndarray) -> None:
    """``out = a @ b`` over the last two axes; leading axes broadcast.

    16-bit floats are multiplied and summed in float32; integer results wrap around.
    """
    dtype = out.dtype if out.dtype.char in "fd" else product_dtype(a, b, a.shape[-1])
    if dtype == out.dtype:
        _multiply(out, blas_ready(a), blas_ready(b))
    else:
        result = np.empty(out.shape, dtype)
        _multiply(result, blas_ready(a.astype(dtype)), blas_ready(b.astype(dtype)))
        store(out, result)


def blas_ready(x: np.ndarray) -> np.ndarray:
    """``x``, copied if neither its rows nor its columns are contiguous: numpy multiplies such views without BLAS."""
    rows, columns = x.shape[-2:]
    row_stride, column_stride = x.strides[-2:]
    item = x.itemsize
    by_rows = column_stride == item and row_stride >= max(columns, 1) * item
    by_columns = row_stride == item and column_stride >= max(rows, 1) * item
    return x if by_rows or by_columns else np.ascontiguousarray(x)


def _multiply(out: np.ndarray, a: np.ndarray, b: np.ndarray) -> None:
    out, a, b = _fold_batch(out, a, b)
    if 2 * out.size * a.shape[-1] < _PARALLEL_FLOPS:
        np.matmul(a, b, out=out)
        return
    axis = _axis_to_split(out.shape)
    from_end = axis - out.ndim

    def multiply_part(start: int, stop: int) -> None:
        part = (slice(None),) * axis + (slice(start, stop),)
        np.matmul(
            a if from_end == -1 else _along(a, from_end, start, stop),
            b if from_end == -2 else _along(b, from_end, start, stop),
            out=out[part],
        )

    with serial_blas:
        parallel_for(multiply_part, out.shape[axis])


def _fold_batch(out: np.ndarray, a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """One tall matrix instead of a batch of them, where every one meets the same ``b``."""
    if out.ndim == 2 or not out.size or a.shape[:-2] != out.shape[:-2] or not a.flags.c_contiguous:
        return out, a, b
    if not all([size == 1 or stride == 0 for size, stride in zip(b.shape[:-2], b.strides, strict=False)]):
        return out, a, b
    rows = prod(out.shape[:-1])
    return out.reshape(rows, out.shape[-1]), a.reshape(rows, a.shape[-1]), b[(0,) * (b.ndim - 2)]


def _axis_to_split(shape: tuple[int, ...]) -> int:
    """A batch axis with an item for every thread, else the longer side of the matrices."""
    for axis, size in enumerate(shape[:-2]):
        if size >= get_num_threads():
            return axis
    return len(shape) - (2 if shape[-2] >= shape[-1] else 1)


def _along(x: np.ndarray, axis: int, start: int, stop: int) -> np.ndarray:
    """A range of ``axis`` (counted from the end), or all of ``x`` where that axis broadcasts."""
    if -axis > x.ndim or (axis < -2 and x.shape[axis] == 1):
        return x
    return x[(slice(None),) * (x.ndim + axis) + (slice(start, stop),)]
