"""Systems of linear equations by LAPACK and BLAS, and the matrix exponential."""

from __future__ import annotations

import numpy as np

from lazygrad.host.calls._lapack import Parts, blas_routine, matrices, routine, scipy_linalg
from lazygrad.host.calls.small_matrices import are_many, solve_many
from lazygrad.ir.errors import LinAlgError


def _broadcast(out: np.ndarray, x: np.ndarray) -> np.ndarray:
    """One matrix of ``x`` for each of ``out``'s batch."""
    if x.shape[:-2] != out.shape[:-2]:
        x = np.broadcast_to(x, (*out.shape[:-2], *x.shape[-2:]))
    return matrices(x)


def triangular_solve(out: np.ndarray, a: np.ndarray, b: np.ndarray, *, upper: bool, unitriangular: bool) -> None:
    """x with a·x = b; ``a`` is read in one triangle, without the diagonal if that counts as ones."""
    if not out.size:
        return
    solution, triangles, sides = matrices(out), _broadcast(out, a), _broadcast(out, b)
    if are_many(len(solution), a.shape[-1]):
        solve_many(solution, triangles, sides, upper=upper, unitriangular=unitriangular)
        return
    trsm = blas_routine("trsm", out.dtype)
    # Row-major matrices are the transposes BLAS expects: xᵀ·aᵀ = bᵀ, where aᵀ has the other triangle.
    for position, triangle in enumerate(triangles):
        solution[position] = trsm(1, triangle.T, sides[position].T, side=1, lower=int(upper), diag=int(unitriangular)).T


def ldl_solve(out: np.ndarray, factors: np.ndarray, pivots: np.ndarray, b: np.ndarray, *, hermitian: bool) -> None:
    """x with a·x = b, from the packed LDL decomposition of ``a``."""
    if not out.size:
        return
    trs = routine("hetrs" if hermitian and out.dtype.kind == "c" else "sytrs", out.dtype)
    solution, sides = matrices(out), _broadcast(out, b)
    exchanged = np.broadcast_to(pivots, (*out.shape[:-2], pivots.shape[-1])).reshape(-1, pivots.shape[-1])
    for position, matrix in enumerate(_broadcast(out, factors)):
        solution[position] = trs(matrix, exchanged[position], sides[position], lower=1)[0]


def lstsq(out: np.ndarray, a: np.ndarray, b: np.ndarray, *, rcond: float, driver: str) -> None:
    """Least squares solutions, the numerical rank, and the singular values where the driver computes them.

    Args:
        rcond: singular values (diagonal elements of R, for gelsy) below this part of the largest count as 0.
        driver: gels, gelsy, gelsd or gelss.

    Raises:
        LinAlgError: gels with a matrix that does not have full rank; numbers that are not finite.
    """
    rows, columns = a.shape[-2:]
    count = b.shape[-1]
    solution, rank, values = Parts(out, ((columns, count), (), (min(rows, columns),)))
    out[...] = 0
    if not (a.size and b.size):
        return
    for position, (matrix, side) in enumerate(zip(matrices(a), matrices(b), strict=True)):
        solution[position], rank[position], values[position] = _least_squares(matrix, side, rcond, driver)


def _least_squares(
    a: np.ndarray, b: np.ndarray, rcond: float, driver: str
) -> tuple[np.ndarray, int, np.ndarray | float]:
    columns = a.shape[1]
    if driver == "gels":
        tall = (
            b if a.shape[0] >= columns else np.concatenate([b, np.zeros((columns - a.shape[0], b.shape[1]), b.dtype)])
        )
        _, found, info = routine("gels", a.dtype)(a, tall)
        if info > 0:
            raise LinAlgError(f"linalg.lstsq: The least squares solution could not be computed because the input "
                              f"matrix does not have full rank (error code: {info})")  # fmt: skip
        return found[:columns], min(a.shape), 0.0
    solve = scipy_linalg().lstsq
    try:
        found, _, rank, values = solve(a, b, cond=rcond, lapack_driver=driver, check_finite=False)
    except (scipy_linalg().LinAlgError, ValueError) as error:  # numbers that are not finite, in words
        raise LinAlgError(f"linalg.lstsq: {error}") from None
    return found, rank, 0.0 if values is None else values


def matrix_exp(out: np.ndarray, a: np.ndarray) -> None:
    """Σ aᵏ/k!, by scaling, a Padé approximant and squaring (A. H. Al-Mohy and N. J. Higham, 2009; scipy's expm)."""
    if out.size:
        np.copyto(out, scipy_linalg().expm(a))
