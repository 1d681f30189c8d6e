"""Reading and writing elements through an index tensor along one axis."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from math import prod

import numpy as np

from lazygrad.host.calls._bounds import check_from_zero, wrapped
from lazygrad.host.calls._copies import start_from
from lazygrad.host.calls._precision import is_half, store
from lazygrad.host.threads import parallel_for
from lazygrad.ir.view import contiguous_strides

_BLOCK_ELEMENTS = 1 << 15  # indices handled at a time

_COMBINE = {"sum": np.add, "prod": np.multiply, "amax": np.maximum, "amin": np.minimum}


def gather(out: np.ndarray, x: np.ndarray, index: np.ndarray, *, axis: int, wraps: bool) -> None:
    """``out[.., i, ..] = x[.., index[.., i, ..], ..]`` along ``axis``.

    Args:
        out: the shape of ``index``.
        x: other axes at least as long as those of ``index``.
        index: int64.
        axis: the axis that ``index`` addresses.
        wraps: whether negative indices count from the end.

    Raises:
        RuntimeError: an index is out of range, as PyTorch has it.
    """
    if not out.ndim:
        gather(out.reshape(1), x.reshape(1), index.reshape(1), axis=0, wraps=wraps)
        return
    if not out.size:
        return
    if wraps:
        index = wrapped("gather", index, axis, x.shape[axis], RuntimeError)
    else:
        check_from_zero("gather", index, axis, x.shape[axis])
    if not x.flags.c_contiguous:
        elsewhere = np.ogrid[tuple(slice(size) for size in index.shape)]
        np.copyto(out, x[tuple(index if a == axis else positions for a, positions in enumerate(elsewhere))])
        return
    elements = x.reshape(-1)
    if out.size <= _REMEMBERED:
        elements.take(_flat_positions(index, x.shape, axis, 0), out=out, mode="clip")
        return

    def run(first: int, last: int) -> None:
        for rows in _blocks(first, last, index.shape):
            np.take(elements, _flat_positions(index[rows], x.shape, axis, rows.start), out=out[rows], mode="clip")

    parallel_for(run, index.shape[0], _rows_per_block(index.shape))


def scatter(out: np.ndarray, x: np.ndarray, source: np.ndarray, index: np.ndarray, *, axis: int, reduce: str) -> None:
    """``x`` with ``x[.., index[.., i, ..], ..]`` combined with ``source[.., i, ..]`` along ``axis``.

    Args:
        out: the result, like ``x``; may be ``x`` itself.
        x: other axes at least as long as those of ``index``.
        source: every axis at least as long as that of ``index``; what lies beyond is not used.
        index: int64, from 0 on.
        axis: the axis that ``index`` addresses.
        reduce: set (the last one wins), sum, prod, amax or amin; all in the order of ``index``.

    Raises:
        RuntimeError: an index is out of range; ``out`` is then unchanged.
    """
    if not index.ndim:
        scatter(out.reshape(1), x.reshape(1), source.reshape(1), index.reshape(1), axis=0, reduce=reduce)
        return
    check_from_zero("scatter", index, axis, x.shape[axis])
    start_from(out, x)
    if not index.size:
        return
    used = source[tuple(slice(size) for size in index.shape)]
    total = out.astype(np.float32) if is_half(out.dtype) else out
    elements = total.reshape(-1)
    # On one thread: ufunc.at holds the interpreter lock much of the time, and two threads measured slower than one.
    for rows in _blocks(0, index.shape[0], index.shape):
        flat = _flat_positions(index[rows], x.shape, axis, rows.start).reshape(-1)
        values = used[rows].reshape(-1).astype(total.dtype, copy=False)
        if reduce == "set":
            elements[flat] = values
        else:
            _COMBINE[reduce].at(elements, flat, values)
    if total is not out:
        store(out, total)


def _rows_per_block(shape: tuple[int, ...]) -> int:
    return max(1, _BLOCK_ELEMENTS // max(prod(shape[1:]), 1))


def _blocks(first: int, last: int, shape: tuple[int, ...]) -> Iterator[slice]:
    """Cache-sized ranges that cover [first, last) of the first axis of an index of ``shape``."""
    step = _rows_per_block(shape)
    for start in range(first, last, step):
        yield slice(start, min(start + step, last))


def _flat_positions(index: np.ndarray, shape: tuple[int, ...], axis: int, first: int) -> np.ndarray:
    """Positions in a row-major array of ``shape`` that ``index``, whose first row is row ``first``, names."""
    is_small = index.size <= _REMEMBERED
    elsewhere = (_known_elsewhere if is_small else _elsewhere)(index.shape, shape, axis, first)
    stride = contiguous_strides(shape)[axis]
    if stride == 1:
        return index + elsewhere
    flat = index * stride
    flat += elsewhere
    return flat


def _elsewhere(extent: tuple[int, ...], shape: tuple[int, ...], axis: int, first: int) -> np.ndarray:
    """What the axes but ``axis`` contribute to positions, of each place of an index of this extent."""
    strides = contiguous_strides(shape)
    elsewhere = np.zeros((1,) * len(extent), np.int64)
    for a, size in enumerate(extent):
        if a != axis:
            start = first if a == 0 else 0
            positions = np.arange(start, start + size) * strides[a]
            elsewhere = elsewhere + positions.reshape(-1, *(1,) * (len(extent) - a - 1))
    return elsewhere


_REMEMBERED = 1 << 10  # elements of an index whose other axes are counted once
_known_elsewhere = lru_cache(maxsize=256)(_elsewhere)
