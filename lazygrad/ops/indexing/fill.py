"""Writing over a tensor: fill, fill_, zero_, copy_, fill_diagonal_."""

from __future__ import annotations

from math import prod

from lazygrad.autograd_meta import is_tracked, memory_seen_outside
from lazygrad.grad_mode import is_grad_enabled
from lazygrad.ir.build import iota
from lazygrad.ir.device import CPU
from lazygrad.ir.dtype import bool_, int64
from lazygrad.ir.node import Node
from lazygrad.ir.primitives import elementwise as ew
from lazygrad.ir.primitives import movement
from lazygrad.ir.primitives.leaf import mark_detached, number
from lazygrad.ir.primitives.transfer import copy
from lazygrad.ir.shape import numel
from lazygrad.ir.view import contiguous_strides
from lazygrad.ops.arguments.elsewhere import FAILED, answered_elsewhere
from lazygrad.ops.arguments.keywords import also_named
from lazygrad.ops.arguments.kinds import Operand
from lazygrad.ops.arguments.operands import as_scalar, assigned_node, cast_node, scalar_node, tensor_argument
from lazygrad.ops.arguments.registering import (
    broadcast_node,
    may_be_written_directly,
    method,
    number_written_directly,
    written_directly,
)
from lazygrad.ops.creation.from_data import copied
from lazygrad.ops.shapes.parts import between
from lazygrad.runtime.recording import forward_mode_is_open
from lazygrad.tensor import Tensor
from lazygrad.tensor_base import record_node
from lazygrad.versions import superseded

__all__ = ["fill"]


def overwrite(target: Tensor, value: Node, name: str) -> Tensor:
    """Replace all elements of ``target`` by ``value``, of its dtype and of a shape that broadcasts to its own.

    A result that was computed with gradients stays connected to what it was computed from, whose gradients are zero,
    as in PyTorch.

    Raises:
        RuntimeError: the shapes do not broadcast, or `Tensor.assign` refuses.
    """
    value = broadcast_node(value, target.shape)
    if superseded(value) is not None and memory_seen_outside(value) is None:
        value = _apart_from_its_holder(value)
    if target.requires_grad and not target.is_leaf and not target._chain and is_grad_enabled():
        never = number(False, bool_, target.device)
        value = record_node(ew.where, (never, target.node(), value))
    return target.assign(value, name)


def _apart_from_its_holder(contents: Node) -> Node:
    """The contents of a tensor as a node for another: a later write to one of the two is none to the other.

    A tangent of forward mode goes along: it follows nodes that no gradient flows through as well.
    """
    if not is_tracked(contents):
        return record_node(ew.clone, (contents,)) if forward_mode_is_open() else mark_detached(contents)
    return record_node(ew.clone, (contents,)) if is_grad_enabled() else contents


def _filler(target: Tensor, value: Operand, name: str) -> Node:
    """A number or 0-dim tensor as a 0-dim node of the target's dtype."""
    if not isinstance(value, Tensor):
        held = assigned_node if numel(target.shape) == 1 else scalar_node
        return held(as_scalar(value, name), target.dtype, target.device)
    if value.ndim:
        raise RuntimeError(
            f"{name} only supports a 0-dimensional value tensor but got a tensor with {value.ndim} dimension(s)"
        )
    node = value.node()
    if node.device is CPU and target.device is not CPU:
        node = record_node(copy, (node,), (str(target.device),))
    return cast_node(node, target.dtype)


@method()
def fill_(input: Tensor, value: Operand) -> Tensor:
    """Set every element to one number or 0-dim tensor, which gradients flow to.

    Raises:
        RuntimeError: ``value`` has dimensions, or does not fit into the dtype.
    """
    if _is_small_memory(input) and number_written_directly(input, input.view_of_storage(), value):
        return input
    overwrite(_without_repetitions(input), _filler(input, value, "fill_"), "fill_")
    return input


_WRITTEN_AT_MOST = 1 << 14  # bytes; what is larger costs nothing until somebody reads it


def _is_small_memory(input: Tensor) -> bool:
    """Whether to write all elements now takes no longer than to record it, if it is possible."""
    size = input.dtype.itemsize * numel(input._sizes())
    return 0 < size <= _WRITTEN_AT_MOST and may_be_written_directly(input)


def _without_repetitions(input: Tensor) -> Tensor:
    """A view that names every element of ``input`` once, where `expand` had named some several times."""
    for axis, (size, stride) in enumerate(zip(input.shape, input.view_of_storage().strides, strict=True)):
        if stride == 0 and size > 1:
            input = between(input, axis, 0, 1)
    return input


def fill(input: Tensor, value: Operand) -> Tensor:
    """A tensor like ``input`` with every element one number or 0-dim tensor; see `fill_`."""
    copy = tensor_argument(input, "fill").clone()
    return fill_(copy, value)


@method()
def zero_(input: Tensor) -> Tensor:
    """Set every element to zero."""
    try:
        return fill_(input, 0)
    except FAILED:
        return answered_elsewhere(zero_, (input,), {})


@method()
@also_named(other="src")
def copy_(input: Tensor, src: Tensor, non_blocking: bool = False) -> Tensor:
    """Set the elements to ``src``'s, broadcast, and cast to this dtype whatever its category.

    Args:
        input: the tensor that is written to.
        src: a tensor of a shape that broadcasts to ``input``'s; gradients flow to it.
        non_blocking: accepted; there is nothing to wait for.

    Raises:
        TypeError: ``src`` is not a tensor or number.
        RuntimeError: the shapes do not broadcast.
    """
    if not isinstance(src, Tensor):
        return overwrite(input, scalar_node(as_scalar(src, "copy_"), input.dtype, input.device), "copy_")
    if _is_small_memory(input) and written_directly(input, input.view_of_storage(), src):
        return input
    source = src if src.device is input.device else copied(src, src.dtype, input.device)
    return overwrite(input, cast_node(source.node(), input.dtype), "copy_")


@method()
def fill_diagonal_(input: Tensor, fill_value: Operand, wrap: bool = False) -> Tensor:
    """Set the main diagonal to one number.

    Args:
        input: a matrix, or a tensor of more dimensions of one size.
        fill_value: the number.
        wrap: continue the diagonal of a tall matrix, one row left out, at its first column.

    Raises:
        RuntimeError: fewer than two dimensions, or more than two of different sizes.
    """
    shape = tuple(input.shape)
    if len(shape) < 2:
        raise RuntimeError("fill_diagonal_: dimensions must be larger than 1")
    if len(shape) > 2 and len(set(shape)) > 1:
        raise RuntimeError(f"fill_diagonal_: all dimensions of input must be of equal length, got {list(shape)}")
    step = sum(contiguous_strides(shape))
    place = iota(prod(shape), int64, input.device)
    remainder = record_node(ew.remainder, (place, scalar_node(step, int64, input.device)))
    chosen = record_node(ew.eq, (remainder, scalar_node(0, int64, input.device)))
    if not wrap:
        before_end = record_node(ew.lt, (place, scalar_node(step * min(shape), int64, input.device)))
        chosen = record_node(ew.bitwise_and, (chosen, before_end))
    chosen = record_node(movement.reshape, (chosen,), (shape,))
    filler = _filler(input, fill_value, "fill_diagonal_")
    return input.assign(record_node(ew.where, (chosen, filler, input.node())), "fill_diagonal_")
