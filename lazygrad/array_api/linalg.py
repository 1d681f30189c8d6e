"""The standard's extension ``linalg``: matrices are the last two dimensions, all others a batch."""

from __future__ import annotations

import builtins
from typing import Any, NamedTuple

from lazygrad import linalg
from lazygrad.array_api.axes import Axes
from lazygrad.array_api.operands import promoted
from lazygrad.array_api.products import matmul, matrix_transpose, tensordot, vecdot
from lazygrad.array_api.reductions import sum as _sum
from lazygrad.ir.dtype import DType
from lazygrad.ops import public
from lazygrad.tensor import Tensor

__all__ = [
    "cholesky", "cross", "det", "diagonal", "eig", "eigh", "eigvals", "eigvalsh", "inv", "matmul", "matrix_norm",
    "matrix_power", "matrix_rank", "matrix_transpose", "outer", "pinv", "qr", "slogdet", "solve", "svd", "svdvals",
    "tensordot", "trace", "vecdot", "vector_norm",
]  # fmt: skip


class EigResult(NamedTuple):
    """What `eig` returns."""

    eigenvalues: Tensor
    eigenvectors: Tensor


class EighResult(NamedTuple):
    """What `eigh` returns."""

    eigenvalues: Tensor
    eigenvectors: Tensor


class QRResult(NamedTuple):
    """What `qr` returns."""

    Q: Tensor
    R: Tensor


class SlogdetResult(NamedTuple):
    """What `slogdet` returns."""

    sign: Tensor
    logabsdet: Tensor


class SVDResult(NamedTuple):
    """What `svd` returns."""

    U: Tensor
    S: Tensor
    Vh: Tensor


def cholesky(x: Tensor, /, *, upper: builtins.bool = False) -> Tensor:
    """The triangular factor L of x = L Lᴴ, or U of x = Uᴴ U."""
    return linalg.cholesky(x, upper=upper)


def cross(x1: Tensor, x2: Tensor, /, *, axis: int = -1) -> Tensor:
    """Cross products of vectors of three elements; the other dimensions broadcast.

    Raises:
        ValueError: the vectors do not have three elements.
    """
    first, second = promoted("cross", x1, x2)
    if first.shape[axis] != 3 or second.shape[axis] != 3:
        shapes = f"{tuple(first.shape)} and {tuple(second.shape)}"
        raise ValueError(f"cross: dimension {axis} of shapes {shapes} must have size 3")
    first, second = public.broadcast_tensors(first, second)
    return linalg.cross(first, second, dim=axis)


def det(x: Tensor, /) -> Tensor:
    """Determinants."""
    return linalg.det(x)


def diagonal(x: Tensor, /, *, offset: int = 0) -> Tensor:
    """The ``offset``-th diagonals."""
    return linalg.diagonal(x, offset=offset)


def eig(x: Tensor, /) -> EigResult:
    """Eigenvalues and eigenvectors of square matrices, which are complex."""
    return EigResult(*linalg.eig(x))


def eigvals(x: Tensor, /) -> Tensor:
    """Eigenvalues of square matrices, which are complex."""
    return linalg.eigvals(x)


def eigh(x: Tensor, /) -> EighResult:
    """Eigenvalues, the smallest first, and eigenvectors of Hermitian matrices."""
    return EighResult(*linalg.eigh(x))


def eigvalsh(x: Tensor, /) -> Tensor:
    """Eigenvalues of Hermitian matrices, the smallest first."""
    return linalg.eigvalsh(x)


def inv(x: Tensor, /) -> Tensor:
    """Inverses."""
    return linalg.inv(x)


def matrix_norm(x: Tensor, /, *, keepdims: builtins.bool = False, ord: Any = "fro") -> Tensor:
    """Norms of matrices."""
    return linalg.matrix_norm(x, "fro" if ord is None else ord, keepdim=keepdims)


def matrix_power(x: Tensor, n: int, /) -> Tensor:
    """Products of ``n`` equal matrices; of the inverses for a negative ``n``."""
    return linalg.matrix_power(x, n)


def matrix_rank(x: Tensor, /, *, rtol: Any = None) -> Tensor:
    """How many singular values are larger than ``rtol`` times the largest."""
    return linalg.matrix_rank(x, rtol=rtol)


def outer(x1: Tensor, x2: Tensor, /) -> Tensor:
    """The products of all pairs of elements of two vectors."""
    return public.outer(*promoted("outer", x1, x2))


def pinv(x: Tensor, /, *, rtol: Any = None) -> Tensor:
    """Pseudoinverses; singular values below ``rtol`` times the largest count as zero."""
    return linalg.pinv(x, rtol=rtol)


def qr(x: Tensor, /, *, mode: str = "reduced") -> QRResult:
    """Orthonormal columns, and the upper triangle that they are multiplied by.

    Raises:
        ValueError: ``mode`` is neither ``"reduced"`` nor ``"complete"``.
    """
    if mode not in ("reduced", "complete"):
        raise ValueError(f"qr: mode must be 'reduced' or 'complete', not {mode!r}")
    return QRResult(*linalg.qr(x, mode))


def slogdet(x: Tensor, /) -> SlogdetResult:
    """Signs and logarithms of the sizes of determinants."""
    return SlogdetResult(*linalg.slogdet(x))


def solve(x1: Tensor, x2: Tensor, /) -> Tensor:
    """The solutions of x1 @ x = x2.

    Only an ``x2`` of one dimension is a vector. PyTorch takes a matrix for a stack of vectors where shapes allow that.
    """
    matrix, right = promoted("solve", x1, x2)
    if 1 < right.ndim < matrix.ndim:
        right = public.reshape(right, (1,) * (matrix.ndim - right.ndim) + tuple(right.shape))
    return linalg.solve(matrix, right)


def svd(x: Tensor, /, *, full_matrices: builtins.bool = True) -> SVDResult:
    """Singular vectors and values."""
    return SVDResult(*linalg.svd(x, full_matrices))


def svdvals(x: Tensor, /) -> Tensor:
    """Singular values, the largest first."""
    return linalg.svdvals(x)


def trace(x: Tensor, /, *, offset: int = 0, dtype: DType | None = None) -> Tensor:
    """Sums of the ``offset``-th diagonals."""
    return _sum(linalg.diagonal(x, offset=offset), axis=-1, dtype=dtype)


def vector_norm(x: Tensor, /, *, axis: Axes = None, keepdims: builtins.bool = False, ord: Any = 2) -> Tensor:
    """Norms of vectors along dimensions: of all elements for None, of each element for none."""
    if axis == ():
        return linalg.vector_norm(public.unsqueeze(x, -1), ord, -1)
    return linalg.vector_norm(x, ord, axis, keepdims)
