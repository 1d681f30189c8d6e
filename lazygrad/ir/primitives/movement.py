"""Movement primitives: each names elements of its input through a `View`; none computes."""

from __future__ import annotations

from typing import Any

from lazygrad.ir.callable_op import CallableOp
from lazygrad.ir.dtype import DType
from lazygrad.ir.node import Node, TensorType
from lazygrad.ir.op import Kind, Op
from lazygrad.ir.shape import Shape, ShapeError, infer_reshape
from lazygrad.ir.view import View

Result = tuple[Shape, DType]


def _reshape(attrs: tuple[Any, ...], x: TensorType) -> Result:
    return infer_reshape(x.shape, attrs[0]), x.dtype


def _permute(attrs: tuple[Any, ...], x: TensorType) -> Result:
    (axes,) = attrs
    if sorted(axes) != list(range(len(x.shape))):
        if len(axes) != len(x.shape):
            raise ShapeError(
                f"permute: number of dimensions in the tensor input does not match the length of the desired ordering "
                f"of dimensions i.e. input.dim() = {len(x.shape)} is not equal to len(dims) = {len(axes)}"
            )
        raise ShapeError(f"permute(): duplicate dims are not allowed, but got {axes} for {x}")
    return tuple(x.shape[a] for a in axes), x.dtype


def _expand(attrs: tuple[Any, ...], x: TensorType) -> Result:
    (shape,) = attrs
    lead = len(shape) - len(x.shape)
    if lead < 0:
        raise ShapeError(
            f"expand: the number of sizes provided ({len(shape)}) must be greater or equal to the number "
            f"of dimensions in the tensor ({len(x.shape)})"
        )
    for axis in reversed(range(len(x.shape))):
        have, want = x.shape[axis], shape[axis + lead]
        if have not in (1, want):
            raise ShapeError(
                f"expand: The expanded size of the tensor ({want}) must match the existing size ({have}) "
                f"at non-singleton dimension {axis + lead}.  Target sizes: {list(shape)}.  "
                f"Tensor sizes: {list(x.shape)}"
            )
    return tuple(shape), x.dtype


def _slice(attrs: tuple[Any, ...], x: TensorType) -> Result:
    starts, stops, steps = attrs
    for size, start, stop, step in zip(x.shape, starts, stops, steps, strict=True):
        if not (0 <= start <= size and start <= stop <= size and step > 0):
            raise ShapeError(f"slice: {start}:{stop}:{step} does not lie inside a dimension of size {size} of {x}")
    return tuple(len(range(a, b, s)) for a, b, s in zip(starts, stops, steps, strict=True)), x.dtype


def _flip(attrs: tuple[Any, ...], x: TensorType) -> Result:
    return x.shape, x.dtype


def _windows(attrs: tuple[Any, ...], x: TensorType) -> Result:
    size, stride, dilation = attrs
    view = View.contiguous(x.shape).windows(size, stride, dilation)
    if any(extent < 1 for extent in view.shape[len(x.shape) - len(size) : len(x.shape)]):
        raise ShapeError(f"windows of size {size} (dilation {dilation}) do not fit into {x}: the output would be empty")
    return view.shape, x.dtype


def _diagonal(attrs: tuple[Any, ...], x: TensorType) -> Result:
    return View.contiguous(x.shape).diagonal(*attrs).shape, x.dtype


reshape = CallableOp("reshape", Kind.MOVEMENT, _reshape, ("shape",), doc="the same elements in row-major order")
permute = CallableOp("permute", Kind.MOVEMENT, _permute, ("axes",), doc="dimensions in another order")
expand = CallableOp("expand", Kind.MOVEMENT, _expand, ("shape",), doc="size-1 dimensions repeated without copying")
slice_ = CallableOp(
    "slice", Kind.MOVEMENT, _slice, ("start", "stop", "step"), doc="every step-th element of a range per axis"
)
flip = CallableOp("flip", Kind.MOVEMENT, _flip, ("axes",), doc="axes in reverse order")
windows = CallableOp(
    "windows", Kind.MOVEMENT, _windows, ("size", "stride", "dilation"), doc="sliding windows, trailing"
)
diagonal = CallableOp("diagonal", Kind.MOVEMENT, _diagonal, ("offset", "axis1", "axis2"), doc="a diagonal, trailing")


def apply_to_view(view: View, op: Op, attrs: tuple[Any, ...]) -> View | None:
    """``view`` seen through one movement op; None where a reshape of it would need a copy."""
    if op is reshape:
        return view.reshape(attrs[0])
    transformed: View = getattr(view, op.name)(*attrs)
    return transformed


def view_chain(node: Node) -> tuple[Node, tuple[tuple[Op, tuple[Any, ...]], ...]]:
    """The first non-movement ancestor of ``node`` and the movement steps from it to ``node``."""
    if not node.op.is_view:
        return node, ()
    steps = []
    while node.op.is_view:
        steps.append((node.op, node.attrs))
        node = node.inputs[0]
    return node, tuple(reversed(steps))
