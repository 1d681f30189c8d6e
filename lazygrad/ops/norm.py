"""p-norms of vectors.

Where a norm has no slope, because it or an element is 0, its gradient is 0, as in PyTorch.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

from lazygrad.ir.dtype import DType
from lazygrad.ir.node import Node
from lazygrad.ir.primitives import elementwise as ew
from lazygrad.ir.primitives import reduction as rd
from lazygrad.ir.shape import normalize_axes
from lazygrad.ops.operands import cast_node, is_scalar, scalar_node, tensor_argument
from lazygrad.ops.out import accepts_out
from lazygrad.ops.reducing import Axes, extent, reduced, replaced, square_root, widened, without_axes
from lazygrad.ops.registering import method
from lazygrad.tensor import Tensor, record_node

__all__ = ["norm"]

Dim = int | Sequence[int] | None


@accepts_out
@method()
def norm(
    input: Tensor,
    p: float | str | None = "fro",
    dim: Dim = None,
    keepdim: bool = False,
    dtype: DType | None = None,
) -> Tensor:
    """(Σ |x|^p)^(1/p) over ``dim``, of the elements as one vector.

    Args:
        input: floating dtype; 16-bit floats are computed in float32.
        p: a number; "fro" or None for 2; ±inf for the largest or smallest magnitude; 0 counts the nonzero.
        dim: None for all dimensions, an int or several.
        keepdim: keep reduced dimensions with size 1.
        dtype: cast to this dtype first.

    Raises:
        RuntimeError: integers or bools; an unknown name; a negative or infinite ``p`` of no elements.
        NotImplementedError: the nuclear norm.
    """
    node = tensor_argument(input, "norm").node()
    if not node.dtype.differentiable:
        raise RuntimeError(f"norm: Expected a floating point tensor, but got {node.dtype.name}; cast with .float()")
    order = _order(p)
    axes = normalize_axes(dim, node.rank, "norm")
    if (order < 0 or order == inf) and extent(node.type.shape, axes) == 0:
        raise RuntimeError(f"norm cannot compute the {order} norm of no elements (shape {node.type.shape}, dim {dim}) "
                           f"because the operation does not have an identity")  # fmt: skip
    target = dtype or node.dtype
    operand = widened(cast_node(node, target))
    if target.is_complex:
        operand = record_node(ew.abs_, (operand,))
    return without_axes(cast_node(_norm(operand, axes, order), target.to_real()), axes, keepdim)


def _order(p: float | str | None) -> float:
    if p is None or p == "fro":
        return 2
    if p == "nuc":
        raise NotImplementedError("norm: the nuclear norm needs singular values, which are not implemented")
    if isinstance(p, str) or not is_scalar(p):
        raise RuntimeError(f"norm: order {p!r} is not supported; give a number, inf, 'fro' or None")
    return p


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
