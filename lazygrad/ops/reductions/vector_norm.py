"""p-norms of vectors.

Where a norm has no slope, because it or an element is 0, its gradient is 0, as in PyTorch.
"""

from __future__ import annotations

from math import inf
from typing import Any

from lazygrad.ir.dtype import DType
from lazygrad.ir.node import Node
from lazygrad.ir.primitives import elementwise as ew
from lazygrad.ir.primitives import reduction as rd
from lazygrad.ir.shape import normalize_axes
from lazygrad.ops.arguments.keywords import numpy_keywords
from lazygrad.ops.arguments.kinds import Dim
from lazygrad.ops.arguments.operands import cast_node, is_scalar, scalar_node, tensor_argument
from lazygrad.ops.arguments.out import accepts_out
from lazygrad.ops.arguments.reducing import Axes, extent, reduced, replaced, square_root, widened, without_axes
from lazygrad.ops.arguments.tracing import traced
from lazygrad.tensor import Tensor
from lazygrad.tensor_base import record_node

__all__ = ["vector_norm"]


@accepts_out
@traced
@numpy_keywords
def vector_norm(
    x: Tensor, ord: float = 2, dim: Dim = None, keepdim: bool = False, *, dtype: DType | None = None
) -> Tensor:
    """(Σ |x|^ord)^(1/ord) over ``dim``, of the elements as one vector; real, also of complex numbers.

    Args:
        x: floating or complex dtype; 16-bit floats are computed in float32.
        ord: a number; ±inf for the largest or smallest magnitude; 0 counts the nonzero.
        dim: None for all dimensions, an int or several.
        keepdim: keep reduced dimensions with size 1.
        dtype: cast to this dtype, which must not be narrower, first.

    Raises:
        TypeError: ``ord`` is not a number.
        RuntimeError: integers or bools; a ``dtype`` of another category or narrower than that of ``x``; a negative or
            infinite ``ord`` of no elements.
    """
    return normed("linalg.vector_norm", x, ord, dim, keepdim, dtype)


def normed(name: str, x: Tensor, ord: Any, dim: Dim, keepdim: bool, dtype: DType | None) -> Tensor:
    """`vector_norm` for the function ``name``, which errors mention."""
    node = tensor_argument(x, name, "x").node()
    if not node.dtype.differentiable:
        raise RuntimeError(f"{name}: Expected a floating point or complex tensor as input. Got {node.dtype.name}")
    if getattr(ord, "shape", None) == ():  # a number of numpy, or a tensor of one
        ord = ord.item()
    if not is_scalar(ord) or isinstance(ord, complex):
        raise TypeError(f"{name}(): argument 'ord' must be a number, not {type(ord).__name__}")
    axes = normalize_axes(dim, node.rank, name)
    if (ord < 0 or ord == inf) and extent(node.type.shape, axes) == 0:
        raise RuntimeError(f"{name} cannot compute the {ord} norm of no elements (shape {node.type.shape}, dim {dim}) "
                           f"because the operation does not have an identity")  # fmt: skip
    target = node.dtype if dtype is None else norm_dtype(name, node.dtype, dtype)
    operand = widened(cast_node(node, target))
    if target.is_complex:
        operand = record_node(ew.abs_, (operand,))
    return without_axes(cast_node(_norm(operand, axes, ord), target.to_real()), axes, keepdim)


def norm_dtype(name: str, source: DType, dtype: DType) -> DType:
    """``dtype``, in which a norm of ``source`` is to be computed.

    Raises:
        RuntimeError: of another category, or narrower.
    """
    if not dtype.differentiable:
        raise RuntimeError(f"{name}: dtype should be floating point or complex. Got {dtype.name}")
    if dtype.is_complex is not source.is_complex:
        kind = "complex" if source.is_complex else "real"
        raise RuntimeError(f"{name}: dtype should be {kind} for {kind} inputs, but got {dtype.name}")
    if dtype.itemsize < source.itemsize or (dtype.itemsize == source.itemsize and dtype is not source):
        raise RuntimeError(f"{name}: the dtype of the input ({source.name}) should be convertible without narrowing to "
                           f"the specified dtype ({dtype.name})")  # fmt: skip
    return dtype


def _norm(node: Node, axes: Axes, p: float) -> Node:
    if p == 2:
        return square_root(reduced(rd.reduce_sum, record_node(ew.mul, (node, node)), axes))
    magnitude = record_node(ew.abs_, (node,))
    if p == 0:
        return _count(magnitude, axes)
    if p == 1:
        return reduced(rd.reduce_sum, magnitude, axes)
    if p in (inf, -inf):
        return reduced(rd.reduce_max if p > 0 else rd.reduce_min, magnitude, axes)
    return _power(reduced(rd.reduce_sum, _power(magnitude, p), axes), 1 / p)


def _count(magnitude: Node, axes: Axes) -> Node:
    """How many elements are not 0, NaN among them."""
    nonzero = record_node(ew.ne, (magnitude, scalar_node(0, magnitude.dtype, magnitude.device)))
    return reduced(rd.reduce_sum, replaced(magnitude, nonzero, 1), axes)


def _power(node: Node, exponent: float) -> Node:
    """x^exponent of x ≥ 0; below 1, where the slope at 0 is infinite, without gradient there."""
    power = scalar_node(exponent, node.dtype, node.device)
    if exponent >= 1:
        return record_node(ew.pow_, (node, power))
    is_zero = record_node(ew.eq, (node, scalar_node(0, node.dtype, node.device)))
    return replaced(record_node(ew.pow_, (replaced(node, is_zero, 1), power)), is_zero, 0 if exponent > 0 else inf)
