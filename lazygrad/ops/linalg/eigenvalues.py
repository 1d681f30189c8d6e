"""Eigenvalues, eigenvectors and singular values. Leading dimensions are a batch.

Derivatives: see `lazygrad.autodiff.rules_eigenvalues`. Eigenvectors and singular vectors are determined up to sign, or
up to a complex factor of magnitude 1; derivatives are right for what does not depend on the choice, and infinite or
NaN where values repeat and the vectors take part.
"""

from __future__ import annotations

from lazygrad.ir.node import Node
from lazygrad.ir.primitives import factorization as fa
from lazygrad.ops import return_types
from lazygrad.ops.arguments.out import accepts_out
from lazygrad.ops.linalg.matrices import (
    NOT_IMPLEMENTED,
    factorized,
    float_matrix,
    real_tensor,
    square_matrix,
)
from lazygrad.tensor import Tensor
from lazygrad.tensor_base import record

__all__ = ["svd", "svdvals", "eigh", "eigvalsh", "eig", "eigvals"]


def _check_driver(name: str, driver: str | None) -> None:
    if driver is not None:
        raise RuntimeError(f"{name}: keyword argument `driver=` is only supported on CUDA inputs")


@accepts_out
def svd(A: Tensor, full_matrices: bool = True, *, driver: str | None = None) -> return_types.linalg_svd:
    """(U, S, Vh) with A = U·diag(S)·Vh: orthonormal columns of U and rows of Vh, S descending and not negative.

    Args:
        A: shape (…, m, n), float or complex. With k = min(m, n), S is (…, k), of real dtype.
        full_matrices: U is (…, m, m) and Vh (…, n, n); else (…, m, k) and (…, k, n).
        driver: must be None.

    Raises:
        RuntimeError: fewer than two dimensions, integers, or a driver. NotImplementedError: 16-bit floats.
        LinAlgError: numbers that are not finite; when the result is computed.
    """
    node = float_matrix("linalg.svd", A)
    _check_driver("linalg.svd", driver)
    left, values, right = factorized(fa.svd, (node,), (full_matrices,))
    return return_types.linalg_svd(Tensor.from_node(left), real_tensor(values), Tensor.from_node(right))


@accepts_out
def svdvals(A: Tensor, *, driver: str | None = None) -> Tensor:
    """The singular values, descending, shape (…, min(m, n)); see `svd`. Their derivative is defined if they repeat.

    Raises:
        RuntimeError: fewer than two dimensions, integers, or a driver. NotImplementedError: 16-bit floats.
        LinAlgError: numbers that are not finite; when the result is computed.
    """
    node = float_matrix("linalg.svdvals", A)
    _check_driver("linalg.svdvals", driver)
    return record(fa.svdvals, (node,))


def _hermitian(name: str, A: Tensor, uplo: str) -> tuple[Node, bool]:
    """The matrix, and whether its upper triangle is read."""
    node = square_matrix(name, A, errors=NOT_IMPLEMENTED)
    if not isinstance(uplo, str) or uplo.upper() not in ("L", "U"):
        raise RuntimeError(f"Expected UPLO argument to be 'L' or 'U', but got {uplo}")
    return node, uplo.upper() == "U"


@accepts_out
def eigh(A: Tensor, UPLO: str = "L") -> return_types.linalg_eigh:
    """(eigenvalues, eigenvectors) of a Hermitian matrix: A = Q·diag(L)·Qᴴ, L ascending and real, Q unitary.

    Args:
        A: shape (…, n, n), float or complex.
        UPLO: "L" reads the lower triangle, "U" the upper.

    Raises:
        RuntimeError: not square, or another ``UPLO``. NotImplementedError: integers or 16-bit floats.
    """
    node, upper = _hermitian("linalg.eigh", A, UPLO)
    values, vectors = factorized(fa.eigh, (node,), (upper,))
    return return_types.linalg_eigh(real_tensor(values), Tensor.from_node(vectors))


@accepts_out
def eigvalsh(A: Tensor, UPLO: str = "L") -> Tensor:
    """The eigenvalues of a Hermitian matrix, ascending; see `eigh`. Their derivative is defined if they repeat.

    Raises:
        RuntimeError: not square, or another ``UPLO``. NotImplementedError: integers or 16-bit floats.
    """
    node, upper = _hermitian("linalg.eigvalsh", A, UPLO)
    return record(fa.eigvalsh, (node,), (upper,))


@accepts_out
def eig(A: Tensor) -> return_types.linalg_eig:
    """(eigenvalues, eigenvectors) of a square matrix: A = V·diag(L)·V⁻¹, both complex, columns of V of norm 1.

    Args:
        A: shape (…, n, n), float or complex.

    Raises:
        RuntimeError: not square, or integers. NotImplementedError: 16-bit floats.
        RuntimeError: numbers that are not finite; when the result is computed.
    """
    values, vectors = factorized(fa.eig, (square_matrix("linalg.eig", A),))
    return return_types.linalg_eig(Tensor.from_node(values), Tensor.from_node(vectors))


@accepts_out
def eigvals(A: Tensor) -> Tensor:
    """The eigenvalues of a square matrix, complex, in no particular order; see `eig`.

    Raises:
        RuntimeError: not square, or integers. NotImplementedError: 16-bit floats.
        RuntimeError: numbers that are not finite; when the result is computed.
    """
    return record(fa.eigvals, (square_matrix("linalg.eigvals", A),))
