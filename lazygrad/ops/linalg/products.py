"""Products of vectors and matrices."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from lazygrad.ir.composites.linear import linear as linear_op
from lazygrad.ir.dtype import Category, DType, Scalar
from lazygrad.ir.node import Node
from lazygrad.ir.primitives import contraction, movement
from lazygrad.ir.primitives import elementwise as ew
from lazygrad.ir.primitives.leaf import straight_through
from lazygrad.ir.shape import ShapeError
from lazygrad.ops.arguments.old_order import in_new_order
from lazygrad.ops.arguments.operands import promoted, scalar_node, tensor_argument
from lazygrad.ops.arguments.out import accepts_out, needs_separate_out
from lazygrad.ops.arguments.precision import lower_precision
from lazygrad.ops.arguments.reducing import reshaped
from lazygrad.ops.arguments.registering import broadcast_node, method
from lazygrad.ops.arguments.tracing import traced
from lazygrad.ops.linalg.einsum import sum_of_products
from lazygrad.ops.pointwise import arithmetic
from lazygrad.ops.reductions.sums import sum as sum_
from lazygrad.tensor import Tensor
from lazygrad.tensor_base import record, record_node

__all__ = ["matmul", "mm", "bmm", "mv", "dot", "outer", "ger", "addmm", "addmv", "baddbmm", "bilinear", "trace"]


def operand(name: str, argument: str, value: Any, rank: int) -> Node:
    """``value``'s node.

    Raises:
        TypeError: not a tensor.
        RuntimeError: another number of dimensions.
    """
    node = tensor_argument(value, name, argument).node()
    if node.rank != rank:
        kind = ("a number", "a vector", "a matrix", "a 3D tensor (a batch of matrices)")[rank]
        raise RuntimeError(f"{name}: {argument} must be {kind}, but got a {node.rank}D tensor {node.type}")
    return node


def product_of(a: Node, b: Node) -> Node:
    return record_node(contraction.matmul, (a, b))


def _matrix_vector(matrix: Node, vector: Node) -> Node:
    columns, size = matrix.type.shape[-1], vector.type.shape[0]
    if columns != size:
        rows = prod(matrix.type.shape[:-1])
        raise ShapeError(f"size mismatch, got input ({rows}), mat ({rows}x{columns}), vec ({size})")
    product = product_of(matrix, reshaped(vector, (vector.type.shape[0], 1)))
    return reshaped(product, product.type.shape[:-1])


def _inner_product(a: Node, b: Node, name: str) -> Node:
    """Of two vectors."""
    first, second = a.type.shape[0], b.type.shape[0]
    if first != second:
        raise ShapeError(f"{name}: inconsistent tensor size, expected tensor [{first}] and src [{second}] to have the "
                         f"same number of elements, but got {first} and {second} elements respectively")  # fmt: skip
    return reshaped(_matrix_vector(reshaped(a, (1, *a.type.shape)), b), ())


@accepts_out
@method("__matmul__")
@lower_precision
def matmul(input: Tensor, other: Tensor) -> Tensor:
    """The product of vectors, matrices or batches of matrices.

    A vector counts as one row on the left and one column on the right, and its extra dimension is dropped again;
    dimensions before the last two are batches, which broadcast.

    Args:
        input: shape (…, n, k) or (k,).
        other: shape (…, k, m) or (k,), of the same dtype.

    Raises:
        RuntimeError: a 0-dim tensor, sizes that do not fit, different dtypes, bools.
        TypeError: an argument that is not a tensor.
    """
    a, b = tensor_argument(input, "matmul").node(), tensor_argument(other, "matmul", "other").node()
    if a.rank > 1 and b.rank > 1:
        return record(contraction.matmul, (a, b))
    if not a.rank or not b.rank:
        raise RuntimeError(f"both arguments to matmul need to be at least 1D, but they are {a.rank}D and {b.rank}D")
    return _with_vector(input, other)


@traced
def _with_vector(input: Tensor, other: Tensor) -> Tensor:
    a, b = input.node(), other.node()
    if b.rank == 1:
        return Tensor.from_node(_matrix_vector(a, b) if a.rank > 1 else _inner_product(a, b, "matmul"))
    product = product_of(reshaped(a, (1, *a.type.shape)), b)
    return Tensor.from_node(reshaped(product, (*product.type.shape[:-2], product.type.shape[-1])))


@method("__rmatmul__")
def _reverse_matmul(input: Tensor, other: Tensor | np.ndarray) -> Tensor:
    """A numpy array, or what `matmul` takes, times ``input``; an array is promoted as in elementwise arithmetic."""
    if isinstance(other, np.ndarray):
        first, second = promoted("matmul", other, input)
        return matmul(Tensor.from_node(first), Tensor.from_node(second))
    return matmul(other, input)


@accepts_out
@method()
@lower_precision
def mm(input: Tensor, mat2: Tensor) -> Tensor:
    """The product of two matrices, (n, k) and (k, m).

    Raises:
        RuntimeError: not matrices, sizes that do not fit, different dtypes.
    """
    return record(contraction.matmul, (operand("mm", "self", input, 2), operand("mm", "mat2", mat2, 2)))


@accepts_out
@method()
@lower_precision
def bmm(input: Tensor, mat2: Tensor) -> Tensor:
    """The products of two batches of matrices, (b, n, k) and (b, k, m), without broadcasting.

    Raises:
        RuntimeError: not batches of matrices of one length, sizes that do not fit, different dtypes.
    """
    first, second = operand("bmm", "batch1", input, 3), operand("bmm", "batch2", mat2, 3)
    return Tensor.from_node(_batch_product("bmm", first, second))


def _batch_product(name: str, a: Node, b: Node) -> Node:
    if a.type.shape[0] != b.type.shape[0] or a.type.shape[2] != b.type.shape[1]:
        expected = [a.type.shape[0], a.type.shape[2]]
        raise RuntimeError(f"{name}: Expected size for first two dimensions of batch2 tensor to be: {expected} but "
                           f"got: {list(b.type.shape[:2])}.")  # fmt: skip
    return product_of(a, b)


@accepts_out
@method()
@traced
def mv(input: Tensor, vec: Tensor) -> Tensor:
    """The product of a matrix (n, k) and a vector (k,).

    Raises:
        RuntimeError: other numbers of dimensions, sizes that do not fit, different dtypes.
    """
    return Tensor.from_node(_matrix_vector(operand("mv", "input", input, 2), operand("mv", "vec", vec, 1)))


@accepts_out
@method()
@traced
def dot(input: Tensor, tensor: Tensor) -> Tensor:
    """The inner product of two vectors of one length, 0-dim.

    Raises:
        RuntimeError: not vectors, different lengths or dtypes.
    """
    a, b = tensor_argument(input, "dot").node(), tensor_argument(tensor, "dot", "tensor").node()
    if a.rank != 1 or b.rank != 1:
        raise RuntimeError(f"dot: 1D tensors expected, but got {a.rank}D and {b.rank}D tensors")
    return Tensor.from_node(_inner_product(a, b, "dot"))


@accepts_out
@needs_separate_out
@method("ger")
@traced
def outer(input: Tensor, vec2: Tensor) -> Tensor:
    """All products of the elements of two vectors, (n,) and (m,): shape (n, m), in the promoted dtype.

    Raises:
        RuntimeError: not vectors.
    """
    column, row = operand("outer", "input", input, 1), operand("outer", "vec2", vec2, 1)
    return arithmetic.mul(Tensor.from_node(reshaped(column, (*column.type.shape, 1))), Tensor.from_node(row))


ger = outer  # PyTorch's second name


# Sums of a product and a tensor.


def whole(dtype: DType, *factors: Scalar) -> list[Scalar]:
    """Factors of integers, without their fractions: batched products drop these where others refuse them."""
    return [int(factor) if dtype.category is Category.INTEGER else factor for factor in factors]  # type: ignore[arg-type]


def added(name: str, input: Tensor, product: Node, beta: Scalar, alpha: Scalar) -> Tensor:
    """beta·input + alpha·product; with beta 0 the input counts only by its shape, NaN or not, as in PyTorch."""
    base = tensor_argument(input, name).node()
    if base.dtype is not product.dtype:
        raise RuntimeError(f"{name}: self and the product must have the same dtype, but got {base.dtype.name} and "
                           f"{product.dtype.name}")  # fmt: skip
    if product.dtype.category is Category.INTEGER:
        beta, alpha = int(beta.real), int(alpha.real)  # PyTorch drops the fractions
    base = broadcast_node(base, product.type.shape)
    scaled = _scaled(product, alpha)
    total = record_node(ew.add, (_scaled(base, beta), scaled))
    return Tensor.from_node(total) if beta != 0 else record(straight_through, (scaled, total))


def _scaled(node: Node, factor: Scalar) -> Node:
    return node if factor == 1 else record_node(ew.mul, (node, scalar_node(factor, node.dtype, node.device)))


@accepts_out
@method(inplace=True)
@lower_precision
@traced
def addmm(input: Tensor, mat1: Tensor, mat2: Tensor, *old: Any, beta: Scalar = 1, alpha: Scalar = 1) -> Tensor:
    """beta·input + alpha·(mat1 · mat2), of shape (n, m).

    Args:
        input: broadcasts to (n, m).
        mat1: shape (n, k).
        mat2: shape (k, m).
        beta: 0 ignores the values of ``input``.
        alpha: factor of the product.

    Raises:
        RuntimeError: shapes that do not fit or dtypes that differ.
    """
    if old:
        return in_new_order(addmm, (input, mat1, mat2, *old), "beta", "alpha")
    product = product_of(operand("addmm", "mat1", mat1, 2), operand("addmm", "mat2", mat2, 2))
    return added("addmm", input, product, beta, alpha)


@accepts_out
@method(inplace=True)
@traced
def addmv(input: Tensor, mat: Tensor, vec: Tensor, *old: Any, beta: Scalar = 1, alpha: Scalar = 1) -> Tensor:
    """beta·input + alpha·(mat · vec), of shape (n,); see `addmm`.

    Raises:
        RuntimeError: shapes that do not fit or dtypes that differ.
    """
    if old:
        return in_new_order(addmv, (input, mat, vec, *old), "beta", "alpha")
    product = _matrix_vector(operand("addmv", "mat", mat, 2), operand("addmv", "vec", vec, 1))
    return added("addmv", input, product, beta, alpha)


@accepts_out
@method(inplace=True)
@lower_precision
@traced
def baddbmm(input: Tensor, batch1: Tensor, batch2: Tensor, *old: Any, beta: Scalar = 1, alpha: Scalar = 1) -> Tensor:
    """beta·input + alpha·(batch1 · batch2), of shape (b, n, m); see `addmm` and `bmm`.

    Raises:
        RuntimeError: shapes that do not fit or dtypes that differ.
    """
    if old:
        return in_new_order(baddbmm, (input, batch1, batch2, *old), "beta", "alpha")
    a, b = operand("baddbmm", "batch1", batch1, 3), operand("baddbmm", "batch2", batch2, 3)
    return added("baddbmm", input, _batch_product("baddbmm", a, b), *whole(a.dtype, beta, alpha))


# Layers.


@lower_precision
def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """input · weightᵀ + bias over the last dimension.

    Args:
        input: shape (…, in_features).
        weight: shape (out_features, in_features), or (in_features,) for one output without a dimension of its own.
        bias: shape (out_features,), or any that broadcasts to the result.

    Raises:
        RuntimeError: shapes that do not fit, different dtypes.
    """
    x = tensor_argument(input, "linear").node()
    w = tensor_argument(weight, "linear", "weight").node()
    if bias is None:
        return matmul(input, weight) if w.rank == 1 else record(linear_op, (x, w))
    b = tensor_argument(bias, "linear", "bias").node()
    if w.rank == 2 and b.type.shape == w.type.shape[:1]:
        return record(linear_op, (x, w, b))
    product = linear(input, weight).node()
    return record(ew.add, (product, broadcast_node(b, product.type.shape)))


def bilinear(input1: Tensor, input2: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """input1ᵀ · weight[o] · input2 + bias[o] for every output o.

    Args:
        input1: shape (…, in1).
        input2: shape (…, in2), with the leading dimensions of ``input1``.
        weight: shape (out, in1, in2).
        bias: shape (out,).

    Returns:
        Shape (…, out).

    Raises:
        RuntimeError: shapes that do not fit, different dtypes.
    """
    first, second, sizes = input1.shape, input2.shape, weight.shape
    if len(sizes) != 3 or not first or not second or (first[-1], second[-1]) != sizes[1:]:
        raise RuntimeError(f"bilinear(): input sizes {tuple(first)} and {tuple(second)} do not match the weight size "
                           f"{tuple(sizes)}, which should be (out, in1, in2)")  # fmt: skip
    if first[:-1] != second[:-1]:
        raise RuntimeError(f"bilinear(): input batch dimensions do not match: got {tuple(first)} and {tuple(second)}")
    product = sum_of_products("...i,oij,...j->...o", (input1, weight, input2))
    return product if bias is None else arithmetic.add(product, bias)


@method()
def trace(input: Tensor) -> Tensor:
    """The sum of a matrix's diagonal, 0-dim.

    Raises:
        RuntimeError: not a matrix.
    """
    operand("trace", "input", input, 2)
    return sum_(input.moved(movement.diagonal, (0, 0, 1)))
