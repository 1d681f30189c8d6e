"""Norms, and what singular values say about a matrix: its rank, condition number and pseudoinverse."""

from __future__ import annotations

from math import inf, prod
from typing import Any

from lazygrad.ir.composites import linear_algebra as la
from lazygrad.ir.dtype import DType, int64
from lazygrad.ir.node import Node
from lazygrad.ops.arguments.keywords import numpy_keywords
from lazygrad.ops.arguments.kinds import Dim
from lazygrad.ops.arguments.operands import cast_node, is_scalar, scalar_node, tensor_argument
from lazygrad.ops.arguments.out import accepts_out
from lazygrad.ops.arguments.tracing import traced
from lazygrad.ops.creation.filled import filled
from lazygrad.ops.creation.like import new_zeros
from lazygrad.ops.linalg.eigenvalues import eigvalsh, svdvals
from lazygrad.ops.linalg.matrices import BOTH_REFUSED, check_dtype, check_square, matrix
from lazygrad.ops.linalg.matrix_norm import matrix_normed
from lazygrad.ops.linalg.systems import inv_ex
from lazygrad.ops.pointwise.arithmetic import abs, mul
from lazygrad.ops.pointwise.division import div
from lazygrad.ops.pointwise.relational import gt, maximum
from lazygrad.ops.pointwise.selection import masked_fill, where
from lazygrad.ops.reductions.extrema import amax
from lazygrad.ops.reductions.sums import sum as sum_
from lazygrad.ops.reductions.vector_norm import normed
from lazygrad.ops.shapes.parts import select
from lazygrad.ops.shapes.reshaping import unsqueeze
from lazygrad.tensor import Tensor
from lazygrad.tensor_base import record

__all__ = ["norm", "cond", "matrix_rank", "pinv"]


@accepts_out
@traced
@numpy_keywords
def norm(
    A: Tensor,
    ord: float | str | None = None,
    dim: Dim = None,
    keepdim: bool = False,
    *,
    dtype: DType | None = None,
) -> Tensor:
    """A norm of vectors or of matrices; see `vector_norm` and `matrix_norm`.

    Args:
        A: floating or complex dtype.
        ord: None for the root of the sum of all squares; else as for a vector if ``dim`` is one dimension, and as for
            a matrix if it is two.
        dim: None for all dimensions, which must be one or two if ``ord`` is given.
        keepdim: keep reduced dimensions with size 1.
        dtype: cast to this dtype, which must not be narrower, first.

    Raises:
        RuntimeError: integers; another number of dimensions; an unknown ``ord``.
    """
    rank = tensor_argument(A, "linalg.norm", "A").ndim
    axes = (dim,) if isinstance(dim, int) else dim
    if axes is not None and ord is not None and len(axes) not in (1, 2):
        raise RuntimeError(f"linalg.norm: If dim is specified, it must be of length 1 or 2. Got {list(axes)}")
    if axes is None and ord is not None and rank not in (1, 2):
        raise RuntimeError(f"linalg.norm: If dim is not specified but ord is, the input must be 1D or 2D. Got {rank}D.")
    if ord is None:
        return normed("linalg.norm", A, 2, axes, keepdim, dtype)
    chosen = tuple(range(rank)) if axes is None else tuple(axes)
    if len(chosen) == 2 or isinstance(ord, str):
        return matrix_normed("linalg.norm", A, ord, chosen, keepdim, dtype)
    return normed("linalg.norm", A, ord, chosen, keepdim, dtype)


@accepts_out
def cond(A: Tensor, p: float | str | None = None) -> Tensor:
    """The condition number: a norm of A times that of its inverse, infinite for singular matrices.

    Args:
        A: shape (…, m, n), float or complex; square unless ``p`` is None, 2 or -2.
        p: which norm, see `matrix_norm`; None for 2, the ratio of the largest to the smallest singular value.

    Raises:
        RuntimeError: not square, integers, or another ``p``. NotImplementedError: 16-bit floats.
        LinAlgError: numbers that are not finite; when the result is computed.
    """
    name = "linalg.cond"
    node = matrix(name, A)
    known = ("fro", "nuc") if isinstance(p, str) else (None, 1, -1, 2, -2, inf, -inf)
    if p not in known:
        raise RuntimeError(f"linalg.cond got an invalid norm type: {p}")
    if p is None or (is_scalar(p) and p in (2, -2)):
        check_dtype(name, node.dtype)
        if not prod(node.shape):
            return new_zeros(A, node.shape[:-2], dtype=node.dtype.to_real())
        values = svdvals(A)
        largest, smallest = select(values, -1, 0), select(values, -1, values.shape[-1] - 1)
        return div(smallest, largest) if p == -2 else div(largest, smallest)
    check_square(name, node)
    check_dtype(name, node.dtype, BOTH_REFUSED)
    if not prod(node.shape):
        return new_zeros(A, node.shape[:-2], dtype=node.dtype.to_real())
    inverse, info = inv_ex(A)
    inverse = masked_fill(inverse, unsqueeze(unsqueeze(gt(info, 0), -1), -1), inf)
    of_matrix, of_inverse = (matrix_normed(name, x, p, (-2, -1), False, None) for x in (A, inverse))
    return mul(of_matrix, of_inverse)


def _tolerance(name: str, argument: str, value: Any, A: Node) -> Tensor:
    """A number, or a tensor that broadcasts to the batch, in the real dtype of ``A``."""
    if not isinstance(value, Tensor):
        return Tensor.from_node(scalar_node(float(value), A.dtype.to_real(), A.device))
    if value.dtype.is_complex:
        raise RuntimeError(f"{name}: {argument} tensor of complex type is not supported. Got {value.dtype.name}")
    return Tensor.from_node(cast_node(value.node(), A.dtype.to_real()))


def _tolerances(name: str, A: Node, atol: Any, rtol: Any) -> tuple[Tensor, Tensor]:
    """The absolute and the relative tolerance; a relative one is assumed where neither is given."""
    check_dtype(name, A.dtype, BOTH_REFUSED)
    absolute = _tolerance(name, "atol", 0 if atol is None else atol, A)
    if rtol is not None:
        return absolute, _tolerance(name, "rtol", rtol, A)
    assumed = la.epsilon(A) * max(A.shape[-2:])
    if atol is None or not isinstance(atol, Tensor):
        return absolute, _tolerance(name, "rtol", 0 if atol else assumed, A)
    return absolute, where(gt(absolute, 0), 0.0, _tolerance(name, "rtol", assumed, A))


@accepts_out
def matrix_rank(
    A: Tensor,
    tol: float | Tensor | None = None,
    hermitian: bool = False,
    *,
    atol: float | Tensor | None = None,
    rtol: float | Tensor | None = None,
) -> Tensor:
    """How many singular values are larger than max(atol, rtol · the largest), in int64.

    Args:
        A: shape (…, m, n), float or complex.
        tol: another name of ``atol``, with an ``rtol`` of 0.
        hermitian: A is Hermitian, so magnitudes of eigenvalues are counted, from its lower triangle.
        atol, rtol: numbers, or tensors that broadcast to the batch; without both, ``rtol`` is the precision times
            max(m, n).

    Raises:
        RuntimeError: integers, 16-bit floats, a complex tolerance; not square if ``hermitian``.
    """
    name = "linalg.matrix_rank"
    node = matrix(name, A)
    if tol is not None:
        atol, rtol = tol, 0.0
    absolute, relative = _tolerances(name, node, atol, rtol)
    if hermitian:
        check_square(name, node)
    if not prod(node.shape[-2:]):
        return filled(node.shape[:-2], 0, int64, node.device)
    values = abs(eigvalsh(A)) if hermitian else svdvals(A)
    cutoff = maximum(absolute, mul(relative, amax(values, -1)))
    return sum_(gt(values, unsqueeze(cutoff, -1)), -1)


@accepts_out
def pinv(
    A: Tensor,
    rcond: float | Tensor | None = None,
    hermitian: bool = False,
    *,
    atol: float | Tensor | None = None,
    rtol: float | Tensor | None = None,
) -> Tensor:
    """The Moore-Penrose inverse, shape (…, n, m), in which small singular values count as 0.

    Args:
        A: shape (…, m, n), float or complex.
        rcond: another name of ``rtol``.
        hermitian: A is Hermitian, so its eigenvalues are used, from its lower triangle.
        atol, rtol: singular values not larger than max(atol, rtol · the largest) are small; numbers, or tensors that
            broadcast to the batch; without both, ``rtol`` is the precision times max(m, n).

    Raises:
        RuntimeError: integers, 16-bit floats, a complex tolerance; not square if ``hermitian``.
        LinAlgError: numbers that are not finite; when the result is computed.
    """
    name = "linalg.pinv"
    node = matrix(name, A)
    absolute, relative = _tolerances(name, node, atol, rtol if rcond is None else rcond)
    if hermitian:
        check_square(name, node)
    return record(la.pinv, (node, absolute.node(), relative.node()), (hermitian,))
