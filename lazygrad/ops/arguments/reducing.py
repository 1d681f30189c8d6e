"""What reductions and selections along an axis share.

The graph's reductions keep their axes with size 1; PyTorch's drop them unless told otherwise. 16-bit floats are
folded in float32, as PyTorch does, and rounded once at the end.
"""

from __future__ import annotations

import math
from typing import Any

from lazygrad.autograd_meta import is_tracked
from lazygrad.ir.dtype import Scalar, float32
from lazygrad.ir.node import Node
from lazygrad.ir.op import Op
from lazygrad.ir.primitives import elementwise as ew
from lazygrad.ir.primitives import indexing, movement
from lazygrad.ir.shape import Shape, normalize_axis
from lazygrad.levels import levels
from lazygrad.ops.arguments.operands import cast_node, scalar_node, tensor_argument
from lazygrad.runtime.recording import forward_mode_is_open
from lazygrad.tensor import Tensor
from lazygrad.tensor_base import record_node

Axes = tuple[int, ...]


def reshaped(node: Node, shape: Shape) -> Node:
    return node if node.type.shape == shape else record_node(movement.reshape, (node,), (shape,))


def reduced_shape(shape: Shape, axes: Axes, keepdim: bool) -> Shape:
    """``shape`` after a reduction over ``axes``."""
    if keepdim:
        return tuple(1 if axis in axes else size for axis, size in enumerate(shape))
    return tuple(size for axis, size in enumerate(shape) if axis not in axes)


def extent(shape: Shape, axes: Axes) -> int:
    """How many elements one result of a reduction over ``axes`` is made of."""
    return math.prod(shape[axis] for axis in axes)


def widened(node: Node) -> Node:
    """16-bit floats as float32; everything else as it is."""
    return cast_node(node, float32) if node.type.dtype.is_half else node


def reduced(op: Op, node: Node, axes: Axes) -> Node:
    """One recorded reduction, its axes kept; a 0-dim node, which has none, is copied."""
    return record_node(op, (node,), (axes,)) if axes else record_node(ew.contiguous, (node,))


def without_axes(node: Node, axes: Axes, keepdim: bool) -> Tensor:
    """The result of a reduction whose axes were kept, these axes dropped unless ``keepdim``."""
    return Tensor.from_node(node if keepdim else reshaped(node, reduced_shape(node.type.shape, axes, False)))


def square_root(node: Node) -> Node:
    """√x, x not −0.0, with derivative 0 at 0, where PyTorch's norms and standard deviations have no slope, not NaN."""
    if not (is_tracked(node) or levels.active or forward_mode_is_open()):
        return record_node(ew.sqrt, (node,))  # nobody can ask for the derivative
    is_zero = record_node(ew.eq, (node, scalar_node(0, node.type.dtype, node.type.device)))
    root = record_node(ew.sqrt, (replaced(node, is_zero, 1),))
    return replaced(root, is_zero, 0)


def replaced(node: Node, where: Node, value: Scalar) -> Node:
    """``node`` with a number where a condition holds; no gradient flows there."""
    return record_node(ew.where, (where, scalar_node(value, node.type.dtype, node.type.device), node))


# One axis, along which elements are compared.


def axis_operand(name: str, input: Tensor, dim: Any) -> tuple[Node, int]:
    """``input`` with at least one dimension, and ``dim`` counted from the front.

    Raises:
        TypeError, IndexError: ``dim`` is not an integer or is out of range.
    """
    node = tensor_argument(input, name).node()
    axis = normalize_axis(dim, node.rank, name)
    return reshaped(node, node.type.shape or (1,)), axis


def check_nonempty(name: str, shape: Shape, axis: int) -> None:
    """Raises IndexError where there is nothing to choose from along ``axis``."""
    if shape[axis] == 0:
        raise IndexError(f"{name}(): Expected reduction dim {axis} to have non-zero size.")


def selected(node: Node, index: Node, axis: int, shape: Shape) -> tuple[Tensor, Tensor]:
    """The elements of ``node`` that ``index`` names along ``axis``, and the index, both reshaped to ``shape``.

    Gradients go to the named elements.
    """
    values = record_node(indexing.gather, (node, index), (axis, False))
    return Tensor.from_node(reshaped(values, shape)), Tensor.from_node(reshaped(index, shape))


def selection_shape(input: Tensor, axis: int, keepdim: bool) -> Shape:
    """The shape of one element chosen per row of ``axis``; a 0-dim tensor stays one."""
    return reduced_shape(input.node().type.shape, (axis,), keepdim)
