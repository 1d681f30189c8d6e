"""Determinants, inverses, powers and further products, under the names of the top-level namespace."""

from __future__ import annotations

from math import nan
from typing import Any

from lazygrad.ir.dtype import Scalar
from lazygrad.ir.primitives import movement
from lazygrad.ops import return_types
from lazygrad.ops.arguments.elsewhere import answers_elsewhere
from lazygrad.ops.arguments.old_order import in_new_order
from lazygrad.ops.arguments.operands import tensor_argument
from lazygrad.ops.arguments.out import accepts_out, needs_separate_out
from lazygrad.ops.arguments.precision import lower_precision
from lazygrad.ops.arguments.reducing import reshaped
from lazygrad.ops.arguments.registering import method
from lazygrad.ops.arguments.tracing import traced
from lazygrad.ops.linalg import determinants, matrix_products
from lazygrad.ops.linalg.contraction import tensordot
from lazygrad.ops.linalg.matrix_products import chain_product
from lazygrad.ops.linalg.norms import pinv
from lazygrad.ops.linalg.products import added, dot, operand, outer, product_of, whole
from lazygrad.ops.linalg.systems import inv
from lazygrad.ops.pointwise.arithmetic import add, mul
from lazygrad.ops.pointwise.complex_numbers import conj
from lazygrad.ops.pointwise.elementary import log
from lazygrad.ops.pointwise.relational import eq
from lazygrad.ops.pointwise.selection import where
from lazygrad.ops.shapes.reshaping import reshape
from lazygrad.tensor import Tensor
from lazygrad.tensor_base import record_node

# fmt: off
__all__ = [
    "addbmm", "addr", "chain_matmul", "cross", "det", "inner", "inverse", "kron", "logdet", "matrix_exp",
    "matrix_power", "pinverse", "slogdet", "vdot",
]
# fmt: on


@answers_elsewhere
@method()
def det(input: Tensor) -> Tensor:
    """The determinant of square matrices; see `lazygrad.linalg.det`."""
    return determinants.det(input)


@accepts_out
@method()
def slogdet(input: Tensor) -> return_types.slogdet:
    """Sign and logarithm of the determinant; see `lazygrad.linalg.slogdet`."""
    return return_types.slogdet(*determinants.slogdet(input))


@answers_elsewhere
@method()
def logdet(input: Tensor) -> Tensor:
    """The logarithm of the determinant of square matrices: NaN where it is negative, -∞ where it is 0.

    Raises:
        RuntimeError: not square, integers or 16-bit floats.
    """
    sign, magnitude = determinants.slogdet(input)
    return add(log(sign), magnitude) if sign.dtype.is_complex else where(eq(sign, -1), nan, magnitude)


@accepts_out
@method()
def inverse(input: Tensor) -> Tensor:
    """The inverse of square matrices; see `lazygrad.linalg.inv`."""
    return inv(input)


@method()
def pinverse(input: Tensor, rcond: float = 1e-15) -> Tensor:
    """The Moore-Penrose inverse; see `lazygrad.linalg.pinv`, whose relative tolerance ``rcond`` is."""
    return pinv(input, rcond)


@accepts_out
@method()
def matrix_power(input: Tensor, n: int) -> Tensor:
    """The ``n``-th power of square matrices; see `lazygrad.linalg.matrix_power`."""
    return matrix_products.matrix_power(input, n)


@method()
def matrix_exp(input: Tensor) -> Tensor:
    """The exponential of square matrices; see `lazygrad.linalg.matrix_exp`."""
    return matrix_products.matrix_exp(input)


@accepts_out
@needs_separate_out
@method()
def cross(input: Tensor, other: Tensor, dim: int | None = None) -> Tensor:
    """The cross product of vectors of 3 elements; other dimensions broadcast.

    Args:
        dim: the dimension of the vectors; by default the first of size 3.

    Raises:
        RuntimeError: different numbers of dimensions, a size other than 3, or no dimension of size 3.
        NotImplementedError: bools. IndexError: ``dim`` out of range.
    """
    if dim is not None:
        return matrix_products.cross(input, other, dim=dim)
    sizes = list(tensor_argument(input, "cross").shape)
    if 3 not in sizes:
        raise RuntimeError("no dimension of size 3 in input")
    return matrix_products.cross(input, other, dim=sizes.index(3))


# Products of vectors.


@accepts_out
@method()
def vdot(input: Tensor, other: Tensor) -> Tensor:
    """Σ conj(input)·other of two vectors, 0-dim.

    Raises:
        RuntimeError: not vectors, different lengths or dtypes.
    """
    operand("vdot", "self", input, 1)
    return dot(conj(input), other)


@accepts_out
@method()
@traced
@lower_precision
def inner(input: Tensor, other: Tensor) -> Tensor:
    """Sums of products along the last dimensions of both, for all others of ``input`` and then all of ``other``.

    A number multiplies.

    Raises:
        RuntimeError: last dimensions of different sizes; different dtypes.
    """
    first, second = tensor_argument(input, "inner").shape, tensor_argument(other, "inner", "other").shape
    if not first or not second:
        return mul(input, other)
    if first[-1] != second[-1]:
        raise RuntimeError(f"inner() the last dimension must match on both input tensors but got shapes "
                           f"{list(first)} and {list(second)}")  # fmt: skip
    return tensordot(input, other, ([-1], [-1]))


@accepts_out
@method()
@traced
def kron(input: Tensor, other: Tensor) -> Tensor:
    """The Kronecker product: every element of ``input`` times all of ``other``, as blocks.

    Sizes are multiplied dimension by dimension; a tensor with fewer dimensions gets leading ones of size 1.
    """
    first, second = list(tensor_argument(input, "kron").shape), list(tensor_argument(other, "kron", "other").shape)
    rank = max(len(first), len(second))
    first, second = [1] * (rank - len(first)) + first, [1] * (rank - len(second)) + second
    blocks = reshape(input, [size for n in first for size in (n, 1)])
    product = mul(blocks, reshape(other, [size for n in second for size in (1, n)]))
    return reshape(product, [n * m for n, m in zip(first, second, strict=True)])


@accepts_out
def chain_matmul(*matrices: Tensor) -> Tensor:
    """The product of matrices, multiplied in the order that takes the fewest operations.

    Raises:
        RuntimeError: none, not matrices, sizes or dtypes that do not fit.
    """
    if not matrices:
        raise RuntimeError("chain_matmul(): Expected one or more matrices")
    for matrix in matrices:
        operand("chain_matmul()", "every operand", matrix, 2)
    return chain_product("chain_matmul()", list(matrices))


# Sums of a product and a tensor.


@accepts_out
@method(inplace=True)
@lower_precision
def addbmm(input: Tensor, batch1: Tensor, batch2: Tensor, *old: Any, beta: Scalar = 1, alpha: Scalar = 1) -> Tensor:
    """beta·input + alpha·Σ batch1[i]·batch2[i], of shape (n, m); see `addmm`.

    Args:
        input: broadcasts to (n, m).
        batch1: shape (b, n, k).
        batch2: shape (b, k, m).

    Raises:
        RuntimeError: shapes that do not fit, different dtypes, fractional factors of integers.
    """
    if old:
        return in_new_order(addbmm, (input, batch1, batch2, *old), "beta", "alpha")
    a, b = operand("addbmm", "batch1", batch1, 3), operand("addbmm", "batch2", batch2, 3)
    count, rows, inner_size = a.shape
    if b.shape[:2] != (count, inner_size):
        raise RuntimeError(f"addbmm: Expected size for first two dimensions of batch2 tensor to be: "
                           f"{[count, inner_size]} but got: {list(b.shape[:2])}.")  # fmt: skip
    # Joined along what is summed, the batch is one product.
    wide = reshaped(record_node(movement.permute, (a,), ((1, 0, 2),)), (rows, count * inner_size))
    tall = reshaped(b, (count * inner_size, b.shape[2]))
    return added("addbmm", input, product_of(wide, tall), *whole(a.dtype, beta, alpha))


@accepts_out
@method(inplace=True)
def addr(input: Tensor, vec1: Tensor, vec2: Tensor, *old: Any, beta: Scalar = 1, alpha: Scalar = 1) -> Tensor:
    """beta·input + alpha·(all products of the elements of two vectors), of shape (n, m); bools with "and" and "or".

    Args:
        input: broadcasts to (n, m).
        vec1: shape (n,).
        vec2: shape (m,).
        beta: 0 ignores the values of ``input``.
        alpha: factor of the products.

    Raises:
        RuntimeError: shapes that do not fit, fractional factors of integers.
    """
    if old:
        return in_new_order(addr, (input, vec1, vec2, *old), "beta", "alpha")
    operand("addr", "vec1", vec1, 1), operand("addr", "vec2", vec2, 1)
    return added("addr", input, outer(vec1, vec2).node(), beta, alpha)
