"""Factorizations by LAPACK, their results packed as `lazygrad.ir.primitives.factorization` says."""

from __future__ import annotations

import numpy as np

from lazygrad.host.calls._lapack import Parts, first_failure, matrices, routine
from lazygrad.host.calls.small_matrices import are_many, lu_of_many
from lazygrad.ir.errors import LinAlgError

_FEW_PIVOTS = 32  # up to which exchanging numbers of Python takes less time than a few calls of numpy for each column


def cholesky(out: np.ndarray, a: np.ndarray, *, upper: bool, check: str) -> None:
    """L with a = L·Lᴴ, from one triangle of ``a``, and info.

    Raises:
        LinAlgError: a matrix that is not positive definite, if ``check`` names who refuses it.
    """
    factor, info = Parts(out, (a.shape[-2:], ()))
    batch = matrices(a.conj().swapaxes(-2, -1) if upper else a)
    try:
        np.copyto(factor, np.linalg.cholesky(batch))
        info[...] = 0
    except np.linalg.LinAlgError:  # which does not say which matrix, nor which minor
        potrf = routine("potrf", out.dtype)
        for position, matrix in enumerate(batch):
            factor[position], info[position] = potrf(matrix, lower=1, clean=1)
    failure = first_failure(info) if check else None
    if failure:
        place, step = failure
        raise LinAlgError(
            f"{check}: {place}The factorization could not be completed because the input is not positive-definite "
            f"(its leading minor of order {step} is not positive)"
        )


def lu(out: np.ndarray, a: np.ndarray, *, check: str) -> None:
    """L and U in one matrix, the row exchanged with each (from 1), and the first pivot that is 0 (from 1) or 0.

    Raises:
        LinAlgError: a pivot that is 0, if ``check`` names who refuses it.
    """
    size = min(a.shape[-2:])
    factors, pivots, info = Parts(out, (a.shape[-2:], (size,), ()))
    batch = matrices(a)
    if not size:
        info[...] = 0
    elif are_many(len(batch), max(a.shape[-2:])):
        factors[...], pivots[...], info[...] = lu_of_many(batch)
    else:
        getrf = routine("getrf", out.dtype)
        for position, matrix in enumerate(batch):
            factors[position], exchanged, info[position] = getrf(matrix)
            pivots[position] = exchanged + 1
    failure = first_failure(info) if check else None
    if failure:
        place, step = failure
        raise LinAlgError(f"{check}: {place}The diagonal element {step} is zero: the input matrix is singular, as U of "
                          f"its LU decomposition shows")  # fmt: skip


def ldl(out: np.ndarray, a: np.ndarray, *, hermitian: bool, check: str) -> None:
    """L and D in one matrix, the pivots of the symmetric exchanges, and the first diagonal block that is 0, or 0.

    Raises:
        LinAlgError: a block of D that is 0, if ``check`` names who refuses it.
    """
    factors, pivots, info = Parts(out, (a.shape[-2:], a.shape[-1:], ()))
    trf = routine("hetrf" if hermitian and out.dtype.kind == "c" else "sytrf", out.dtype)
    for position, matrix in enumerate(matrices(a)):
        if matrix.size:
            found, pivots[position], info[position] = trf(matrix, lower=1)
            factors[position] = np.tril(found)
        else:
            info[position] = 0
    failure = first_failure(info) if check else None
    if failure:
        place, step = failure
        raise LinAlgError(f"{check}: {place}The matrix is singular: block {step} of its LDL decomposition is 0")


def qr(out: np.ndarray, a: np.ndarray, *, mode: str) -> None:
    """Q and R; R alone in mode "r"."""
    rows, columns = a.shape[-2:]
    inner = rows if mode == "complete" else min(rows, columns)
    if mode == "r":
        (triangle,) = Parts(out, ((inner, columns),))
        np.copyto(triangle, np.linalg.qr(matrices(a), mode="r"))
        return
    orthogonal, triangle = Parts(out, ((rows, inner), (inner, columns)))
    q, r = np.linalg.qr(matrices(a), mode="complete" if mode == "complete" else "reduced")
    np.copyto(orthogonal, q)
    np.copyto(triangle, r)


def geqrf(out: np.ndarray, a: np.ndarray) -> None:
    """R, with the Householder vectors that make Q below it, and their factors."""
    reflectors, factors = Parts(out, (a.shape[-2:], (min(a.shape[-2:]),)))
    compute = routine("geqrf", out.dtype)
    if a.size:
        for position, matrix in enumerate(matrices(a)):
            reflectors[position], factors[position], _, _ = compute(matrix)


def pivot_order(out: np.ndarray, pivots: np.ndarray, *, rows: int) -> None:
    """0, 1, …, rows - 1 after exchanging i with pivots[i] - 1, for i from 0.

    Raises:
        RuntimeError: a pivot that is not in [1, rows].
    """
    count = pivots.shape[-1]
    if pivots.size and not (np.minimum.reduce(pivots, axis=None) >= 1 and np.maximum.reduce(pivots, axis=None) <= rows):
        raise RuntimeError(f"lu_solve: pivots must lie between 1 and the number of rows, {rows}")
    order, exchanged = out.reshape(-1, rows) if rows else out, pivots.reshape(-1, count) if count else pivots
    if 0 < pivots.size <= _FEW_PIVOTS:
        order[...] = [_exchanged(rows, each) for each in exchanged.tolist()]
        return
    np.copyto(out, np.arange(rows))
    batch = np.arange(order.shape[0]) if count else np.arange(0)
    for position in range(count):
        other = exchanged[:, position] - 1
        kept = order[batch, other].copy()
        order[batch, other] = order[:, position]
        order[:, position] = kept


def _exchanged(rows: int, pivots: list[int]) -> list[int]:
    order = list(range(rows))
    for position, other in enumerate(pivots):
        order[position], order[other - 1] = order[other - 1], order[position]
    return order
