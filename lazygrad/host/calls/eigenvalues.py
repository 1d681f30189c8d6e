"""Eigenvalues, eigenvectors and singular values by LAPACK, through numpy's batched calls."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from lazygrad.host.calls._lapack import Parts, matrices
from lazygrad.ir.errors import LinAlgError


def svd(out: np.ndarray, a: np.ndarray, *, full_matrices: bool) -> None:
    """U, S and Vᴴ.

    Raises:
        LinAlgError: numbers that are not finite.
    """
    rows, columns = a.shape[-2:]
    rank = min(rows, columns)
    height, width = (rows, columns) if full_matrices else (rank, rank)
    left, values, right = Parts(out, ((rows, height), (rank,), (width, columns)))
    if not rank:
        left[...], right[...] = np.eye(rows, height), np.eye(width, columns)
        return
    u, s, vh = _converged("linalg.svd", np.linalg.svd, matrices(a), full_matrices)
    np.copyto(left, u)
    np.copyto(values, s)
    np.copyto(right, vh)


def svdvals(out: np.ndarray, a: np.ndarray) -> None:
    """Singular values, descending.

    Raises:
        LinAlgError: numbers that are not finite.
    """
    if out.size:
        np.copyto(out, _converged("linalg.svdvals", np.linalg.svd, a, False, False))


def eigh(out: np.ndarray, a: np.ndarray, *, upper: bool) -> None:
    """Eigenvalues, ascending, and eigenvectors; NaN for matrices that are not finite."""
    values, vectors = Parts(out, (a.shape[-1:], a.shape[-2:]))
    if a.size:
        finite = _is_finite(matrices(a))
        found, columns = np.linalg.eigh(np.where(finite, matrices(a), 0), "U" if upper else "L")
        np.copyto(values, np.where(finite[:, 0], found, np.nan))
        np.copyto(vectors, np.where(finite, columns, np.nan))


def eigvalsh(out: np.ndarray, a: np.ndarray, *, upper: bool) -> None:
    """Eigenvalues, ascending; NaN for matrices that are not finite."""
    if a.size:
        finite = _is_finite(a)
        found = np.linalg.eigvalsh(np.where(finite, a, 0), "U" if upper else "L")
        np.copyto(out, np.where(finite[..., 0], found, np.nan))


def eig(out: np.ndarray, a: np.ndarray) -> None:
    """Eigenvalues, and eigenvectors of norm 1.

    Raises:
        LinAlgError, RuntimeError: the iteration does not converge; numbers that are not finite.
    """
    values, vectors = Parts(out, (a.shape[-1:], a.shape[-2:]))
    if a.size:
        _check_finite("linalg.eig", a)
        found, columns = _converged("linalg.eig", np.linalg.eig, matrices(a))
        np.copyto(values, found)
        np.copyto(vectors, columns)


def eigvals(out: np.ndarray, a: np.ndarray) -> None:
    """Eigenvalues.

    Raises:
        LinAlgError, RuntimeError: the iteration does not converge; numbers that are not finite.
    """
    if a.size:
        _check_finite("linalg.eigvals", a)
        np.copyto(out, _converged("linalg.eigvals", np.linalg.eigvals, a))


def _is_finite(a: np.ndarray) -> np.ndarray:
    return np.isfinite(a).all(axis=(-2, -1), keepdims=True)


def _check_finite(name: str, a: np.ndarray) -> None:
    if not np.isfinite(a).all():
        raise RuntimeError(f"{name}: input tensor should not contain infs or NaNs.")


def _converged(name: str, compute: Callable[..., Any], *arguments: Any) -> Any:
    try:
        return compute(*arguments)
    except np.linalg.LinAlgError as error:
        raise LinAlgError(
            f"{name}: The algorithm failed to converge, because the input contains numbers that are not finite or has "
            f"too many repeated values ({error})"
        ) from None
