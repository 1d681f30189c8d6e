"""Linear systems, determinants and pseudoinverses, made of factorizations.

Each is a composite, so that a graph reads as the formula does and its derivative is one formula too: that of the
solution of a system is again a system with the same matrix, whose factorization is then shared.
"""

from __future__ import annotations

from typing import Any

from lazygrad.ir.build import cast, conj, expand, iota, real, reshape, swap_last
from lazygrad.ir.composites.define import Result, composite
from lazygrad.ir.dtype import int64
from lazygrad.ir.matrix import (
    adjoint,
    as_column,
    as_row,
    columns,
    diagonal,
    diagonal_matrix,
    identity,
    lower,
    parts,
    rows_in_order,
    upper,
    vector_sum,
    with_diagonal,
)
from lazygrad.ir.node import Node, TensorType
from lazygrad.ir.primitives import elementwise as ew
from lazygrad.ir.primitives import factorization as fa
from lazygrad.ir.primitives.contraction import matmul
from lazygrad.ir.primitives.reduction import argsort, reduce_max, reduce_prod
from lazygrad.ir.shape import broadcast_shapes

_EPSILON = {"float32": 2.0**-23, "float64": 2.0**-52, "complex64": 2.0**-23, "complex128": 2.0**-52}


def epsilon(x: Node) -> float:
    """The distance from 1 to the next number of ``x``'s precision."""
    return _EPSILON[x.dtype.name]


def lu_solved(factors: Node, order: Node, b: Node, is_adjoint: bool) -> Node:
    """x with ``a·x = b`` or ``aᴴ·x = b``, where ``a`` with its rows in ``order`` is L·U, stored as one matrix."""
    if not is_adjoint:
        halfway = fa.triangular_solve(factors, rows_in_order(b, order), upper=False, unitriangular=True)
        return fa.triangular_solve(factors, halfway, upper=True, unitriangular=False)
    halfway = fa.triangular_solve(adjoint(factors), b, upper=False, unitriangular=False)
    permuted = fa.triangular_solve(adjoint(factors), halfway, upper=True, unitriangular=True)
    return rows_in_order(permuted, inverse_order(order))


def inverse_order(order: Node) -> Node:
    """The permutation that undoes ``order``."""
    return argsort(order, axis=order.rank - 1, descending=False)


def row_order(pivots: Node, rows: int) -> Node:
    """Which rows LU's pivots put where."""
    return fa.pivot_order(cast(real(pivots), int64), rows=rows)


def _solve(a: Node, b: Node, *, adjoint: bool, check: str) -> Node:
    factors, pivots, _ = parts(fa.lu(a, check=check))
    return lu_solved(factors, row_order(pivots, a.shape[-1]), b, adjoint)


def _infer_solve(attrs: tuple[Any, ...], a: TensorType, b: TensorType) -> Result:
    return fa.solution_shape("solve", a, b), a.dtype


solve = composite(
    "solve",
    _solve,
    _infer_solve,
    ("adjoint", "check"),
    "x with a·x = b (aᴴ·x = b if adjoint); check names the function that refuses singular matrices",
    widened=False,
    unsaved_input=0,
)


# Determinants.


def _parity(pivots: Node) -> Node:
    """1 for an even number of row exchanges, -1 for an odd one."""
    last = pivots.rank - 1
    places = cast(iota(pivots.shape[last], int64, pivots.device), pivots.dtype) + 1
    exchanges = vector_sum(cast(ew.ne(pivots, places), pivots.dtype))
    return 1 - ew.remainder(exchanges, pivots.like(2)) * 2


def _factors_of_det(a: Node) -> tuple[Node, Node]:
    """The pivots' sign (real) and the diagonal of U, whose product is the determinant."""
    factors, pivots, _ = parts(fa.lu(a, check=""))
    return _parity(real(pivots)), diagonal(factors)


def _vector_product(x: Node) -> Node:
    return reshape(reduce_prod(x, axes=(x.rank - 1,)), x.shape[:-1])


def _det(a: Node) -> Node:
    parity, pivots = _factors_of_det(a)
    return cast(parity, a.dtype) * _vector_product(pivots)


def _det_sign(a: Node) -> Node:
    parity, pivots = _factors_of_det(a)
    magnitude = ew.abs_(pivots)
    phases = pivots / cast(ew.where(ew.eq(magnitude, magnitude.like(0)), magnitude.like(1), magnitude), a.dtype)
    return cast(parity, a.dtype) * _vector_product(phases)


def _log_abs_det(a: Node) -> Node:
    _, pivots = _factors_of_det(a)
    return vector_sum(ew.log(ew.abs_(pivots)))


def _cofactors(a: Node) -> Node:
    """conj(det a)·a⁻ᴴ, with pivots that are 0 replaced by the least that is not lost in the others' rounding.

    Both factors see the same pivots, so that what they are replaced by cancels: to rounding error the result is
    right for singular matrices too.
    """
    if a.shape[-1] == 0:
        return a
    factors, pivots, _ = parts(fa.lu(a, check=""))
    found = diagonal(factors)
    magnitude = ew.maximum(reduce_max(ew.abs_(factors), axes=(a.rank - 2, a.rank - 1)), real(a).like(_TINY))
    least = cast(reshape(magnitude * epsilon(a), (*a.shape[:-2], 1)), a.dtype)
    nonzero = ew.where(ew.eq(found, found.like(0)), least, found)
    det = conj(cast(_parity(real(pivots)), a.dtype) * _vector_product(nonzero))
    scaled = diagonal_matrix(expand(as_column(det), found.shape))
    return lu_solved(with_diagonal(factors, nonzero), row_order(pivots, a.shape[-1]), scaled, is_adjoint=True)


_TINY = 1e-30


def _per_matrix(attrs: tuple[Any, ...], a: TensorType) -> Result:
    return a.shape[:-2], a.dtype


def _per_matrix_real(attrs: tuple[Any, ...], a: TensorType) -> Result:
    return a.shape[:-2], a.dtype.to_real()


def _like_first(attrs: tuple[Any, ...], a: TensorType) -> Result:
    return a.shape, a.dtype


det = composite("det", _det, _per_matrix, doc="determinant", widened=False)
det_sign = composite("det_sign", _det_sign, _per_matrix, doc="determinant / |determinant|, or 0", widened=False)
log_abs_det = composite("log_abs_det", _log_abs_det, _per_matrix_real, doc="ln |determinant|", widened=False)
cofactors = composite("cofactors", _cofactors, _like_first, doc="∂det/∂a, conjugated", widened=False)


# The pseudoinverse.


def _reciprocals(values: Node, magnitude: Node, atol: Node, rtol: Node) -> Node:
    """1/x, and 0 where |x| is not above both tolerances, of which ``rtol`` counts from the largest magnitude."""
    if values.shape[-1] == 0:
        return values
    largest = reduce_max(magnitude, axes=(values.rank - 1,))
    cutoff = ew.maximum(as_column(atol), as_column(rtol) * largest)
    return ew.where(ew.gt(magnitude, cutoff), 1 / values, values.like(0))


def _pinv(a: Node, atol: Node, rtol: Node, *, hermitian: bool) -> Node:
    if hermitian:
        values, vectors = parts(fa.eigh(a, upper=False))
        values = real(values)
        inverse = _reciprocals(values, ew.abs_(values), atol, rtol)
        return matmul(vectors * cast(as_row(inverse), a.dtype), adjoint(vectors))
    left, values, right = parts(fa.svd(a, full_matrices=False))
    values = real(values)
    inverse = _reciprocals(values, values, atol, rtol)
    return matmul(adjoint(right) * cast(as_row(inverse), a.dtype), adjoint(left))


def _infer_pinv(attrs: tuple[Any, ...], a: TensorType, atol: TensorType, rtol: TensorType) -> Result:
    batch = broadcast_shapes("pinv", a.shape[:-2], atol.shape, rtol.shape)
    return (*batch, a.shape[-1], a.shape[-2]), a.dtype


pinv = composite(
    "pinv",
    _pinv,
    _infer_pinv,
    ("hermitian",),
    "Moore-Penrose inverse (a, atol, rtol); singular values not above the tolerances count as 0",
    widened=False,
)


# Least squares.


def _least_squares(a: Node, b: Node, *, rcond: float, driver: str) -> Node:
    return parts(fa.lstsq(a, b, rcond=rcond, driver=driver))[0]


def _infer_least_squares(attrs: tuple[Any, ...], a: TensorType, b: TensorType) -> Result:
    return (*a.shape[:-2], a.shape[-1], b.shape[-1]), a.dtype


least_squares = composite(
    "least_squares",
    _least_squares,
    _infer_least_squares,
    ("rcond", "driver"),
    "x of least |a·x - b| per column",
    widened=False,
)


# Products of Householder reflections.


def _reflected(reflectors: Node, tau: Node, other: Node, *, adjoint: bool) -> Node:
    """Q·other or Qᴴ·other with Q = (I - τ₁·v₁·v₁ᴴ)·(I - τ₂·v₂·v₂ᴴ)…, as I - V·T·Vᴴ.

    R. Schreiber and C. Van Loan, "A storage-efficient WY representation for products of Householder transformations"
    (1989). Here T = (I + D·striu(Vᴴ·V))⁻¹·D with D = diag(τ), so one triangular system applies it, for any τ.
    """
    count = tau.shape[-1]
    vectors = lower(columns(reflectors, 0, count), -1) + identity((reflectors.shape[-2], count), reflectors)
    transposed = conj(swap_last(vectors))
    scale = as_column(tau)
    system = upper(matmul(transposed, vectors), 1) * scale
    inner = matmul(transposed, other)
    if adjoint:
        inner = fa.triangular_solve(conj(swap_last(system)), inner, upper=False, unitriangular=True) * conj(scale)
    else:
        inner = fa.triangular_solve(system, inner * scale, upper=True, unitriangular=True)
    return other - matmul(vectors, inner)


def _infer_reflected(attrs: tuple[Any, ...], reflectors: TensorType, tau: TensorType, other: TensorType) -> Result:
    batch = broadcast_shapes("householder_product", reflectors.shape[:-2], tau.shape[:-1], other.shape[:-2])
    return (*batch, *other.shape[-2:]), other.dtype


reflected = composite(
    "reflected",
    _reflected,
    _infer_reflected,
    ("adjoint",),
    "(reflectors, τ, other): the product of Householder reflections times other",
    widened=False,
)


# Systems whose factorization is given.


def _infer_lu_solve(attrs: tuple[Any, ...], factors: TensorType, order: TensorType, b: TensorType) -> Result:
    return fa.solution_shape("lu_solve", factors, b), b.dtype


lu_solve = composite(
    "lu_solve",
    lambda factors, order, b, adjoint: lu_solved(factors, order, b, adjoint),
    _infer_lu_solve,
    ("adjoint",),
    "x with a·x = b (aᴴ·x = b if adjoint), from (LU, row order, b)",
    widened=False,
    unsaved_input=2,
)


def _cholesky_solve(b: Node, factor: Node, *, upper: bool) -> Node:
    other = conj(swap_last(factor))
    first, second = (other, factor) if upper else (factor, other)
    halfway = fa.triangular_solve(first, b, upper=False, unitriangular=False)
    return fa.triangular_solve(second, halfway, upper=True, unitriangular=False)


def _infer_cholesky_solve(attrs: tuple[Any, ...], b: TensorType, factor: TensorType) -> Result:
    return fa.solution_shape("cholesky_solve", factor, b), b.dtype


cholesky_solve = composite(
    "cholesky_solve",
    _cholesky_solve,
    _infer_cholesky_solve,
    ("upper",),
    "x with a·x = b, from (b, L) with a = L·Lᴴ, or (b, U) with a = Uᴴ·U if upper",
    widened=False,
)
