"""Factorizations of matrices: Cholesky, LU, LDL, QR. Leading dimensions are a batch.

Derivatives: see `lazygrad.autodiff.rules_factorization`. Whether a factorization succeeds shows when it is computed:
`LinAlgError` is raised where a value is first needed, and the variants with ``_ex`` say it in ``info`` instead.
"""

from __future__ import annotations

from lazygrad.ir.composites.linear_algebra import reflected
from lazygrad.ir.dtype import int32
from lazygrad.ir.node import Node
from lazygrad.ir.primitives import factorization as fa
from lazygrad.ops import return_types
from lazygrad.ops.arguments.operands import tensor_argument
from lazygrad.ops.arguments.out import accepts_out
from lazygrad.ops.arguments.tracing import traced
from lazygrad.ops.creation.ranges import eye
from lazygrad.ops.linalg.lu_parts import unpacked
from lazygrad.ops.linalg.matrices import (
    NOT_IMPLEMENTED,
    check_dtype,
    check_same_dtype,
    conjugated,
    factorized,
    float_matrix,
    integers_of,
    matrix,
    nothing_of,
    square_matrix,
    transposed,
)
from lazygrad.tensor import Tensor
from lazygrad.tensor_base import record

# fmt: off
__all__ = [
    "cholesky", "cholesky_ex", "lu", "lu_factor", "lu_factor_ex", "ldl_factor", "ldl_factor_ex", "qr",
    "householder_product",
]
# fmt: on


def cholesky_factors(node: Node, upper: bool, check: str) -> return_types.linalg_cholesky_ex:
    """L with A = L·Lᴴ, or U with A = Uᴴ·U, and info."""
    factor, info = factorized(fa.cholesky, (node,), (upper, check))
    result = Tensor.from_node(conjugated(transposed(factor)) if upper else factor)
    return return_types.linalg_cholesky_ex(result, integers_of(info, int32))


@accepts_out
@traced
def cholesky(A: Tensor, *, upper: bool = False) -> Tensor:
    """The lower triangular L with A = L·Lᴴ of a positive definite matrix, or the upper triangular U with A = Uᴴ·U.

    Args:
        A: shape (…, n, n), float or complex; only the triangle that is returned is read.
        upper: return U.

    Raises:
        RuntimeError: not square, or integers. NotImplementedError: 16-bit floats.
        LinAlgError: a matrix is not positive definite; when the result is computed.
    """
    return cholesky_factors(square_matrix("linalg.cholesky", A), upper, "linalg.cholesky").L


@accepts_out
@traced
def cholesky_ex(A: Tensor, *, upper: bool = False, check_errors: bool = False) -> return_types.linalg_cholesky_ex:
    """`cholesky` that does not raise: (L, info), where info (int32) is 0, or the order of the leading minor that is
    not positive.

    Args:
        check_errors: raise LinAlgError after all.
    """
    check = "linalg.cholesky_ex" if check_errors else ""
    return cholesky_factors(square_matrix("linalg.cholesky_ex", A), upper, check)


def _pivoted(name: str, A: Tensor, pivot: bool) -> Node:
    node = matrix(name, A)
    if not pivot:
        raise RuntimeError(f"{name}: LU without pivoting is not implemented on the CPU")
    check_dtype(name, node.dtype, NOT_IMPLEMENTED)
    return node


@accepts_out
def lu(A: Tensor, *, pivot: bool = True) -> return_types.linalg_lu:
    """(P, L, U) with A = P·L·U: a permutation matrix, a lower triangle with ones on its diagonal, an upper triangle.

    Args:
        A: shape (…, m, n), float or complex. With k = min(m, n), P is (…, m, m), L (…, m, k) and U (…, k, n).

    Raises:
        RuntimeError: fewer than two dimensions; ``pivot=False``.
        NotImplementedError: integers or 16-bit floats.
    """
    node = _pivoted("linalg.lu", A, pivot)
    factors, pivots, _ = factorized(fa.lu, (node,), ("",))
    return return_types.linalg_lu(*unpacked(factors, pivots))


@accepts_out
def lu_factor(A: Tensor, *, pivot: bool = True) -> return_types.linalg_lu_factor:
    """(LU, pivots): the triangles of the LU decomposition in one matrix, and the row exchanges (int32, from 1).

    Raises:
        RuntimeError: fewer than two dimensions; ``pivot=False``.
        NotImplementedError: integers or 16-bit floats.
        LinAlgError: a pivot is 0; when the result is computed.
    """
    node = _pivoted("linalg.lu_factor", A, pivot)
    factors, pivots, _ = factorized(fa.lu, (node,), ("linalg.lu_factor",))
    return return_types.linalg_lu_factor(Tensor.from_node(factors), integers_of(pivots, int32))


@accepts_out
def lu_factor_ex(A: Tensor, *, pivot: bool = True, check_errors: bool = False) -> return_types.linalg_lu_factor_ex:
    """`lu_factor` that does not raise: (LU, pivots, info), where info (int32) is 0, or the first pivot that is 0.

    Args:
        check_errors: raise LinAlgError after all.
    """
    node = _pivoted("linalg.lu_factor_ex", A, pivot)
    factors, pivots, info = factorized(fa.lu, (node,), ("linalg.lu_factor_ex" if check_errors else "",))
    pivots_and_info = integers_of(pivots, int32), integers_of(info, int32)
    return return_types.linalg_lu_factor_ex(Tensor.from_node(factors), *pivots_and_info)


def _ldl(name: str, A: Tensor, hermitian: bool, check: bool) -> return_types.linalg_ldl_factor_ex:
    factors, pivots, info = factorized(fa.ldl, (square_matrix(name, A),), (hermitian, name if check else ""))
    pivots_and_info = integers_of(pivots, int32), integers_of(info, int32)
    return return_types.linalg_ldl_factor_ex(Tensor.from_node(factors), *pivots_and_info)


@accepts_out
def ldl_factor(A: Tensor, *, hermitian: bool = False) -> return_types.linalg_ldl_factor:
    """(LD, pivots) of A = L·D·Lᵀ with blocks of size 1 and 2 on D's diagonal, as LAPACK's sytrf packs them.

    Args:
        A: symmetric, shape (…, n, n), float or complex; its lower triangle is read.
        hermitian: A is Hermitian rather than symmetric.

    Raises:
        RuntimeError: not square, or integers. NotImplementedError: 16-bit floats; a gradient is asked for.
        LinAlgError: a block of D is 0; when the result is computed.
    """
    return return_types.linalg_ldl_factor(*_ldl("linalg.ldl_factor", A, hermitian, True)[:2])


@accepts_out
def ldl_factor_ex(
    A: Tensor, *, hermitian: bool = False, check_errors: bool = False
) -> return_types.linalg_ldl_factor_ex:
    """`ldl_factor` that does not raise: (LD, pivots, info), where info (int32) is 0, or the first block that is 0.

    Args:
        check_errors: raise LinAlgError after all.
    """
    return _ldl("linalg.ldl_factor_ex", A, hermitian, check_errors)


@accepts_out
def qr(A: Tensor, mode: str = "reduced") -> return_types.linalg_qr:
    """(Q, R) with A = Q·R, the columns of Q orthonormal and R upper triangular.

    Args:
        A: shape (…, m, n), float or complex. With k = min(m, n), Q is (…, m, k) and R (…, k, n).
        mode: "complete" for Q (…, m, m) and R (…, m, n); "r" for R alone, with an empty Q.

    Raises:
        RuntimeError: fewer than two dimensions, integers, or an unknown mode.
        NotImplementedError: 16-bit floats; a gradient in mode "r", or in mode "complete" with m > n.
    """
    node = float_matrix("linalg.qr", A)
    if mode not in ("reduced", "complete", "r"):
        raise RuntimeError(f"qr received unrecognized mode '{mode}' but expected one of 'reduced' (default), 'r', or "
                           f"'complete'")  # fmt: skip
    results = factorized(fa.qr, (node,), (mode,))
    q = nothing_of(results[0]) if mode == "r" else Tensor.from_node(results[0])
    return return_types.linalg_qr(q, Tensor.from_node(results[-1]))


def check_factors(name: str, reflectors: Node, tau: Node) -> None:
    """Raises RuntimeError for reflectors and factors that do not fit together."""
    columns = reflectors.shape[-1]
    if tau.rank != reflectors.rank - 1 or tau.shape[:-1] != reflectors.shape[:-2]:
        raise RuntimeError(f"{name}: Expected tau to have one dimension less than input, with the same batch, but got "
                           f"{list(tau.shape)} and {list(reflectors.shape)}")  # fmt: skip
    if tau.shape[-1] > columns:
        raise RuntimeError(f"{name}: input.shape[-1] must be greater than or equal to tau.shape[-1], but got "
                           f"{columns} and {tau.shape[-1]}")  # fmt: skip
    check_same_dtype(name, reflectors, tau, "input", "tau")
    check_dtype(name, reflectors.dtype, NOT_IMPLEMENTED)


@accepts_out
def householder_product(input: Tensor, tau: Tensor) -> Tensor:
    """The first n columns of (I - τ₁·v₁·v₁ᴴ)·(I - τ₂·v₂·v₂ᴴ)….

    Args:
        input: shape (…, m, n), m ≥ n; column i holds vᵢ below the diagonal, where vᵢ has a 1, and zeros above.
        tau: shape (…, k), k ≤ n, of the same dtype.

    Raises:
        RuntimeError: shapes or dtypes that do not fit. NotImplementedError: integers or 16-bit floats.
    """
    reflectors = matrix("linalg.householder_product", input, "input")
    factors = tensor_argument(tau, "linalg.householder_product", "tau").node()
    if reflectors.shape[-2] < reflectors.shape[-1]:
        raise RuntimeError(f"linalg.householder_product: input.shape[-2] must be greater than or equal to "
                           f"input.shape[-1], but input is {reflectors.type}")  # fmt: skip
    check_factors("linalg.householder_product", reflectors, factors)
    start = eye(*reflectors.shape[-2:], dtype=reflectors.dtype, device=reflectors.device)
    return record(reflected, (reflectors, factors, start.node()), (False,))
