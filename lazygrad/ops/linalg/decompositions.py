"""Decompositions under the names of the top-level namespace, some of which `lazygrad.linalg` has renewed."""

from __future__ import annotations

from lazygrad.ir.composites import linear_algebra as la
from lazygrad.ir.dtype import int32
from lazygrad.ir.primitives import factorization as fa
from lazygrad.ops import return_types
from lazygrad.ops.arguments.keywords import also_named
from lazygrad.ops.arguments.operands import tensor_argument
from lazygrad.ops.arguments.out import accepts_out
from lazygrad.ops.arguments.registering import method
from lazygrad.ops.creation.like import new_empty, new_zeros
from lazygrad.ops.creation.ranges import eye
from lazygrad.ops.linalg import eigenvalues, factorizations, systems
from lazygrad.ops.linalg.factorizations import check_factors, cholesky_factors, householder_product
from lazygrad.ops.linalg.lu_parts import permutation, triangles
from lazygrad.ops.linalg.matrices import (
    NOT_IMPLEMENTED,
    check_dtype,
    check_same_dtype,
    check_square,
    conjugated,
    factorized,
    float_matrix,
    matrix,
    one_batch,
    square_matrix,
    transposed,
)
from lazygrad.ops.linalg.systems import solve_triangular
from lazygrad.ops.pointwise.complex_numbers import adjoint
from lazygrad.ops.shapes.layout import clone
from lazygrad.tensor import Tensor
from lazygrad.tensor_base import record, record_node

# fmt: off
__all__ = [
    "cholesky", "cholesky_inverse", "cholesky_solve", "geqrf", "lu", "lu_solve", "lu_unpack", "orgqr", "ormqr", "qr",
    "svd", "triangular_solve",
]
# fmt: on


@accepts_out
@method()
def cholesky(input: Tensor, upper: bool = False) -> Tensor:
    """The Cholesky factor of positive definite matrices; see `lazygrad.linalg.cholesky`."""
    node = matrix("cholesky", input, "input")
    check_square("cholesky", node)
    check_dtype("cholesky", node.dtype, NOT_IMPLEMENTED)
    return cholesky_factors(node, upper, "cholesky").L


@accepts_out
@method()
@also_named(input2="L")
def cholesky_solve(input: Tensor, L: Tensor, upper: bool = False) -> Tensor:
    """X with A·X = input, from the Cholesky factor of A.

    Args:
        input: shape (…, n, k), float or complex.
        L: the lower factor, shape (…, n, n), of the same dtype; the upper one with ``upper``.

    Raises:
        RuntimeError: shapes or dtypes that do not fit. NotImplementedError: integers or 16-bit floats.
    """
    b, factor = matrix("cholesky_solve", input, "b"), square_matrix("cholesky_solve", L, "u", NOT_IMPLEMENTED)
    check_same_dtype("cholesky_solve", b, factor, "b", "u")
    if b.shape[-2] != factor.shape[-1]:
        raise RuntimeError(f"cholesky_solve: Incompatible matrix sizes for b {b.type} and u {factor.type}")
    return record(la.cholesky_solve, (b, factor), (upper,))


@accepts_out
@method()
@also_named(input="L")
def cholesky_inverse(L: Tensor, upper: bool = False) -> Tensor:
    """The inverse of A, from the Cholesky factor of A; see `cholesky_solve`.

    Raises:
        RuntimeError: not square. NotImplementedError: integers or 16-bit floats.
    """
    node = square_matrix("cholesky_inverse", L, "L", NOT_IMPLEMENTED)
    return cholesky_solve(eye(node.shape[-1], dtype=node.dtype, device=node.device), L, upper)


# LU.


@accepts_out
def lu(A: Tensor, pivot: bool = True, get_infos: bool = False) -> tuple[Tensor, ...]:
    """(LU, pivots), or (LU, pivots, infos); see `lazygrad.linalg.lu_factor_ex`."""
    factors = factorizations.lu_factor_ex(A, pivot=pivot)
    return factors if get_infos else tuple(factors[:2])


@method("lu")
def _lu(A: Tensor, pivot: bool = True, get_infos: bool = False) -> tuple[Tensor, ...]:
    """(LU, pivots), or (LU, pivots, infos); see `lazygrad.linalg.lu_factor_ex`."""
    return tuple(lu(A, pivot, get_infos))


@accepts_out
@method()
def lu_solve(input: Tensor, LU_data: Tensor, LU_pivots: Tensor) -> Tensor:
    """X with A·X = input, from A's LU decomposition; see `lazygrad.linalg.lu_solve`."""
    return systems.lu_solve(LU_data, LU_pivots, input)


@accepts_out
def lu_unpack(
    LU_data: Tensor, LU_pivots: Tensor, unpack_data: bool = True, unpack_pivots: bool = True
) -> return_types.lu_unpack:
    """(P, L, U) with A = P·L·U, from what `lazygrad.linalg.lu_factor` returned for A.

    Args:
        LU_data: shape (…, m, n).
        LU_pivots: int32, shape (…, min(m, n)).
        unpack_data: False for an empty L and U.
        unpack_pivots: False for an empty P.

    Raises:
        RuntimeError: fewer than two dimensions, or pivots of another dtype or shape.
    """
    node = matrix("lu_unpack", LU_data, "LU_data")
    pivots = tensor_argument(LU_pivots, "lu_unpack", "LU_pivots").node()
    if unpack_pivots and pivots.dtype is not int32:
        raise RuntimeError("lu_unpack: LU_pivots is expected to be a contiguous tensor of int32")
    wanted = (*node.shape[:-2], min(node.shape[-2:]))
    if unpack_pivots and pivots.shape != wanted:
        raise RuntimeError(f"lu_unpack: expected LU_pivots of shape {list(wanted)}, but got {list(pivots.shape)}")
    empty = new_empty(LU_data, 0)
    lower, upper = triangles(node) if unpack_data else (empty, empty)
    return return_types.lu_unpack(permutation(pivots, node) if unpack_pivots else empty, lower, upper)


# QR.


@accepts_out
@method()
def geqrf(input: Tensor) -> return_types.geqrf:
    """(a, tau): R on and above the diagonal of ``a``, with the Householder reflections that make Q below it.

    Args:
        input: shape (…, m, n), float or complex; ``tau`` has the shape (…, min(m, n)).

    Raises:
        RuntimeError: fewer than two dimensions.
        NotImplementedError: integers or 16-bit floats; a gradient is asked for.
    """
    node = float_matrix("geqrf", input, "input", NOT_IMPLEMENTED)
    return return_types.geqrf(*[Tensor.from_node(part) for part in factorized(fa.geqrf, (node,))])


@accepts_out
@method()
@also_named(input2="tau")
def orgqr(input: Tensor, tau: Tensor) -> Tensor:
    """The columns of Q that `geqrf` describes; see `lazygrad.linalg.householder_product`."""
    return householder_product(input, tau)


@accepts_out
@method()
@also_named(input2="tau", input3="other")
def ormqr(input: Tensor, tau: Tensor, other: Tensor, left: bool = True, transpose: bool = False) -> Tensor:
    """Q·other, or other·Q if not ``left``, with the square Q that `geqrf` describes, without making it.

    Args:
        input: reflectors, shape (…, m, k); see `lazygrad.linalg.householder_product`.
        tau: shape (…, k).
        other: shape (…, m, n), or (…, n, m) if not ``left``, of the same dtype and batch.
        transpose: Qᴴ takes Q's place.

    Raises:
        RuntimeError: shapes or dtypes that do not fit. NotImplementedError: integers or 16-bit floats.
    """
    reflectors, b = matrix("ormqr", input, "input"), matrix("ormqr", other, "other")
    factors = tensor_argument(tau, "ormqr", "tau").node()
    if b.shape[-2 if left else -1] != reflectors.shape[-2]:
        raise RuntimeError(f"ormqr: other.shape[{-2 if left else -1}] must be equal to input.shape[-2], but got "
                           f"{b.type} and {reflectors.type}")  # fmt: skip
    check_factors("ormqr", reflectors, factors)
    check_same_dtype("ormqr", reflectors, b, "input", "other")
    if reflectors.shape[:-2] != b.shape[:-2]:
        raise RuntimeError(f"ormqr: Expected batch dimensions of other to be equal to those of input, but got {b.type} "
                           f"and {reflectors.type}")  # fmt: skip
    if left:
        return record(la.reflected, (reflectors, factors, b), (transpose,))
    found = record_node(la.reflected, (reflectors, factors, conjugated(transposed(b))), (not transpose,))
    return Tensor.from_node(conjugated(transposed(found)))


@accepts_out
@method()
def qr(input: Tensor, some: bool = True) -> return_types.qr:
    """(Q, R) with input = Q·R; ``some=False`` for a square Q. See `lazygrad.linalg.qr`."""
    return return_types.qr(*factorizations.qr(input, "reduced" if some else "complete"))


# Others.


@accepts_out
@method()
def svd(input: Tensor, some: bool = True, compute_uv: bool = True) -> return_types.svd:
    """(U, S, V) with input = U·diag(S)·Vᴴ; see `lazygrad.linalg.svd`, which returns Vᴴ.

    Args:
        some: False for square U and V.
        compute_uv: False for S alone: U and V, square, are zeros.
    """
    if compute_uv:
        left, values, right = eigenvalues.svd(input, full_matrices=not some)
        return return_types.svd(left, values, adjoint(right))
    values = eigenvalues.svdvals(input)
    batch = input.shape[:-2]
    left, right = (new_zeros(input, (*batch, side, side)) for side in input.shape[-2:])
    return return_types.svd(left, values, right)


@accepts_out
@method()
def triangular_solve(
    input: Tensor, A: Tensor, upper: bool = True, transpose: bool = False, unitriangular: bool = False
) -> return_types.triangular_solve:
    """(solution, cloned_coefficient): X with A·X = input, or Aᵀ·X = input, and a copy of A.

    `lazygrad.linalg.solve_triangular` takes its place.

    Args:
        input: shape (…, n, k).
        A: triangular, shape (…, n, n), of the same dtype.

    Raises:
        RuntimeError: shapes or dtypes that do not fit. NotImplementedError: integers or 16-bit floats.
    """
    b, a = matrix("triangular_solve", input, "b"), square_matrix("triangular_solve", A, errors=NOT_IMPLEMENTED)
    check_same_dtype("triangular_solve", b, a, "b", "A")
    a, b = one_batch("triangular_solve", a, b)
    triangle = Tensor.from_node(transposed(a) if transpose else a)
    found = solve_triangular(triangle, Tensor.from_node(b), upper=upper != transpose, unitriangular=unitriangular)
    return return_types.triangular_solve(found, clone(Tensor.from_node(a)))
