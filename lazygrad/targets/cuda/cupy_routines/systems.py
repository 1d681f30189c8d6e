"""Triangular systems by cuBLAS, least squares by QR, and the matrix exponential."""

from __future__ import annotations

from typing import Any

import numpy as np

from lazygrad.targets.cuda.cupy_routines.bindings import Bindings
from lazygrad.targets.cuda.cupy_routines.made import Made, matrices

# N. J. Higham, "The Scaling and Squaring Method for the Matrix Exponential Revisited" (2005): the numerator of the
# Padé approximant of degree 13, and the norm up to which it is exact to double precision.
_PADE = (
    64764752532480000.0, 32382376266240000.0, 7771770303897600.0, 1187353796428800.0, 129060195264000.0,
    10559470521600.0, 670442572800.0, 33522128640.0, 1323241920.0, 40840800.0, 960960.0, 16380.0, 182.0, 1.0,
)  # fmt: skip
_LARGEST_NORM = 5.371920351148152


def triangular_solve(lib: Bindings, a: Any, b: Any, *, upper: bool, unitriangular: bool) -> Made:
    """x with a·x = b, reading one triangle of ``a``; batches broadcast."""
    batch = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    triangles, sides = [matrices(lib.cupy.broadcast_to(x, (*batch, *x.shape[-2:]))) for x in (a, b)]
    return Made([_solved(lib, triangles, sides, lower=not upper, unit_diagonal=unitriangular)])


def _solved(lib: Bindings, triangles: Any, sides: Any, lower: bool, unit_diagonal: bool = False) -> Any:
    options = {"lower": lower, "unit_diagonal": unit_diagonal}
    if len(triangles) == 1:  # which cuBLAS cuts into blocks, as it does not in a batch
        return lib.solve_triangular(triangles[0], sides[0], **options)
    return lib.solve_triangular(triangles, sides, **options)


def lstsq(lib: Bindings, a: Any, b: Any, *, rcond: float, driver: str) -> Made:
    """Least squares solutions of least norm, from Q and R of a or of aᴴ; the rank, which is full; no singular values.

    A zero on R's diagonal is refused, as LAPACK's gels does.
    """
    xp, batch, sides = lib.cupy, matrices(a), matrices(b)
    count, rows, columns = batch.shape
    rank, values = xp.full(count, min(rows, columns)), xp.zeros((count, min(rows, columns)))
    if not (a.size and b.size):
        return Made([xp.zeros((count, columns, sides.shape[-1])), xp.zeros(count), values])
    if rows >= columns:
        q, r = xp.linalg.qr(batch, "reduced")
        found = _solved(lib, r, xp.matmul(q.conj().swapaxes(-2, -1), sides), lower=False)
    else:
        q, r = xp.linalg.qr(batch.conj().swapaxes(-2, -1), "reduced")
        halfway = _solved(lib, r.conj().swapaxes(-2, -1), sides, lower=True)
        found = xp.matmul(q, halfway.reshape(sides.shape))
    return Made([found, rank, values], (xp.diagonal(r, axis1=-2, axis2=-1) == 0).any())


def matrix_exp(lib: Bindings, a: Any) -> Made:
    """Σ aᵏ/k!, by scaling, a Padé approximant and squaring. The host waits for the largest number of squarings."""
    xp, batch = lib.cupy, matrices(a)
    norm = abs(batch).sum(axis=-2).max(axis=-1)
    is_finite = xp.isfinite(norm)
    ratio = xp.maximum(xp.where(is_finite, norm, 0) / _LARGEST_NORM, 1)
    squarings = xp.ceil(xp.log2(ratio)).astype(xp.int32)[:, None, None]
    scaled = batch * (0.5**squarings).astype(norm.dtype)
    even, odd = _pade(xp, scaled)
    found = xp.linalg.solve(even - odd, even + odd)
    for step in range(int(squarings.max())):
        found = xp.where(step < squarings, xp.matmul(found, found), found)
    return Made([xp.where(is_finite[:, None, None], found, found.dtype.type(float("nan")))])


def _pade(xp: Any, a: Any) -> tuple[Any, Any]:
    """The even and the odd powers of the approximant's numerator."""
    c, unit = _PADE, xp.broadcast_to(xp.eye(a.shape[-1], dtype=a.dtype), a.shape)
    a2 = xp.matmul(a, a)
    a4 = xp.matmul(a2, a2)
    a6 = xp.matmul(a4, a2)
    high_even, high_odd = c[12] * a6 + c[10] * a4 + c[8] * a2, c[13] * a6 + c[11] * a4 + c[9] * a2
    even = xp.matmul(a6, high_even) + c[6] * a6 + c[4] * a4 + c[2] * a2 + c[0] * unit
    odd = xp.matmul(a6, high_odd) + c[7] * a6 + c[5] * a4 + c[3] * a2 + c[1] * unit
    return even, xp.matmul(a, odd)
