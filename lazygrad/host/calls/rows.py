"""Reading and writing the rows of an array that index tensors name."""

from __future__ import annotations

from math import prod

import numpy as np

from lazygrad.host.calls._bounds import wrapped
from lazygrad.host.calls._copies import start_from
from lazygrad.host.calls._precision import is_half
from lazygrad.host.threads import parallel_for

_GRAIN_BYTES = 1 << 18
_LONG_SUMS = 16  # rows to a sum from which on a call for each sum is faster than one for all
_FEW_SUMS = 1024  # at about 1 µs each
_NARROW = 8  # rows shorter than this are summed element by element
_FEW_ELEMENTS = 1 << 15  # and rows of any length up to this many elements
_FEW_BYTES = 1 << 14  # of rows that are read by numpy's own function, which checks the indices, but copies twice


def take(out: np.ndarray, x: np.ndarray, *indices: np.ndarray) -> None:
    """``out = x[i0, i1, …]``.

    Args:
        out: (*broadcast shape of the indices, *x.shape[len(indices):]).
        x: any shape with at least as many axes as there are indices.
        indices: int64; negative ones count from the end.

    Raises:
        IndexError: an index is out of range.
    """
    if len(indices) == 1 and out.nbytes <= _FEW_BYTES:
        try:
            x.take(indices[0], 0, out)
        except IndexError:  # what it says is said below
            pass
        else:
            return
    if not indices or not out.size or not x.flags.c_contiguous:
        checked = tuple(wrapped("take", index, axis, x.shape[axis]) for axis, index in enumerate(indices))
        np.copyto(out, x[checked])
        return
    numbers = _row_numbers("take", x.shape, indices)
    width = prod(x.shape[len(indices) :])
    table = x.reshape(x.size // width, width)
    target = out.reshape(numbers.size, width)

    def run(start: int, stop: int) -> None:
        table.take(numbers[start:stop], 0, target[start:stop], "clip")

    parallel_for(run, numbers.size, max(1, _GRAIN_BYTES // (width * x.itemsize)))


def put(out: np.ndarray, x: np.ndarray, values: np.ndarray, *indices: np.ndarray, accumulate: bool) -> None:
    """``x`` with ``x[i0, i1, …]`` set to ``values``, or increased by them.

    Rows named more than once get the last of their values, or the sum of all, always added in the same order.

    Args:
        out: the result, like ``x``; may be ``x`` itself.
        x: any shape with at least as many axes as there are indices.
        values: (*broadcast shape of the indices, *x.shape[len(indices):]).
        indices: int64; negative ones count from the end.
        accumulate: add instead of set; for bool, logical or.

    Raises:
        IndexError: an index is out of range; ``out`` is then unchanged.
    """
    numbers = _row_numbers("put", x.shape, indices)
    start_from(out, x)
    if not values.size:
        return
    width = prod(x.shape[len(indices) :])
    table, rows = out.reshape(out.size // width, width), values.reshape(numbers.size, width)
    if not accumulate:
        table[numbers] = rows
    elif (width < _NARROW or rows.size <= _FEW_ELEMENTS) and not is_half(out.dtype):
        if numbers.size == 1:
            table[numbers[0]] += rows[0]
            return
        elements = numbers[:, None] * width + np.arange(width)
        np.add.at(table.reshape(-1), elements.reshape(-1), rows.reshape(-1))
    else:
        _add_rows(table, numbers, rows)


def _row_numbers(name: str, shape: tuple[int, ...], indices: tuple[np.ndarray, ...]) -> np.ndarray:
    """The indices of the leading axes as flat row numbers, in row-major order of their broadcast shape."""
    numbers: np.ndarray | None = None
    for axis, index in enumerate(indices):
        places = wrapped(name, index, axis, shape[axis])
        numbers = places if numbers is None else numbers * shape[axis] + places
    return np.zeros(1, np.int64) if numbers is None else numbers.reshape(-1)


def _add_rows(table: np.ndarray, numbers: np.ndarray, rows: np.ndarray) -> None:
    """Add ``rows[i]`` to ``table[numbers[i]]`` for every i."""
    order = numbers.argsort(kind="stable")
    ordered = numbers[order]
    is_first = np.ones(ordered.size, np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=is_first[1:])
    starts = is_first.nonzero()[0]
    rows = rows.astype(_summing_dtype(table.dtype), copy=False)
    sums = (_sums_one_by_one if starts.size <= _FEW_SUMS else _sums_by_product)(rows, order, starts)
    touched = ordered[starts]
    table[touched] = (table[touched] + sums).astype(table.dtype, copy=False)


def _sums_one_by_one(rows: np.ndarray, order: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """The sums of ``rows[order[starts[i] : starts[i + 1]]]`` over the first axis, in order."""
    if order.size < _LONG_SUMS * starts.size:
        brief: np.ndarray = np.add.reduceat(rows[order], starts, axis=0)
        return brief
    sums = np.empty((starts.size, rows.shape[1]), rows.dtype)
    for total, members in zip(sums, np.split(order, starts[1:]), strict=True):
        np.add.reduce(rows[members], axis=0, out=total)
    return sums


def _sums_by_product(rows: np.ndarray, order: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """The same as a product with a sparse 0/1 matrix: one pass over ``rows``."""
    from scipy.sparse import csr_array  # a sixth of a second to import; a first training step should not wait for it

    pattern = (np.ones(order.size, rows.dtype), order, np.append(starts, order.size))
    sums: np.ndarray = csr_array(pattern, shape=(starts.size, order.size)) @ rows
    return sums


def _summing_dtype(dtype: np.dtype) -> np.dtype:
    if is_half(dtype):
        return np.dtype(np.float32)
    return np.dtype(np.int64) if dtype.kind == "b" else dtype
