"""LU and triangular systems of many small matrices: each step of the algorithm for all of them at once.

A call of LAPACK takes microseconds, whatever the size; for thousands of 3 by 3 matrices that is all the time there is.
"""

from __future__ import annotations

import numpy as np

_SMALL, _MANY = 8, 32


def are_many(count: int, size: int) -> bool:
    """Whether ``count`` matrices of ``size`` columns are faster all at once."""
    return size <= _SMALL and count >= _MANY


def lu_of_many(a: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """L and U in one matrix, pivots from 1, and info, as LAPACK's getrf gives them.

    Args:
        a: shape (batch, m, n).
    """
    factors = np.array(a, order="C")
    count, rows, columns = factors.shape
    size = min(rows, columns)
    pivots, every = np.empty((count, size), np.int64), np.arange(count)
    for step in range(size):
        pivot = _magnitudes(factors[:, step:, step]).argmax(axis=1) + step
        chosen = factors[every, pivot]
        factors[every, pivot] = factors[:, step]
        factors[:, step] = chosen
        divisor = factors[:, step, step, None]
        factors[:, step + 1 :, step] /= np.where(divisor == 0, 1, divisor)
        factors[:, step + 1 :, step + 1 :] -= factors[:, step + 1 :, step, None] * factors[:, step, None, step + 1 :]
        pivots[:, step] = pivot + 1
    vanished = np.diagonal(factors, axis1=1, axis2=2) == 0
    return factors, pivots, np.where(vanished.any(axis=1), vanished.argmax(axis=1) + 1, 0)


def _magnitudes(x: np.ndarray) -> np.ndarray:
    """By what BLAS compares pivots: |Re| + |Im|."""
    return np.abs(x.real) + np.abs(x.imag) if x.dtype.kind == "c" else np.abs(x)


def solve_many(out: np.ndarray, a: np.ndarray, b: np.ndarray, *, upper: bool, unitriangular: bool) -> None:
    """x with a·x = b for triangular ``a``, row by row.

    Args:
        out: shape (batch, n, k).
        a: shape (batch, n, n); one triangle is read.
        b: like ``out``.
    """
    size = a.shape[-1]
    for step in range(size):
        row = size - 1 - step if upper else step
        known = slice(row + 1, size) if upper else slice(0, row)
        out[:, row] = b[:, row] - np.matmul(a[:, row, None, known], out[:, known])[:, 0]
        if not unitriangular:
            out[:, row] /= a[:, row, row, None]
