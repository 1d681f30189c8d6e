"""Decompositions of large matrices, of which only the largest part is wanted."""

from __future__ import annotations

from lazygrad.ops.arguments.operands import tensor_argument
from lazygrad.ops.linalg import eigenvalues
from lazygrad.ops.linalg.factorizations import qr
from lazygrad.ops.linalg.matrices import check_dtype
from lazygrad.ops.linalg.products import matmul
from lazygrad.ops.pointwise.arithmetic import sub
from lazygrad.ops.pointwise.complex_numbers import adjoint
from lazygrad.ops.random.tensors import randn
from lazygrad.ops.reductions.sums import mean
from lazygrad.tensor import Tensor

__all__ = ["svd_lowrank", "pca_lowrank"]


def _checked(name: str, A: Tensor) -> Tensor:
    if tensor_argument(A, name, "A").ndim < 2:
        raise ValueError(f"{name}: A must have at least 2 dimensions, but it has {A.ndim}")
    check_dtype(name, A.dtype)
    return A


def svd_lowrank(
    A: Tensor, q: int | None = 6, niter: int | None = 2, M: Tensor | None = None
) -> tuple[Tensor, Tensor, Tensor]:
    """(U, S, V) with A ≈ U·diag(S)·Vᴴ of rank ``q``, by a randomized method.

    N. Halko, P. G. Martinsson and J. A. Tropp, "Finding structure with randomness" (2009), algorithms 4.4 and 5.1.

    Args:
        A: shape (…, m, n), float or complex.
        q: how many singular values; a bit more than are wanted.
        niter: subspace iterations, each of which sharpens the result.
        M: subtracted from A; broadcasts to its shape.

    Returns:
        U (…, m, q), S (…, q), V (…, n, q), with the generator's random numbers in them.

    Raises:
        ValueError: fewer than two dimensions. RuntimeError: integers. NotImplementedError: 16-bit floats.
    """
    matrix = _checked("svd_lowrank", A)
    if M is not None:
        matrix = sub(matrix, M)
    is_wide = matrix.shape[-2] < matrix.shape[-1]
    tall = adjoint(matrix) if is_wide else matrix
    basis = _range_finder(tall, 6 if q is None else q, 2 if niter is None else niter)
    left, values, right = eigenvalues.svd(matmul(adjoint(basis), tall), full_matrices=False)
    outer, inner = matmul(basis, left), adjoint(right)
    return (inner, values, outer) if is_wide else (outer, values, inner)


def _range_finder(A: Tensor, q: int, niter: int) -> Tensor:
    """Orthonormal columns whose span holds most of what ``A`` maps to."""
    start = randn(A.shape[-1], q, dtype=A.dtype, device=A.device)
    basis = qr(matmul(A, start)).Q
    for _ in range(niter):
        basis = qr(matmul(adjoint(A), basis)).Q
        basis = qr(matmul(A, basis)).Q
    return basis


def pca_lowrank(A: Tensor, q: int | None = None, center: bool = True, niter: int = 2) -> tuple[Tensor, Tensor, Tensor]:
    """(U, S, V): the principal components of rows of ``A`` are the columns of V; see `svd_lowrank`.

    Args:
        A: shape (…, m, n), float or complex: m samples of n features.
        q: how many; min(6, m, n) by default.
        center: subtract each feature's mean first.
        niter: subspace iterations.

    Raises:
        ValueError: fewer than two dimensions; ``q`` not in [0, min(m, n)]; a negative ``niter``.
        RuntimeError: integers. NotImplementedError: 16-bit floats.
    """
    m, n = _checked("pca_lowrank", A).shape[-2:]
    count = min(6, m, n) if q is None else q
    if not 0 <= count <= min(m, n):
        raise ValueError(f"q(={count}) must be non-negative integer and not greater than min(m, n)={min(m, n)}")
    if niter < 0:
        raise ValueError(f"niter(={niter}) must be non-negative integer")
    return svd_lowrank(sub(A, mean(A, -2, True)) if center else A, count, niter)
