"""The strides that PyTorch's result of the same program would have, which decide where random numbers go.

Results are row-major here. In PyTorch an elementwise result lies in memory as its operands do, where these are permuted
without gaps; and PyTorch draws the mask of a dropout, or numbers like a tensor, in the order of memory. So whoever
draws asks for that order. It follows from what was recorded, and nobody else pays for it. Values whose history is gone
(computed, and asked for no gradient) count as row-major.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum

from lazygrad.ir.callable_op import Composite
from lazygrad.ir.composites import activation, logarithm, pooling, quotient
from lazygrad.ir.composites import normalization as norm
from lazygrad.ir.composites.random import dropout
from lazygrad.ir.memory_format import channels_last, channels_last_3d, memory_order
from lazygrad.ir.node import Node
from lazygrad.ir.op import Kind, Op
from lazygrad.ir.primitives import contraction, leaf, movement
from lazygrad.ir.primitives import elementwise as ew
from lazygrad.ir.primitives.movement import apply_to_view, view_chain
from lazygrad.ir.shape import Shape
from lazygrad.ir.view import View, contiguous_strides
from lazygrad.tensor import Tensor

Strides = tuple[int, ...]

_MOST_KNOWN = 1 << 14
_known: dict[int, Strides | None] = {}  # by serial: each draw asks again for what the one before has walked over

_NUMBERS = {leaf.constant, leaf.scalar}
_SECOND = {ew.require, ew.after}  # ops that give their second input back
_POINTWISE = {dropout, quotient.truncated_quotient} | {
    op
    for module in (activation, logarithm)
    for op in vars(module).values()
    if isinstance(op, Composite) and op is not activation.logsigmoid  # whose result PyTorch makes row-major
}
_OF_IMAGES = {contraction.conv, norm.batch_norm, pooling.max_pool}  # channels stay the last dimension where they are


def view_in_pytorch(tensor: Tensor) -> View:
    """Shape and strides of the tensor as PyTorch would have them; the offset is not looked at."""
    contents, chain = tensor._storage.value, tensor._chain
    if tensor._storage.version and contents.op is ew.clone:
        return tensor.view_of_storage()  # `copy_` put it there, and the memory stayed where it was
    strides = _permuted_strides(contents)
    if strides is None or not all([op.is_view for op, _ in chain]):
        return tensor.view_of_storage()
    view = View(contents.type.shape, strides)
    for op, attrs in chain:
        view = _moved(view, op, attrs)
    return view


def is_row_major_in_pytorch(tensor: Tensor) -> bool:
    """Whether PyTorch's tensor would be contiguous."""
    return view_in_pytorch(tensor).is_contiguous


def order_in_pytorch(tensor: Tensor) -> tuple[int, ...]:
    """The dimensions from the outermost to the innermost in PyTorch's memory."""
    return memory_order(view_in_pytorch(tensor))


def _permuted_strides(node: Node) -> Strides | None:
    """The strides of a node's value in PyTorch; None where it is row-major."""
    if not node.inputs or _rules.get(node.op) is _ROW_MAJOR:
        return _known.get(node.serial)
    if len(_known) > _MOST_KNOWN:
        _known.clear()
    pending = [node]
    while pending:
        last = pending[-1]
        if last.serial in _known:
            pending.pop()
            continue
        sources = _deciding(last)
        count = len(pending)
        for source in sources:
            if source.inputs and source.serial not in _known and _rules.get(source.op) is not _ROW_MAJOR:
                pending.append(source)
        if len(pending) == count:
            _known[last.serial] = _strides(last, sources)
    return _known[node.serial]


class _Rule(Enum):
    """What decides how a result lies in memory."""

    ROW_MAJOR = "nothing"
    POINTWISE = "all operands, the first ones most"
    ALIAS = "the one operand whose elements it names"
    IMAGES = "whether channels are last"


_ROW_MAJOR = _Rule.ROW_MAJOR
_rules: dict[Op, _Rule] = {}


def _rule(op: Op) -> _Rule:
    if op is ew.contiguous:
        return _ROW_MAJOR
    if op.is_alias or op in _SECOND:
        return _Rule.ALIAS
    if op.kind is Kind.ELEMENTWISE or op in _POINTWISE:
        return _Rule.POINTWISE
    return _Rule.IMAGES if op in _OF_IMAGES else _ROW_MAJOR


def _deciding(node: Node) -> Sequence[Node]:
    """The inputs whose strides decide those of a node; none where it is row-major in any case."""
    op, inputs = node.op, node.inputs
    rule = _rules.get(op)
    if rule is None:
        rule = _rules[op] = _rule(op)
    if rule is _Rule.POINTWISE:
        return inputs
    if rule is _ROW_MAJOR or (op is movement.expand and inputs[0].op in _NUMBERS):
        return ()  # also a tensor that is filled with a number
    if rule is _Rule.IMAGES:
        return () if node.rank not in (4, 5) else inputs[:2] if op is contraction.conv else inputs[:1]
    return inputs[1:2] if op in _SECOND else inputs[:1]


def _strides(node: Node, sources: Sequence[Node]) -> Strides | None:
    """The strides of a node, by those of ``sources``, which are known; None where it is row-major."""
    op = node.op
    if not op.is_view:
        for source in sources:
            if _known.get(source.serial) is not None:
                break
        else:
            return None
    elif not sources:
        return None
    if op is ew.clone and _is_in_an_order(sources[0]):
        return None
    shape = node.type.shape
    views = [
        View(source.type.shape, _known.get(source.serial) or contiguous_strides(source.type.shape))
        for source in sources
        if source.type.shape or op.is_view
    ]
    if op.is_view:
        found = _moved(views[0], op, node.attrs).strides
    elif _rules[op] is _Rule.POINTWISE:
        found = elementwise_strides(shape, views)
    else:
        found = _of_images(shape, views) if _rules[op] is _Rule.IMAGES else views[0].strides
    return None if found == contiguous_strides(shape) else found


def _is_in_an_order(source: Node) -> bool:
    """Whether a copy is row-major because its source was permuted for that, not as PyTorch's value lies."""
    if not source.op.is_view or source.op is movement.flip:
        return False
    return _known.get(view_chain(source)[0].serial) is None


def _moved(view: View, op: Op, attrs: tuple[object, ...]) -> View:
    if op is movement.flip:
        return view  # a copy in PyTorch, in its input's order
    return apply_to_view(view, op, attrs) or View.contiguous(_reshaped(attrs))


def _reshaped(attrs: tuple[object, ...]) -> Shape:
    shape = attrs[0]
    assert isinstance(shape, tuple)
    return shape


def _of_images(shape: Shape, views: Sequence[View]) -> Strides:
    """Channels are last in the result if they are in any of the inputs."""
    wanted = channels_last if len(shape) == 4 else channels_last_3d
    axes = wanted.axes
    assert axes is not None
    if not any([_has_order(view, axes) for view in views]):
        return contiguous_strides(shape)
    return _dense(shape, axes[::-1])


def _has_order(view: View, axes: Sequence[int]) -> bool:
    """Whether the strides grow from the last to the first of ``axes``, beyond doubt."""
    least = 0
    for axis in reversed(axes):
        stride = view.strides[axis]
        if stride < least or stride == 0 or (axis == 0 and least == view.strides[axes[-1]]):
            return False
        least = stride * view.shape[axis] if view.shape[axis] > 1 else stride
    return True


def elementwise_strides(shape: Shape, operands: Sequence[View]) -> Strides:
    """Strides without gaps of an elementwise result, whose dimensions are in the operands' order.

    Args:
        shape: of the result.
        operands: the first ones count most; those that are repeated along a dimension say nothing about it.
    """
    first = operands[0]
    if all([view.shape == shape and view.strides == first.strides for view in operands]) and _is_dense(first):
        return first.strides
    steps = [_aligned(view, shape) for view in operands]
    inside_out = list(range(len(shape) - 1, -1, -1))
    for place in range(1, len(shape)):
        current = place
        for inner in range(place - 1, -1, -1):
            verdict = _outer(inside_out[inner], inside_out[current], shape, steps)
            if verdict is None:
                continue
            if not verdict:
                break
            inside_out[inner], inside_out[current] = inside_out[current], inside_out[inner]
            current = inner
    return _dense(shape, inside_out)


def _outer(axis: int, other: int, shape: Shape, steps: Sequence[Strides]) -> bool | None:
    """Whether ``axis`` lies outside ``other``; None where no operand tells."""
    for strides in steps:
        if strides[axis] and strides[other]:
            if strides[axis] != strides[other]:
                return strides[axis] > strides[other]
            if shape[axis] > shape[other]:
                return True
    return None


def _aligned(view: View, shape: Shape) -> Strides:
    """A stride per dimension of ``shape``, 0 where the operand is repeated."""
    lead = len(shape) - len(view.shape)
    own = [
        0 if size == 1 and shape[lead + axis] != 1 else abs(stride)
        for axis, (size, stride) in enumerate(zip(view.shape, view.strides, strict=True))
    ]
    return (*(0,) * lead, *own)


def _dense(shape: Shape, inside_out: Sequence[int]) -> Strides:
    strides, step = [0] * len(shape), 1
    for axis in inside_out:
        strides[axis] = step
        step *= max(shape[axis], 1)
    return tuple(strides)


def _is_dense(view: View) -> bool:
    """Whether the elements lie without gaps, in any order of dimensions."""
    expected = 1
    for stride, size in sorted(zip(view.strides, view.shape, strict=True)):
        if size == 1:
            continue
        if stride != expected:
            return False
        expected *= size
    return True
