"""Batching of products and convolutions: the batch joins the rows, the images or the groups of one library call."""

from __future__ import annotations

from math import prod

from lazygrad.autodiff.batching.call import Call
from lazygrad.autodiff.batching.registry import define_batching
from lazygrad.ir.build import permute, reshape
from lazygrad.ir.node import Node
from lazygrad.ir.primitives import contraction as ct


def _matmul(call: Call) -> Node:
    a, b = call.inputs
    if call.batched == (True, False) and b.rank == 2:
        rows = reshape(a, (prod(a.shape[:-1]), a.shape[-1]))  # one flat product
        return reshape(ct.matmul(rows, b), (*a.shape[:-1], b.shape[1]))
    return ct.matmul(*call.all_aligned(max(call.rank(0), call.rank(1))))


def _joined(stack: Node, axis: int, groups: int = 1) -> Node:
    """A stack of examples with the batch moved into one of their axes, inside each group or (1) outside all."""
    size, shape = stack.shape[0], stack.shape[1:]
    split = reshape(stack, (size, *shape[:axis], groups, shape[axis] // groups, *shape[axis + 1 :]))
    order = (*range(1, axis + 2), 0, *range(axis + 2, split.rank))
    return reshape(permute(split, order), (*shape[:axis], size * shape[axis], *shape[axis + 1 :]))


def _parted(joined: Node, axis: int, size: int, groups: int = 1) -> Node:
    """Undoes `_joined`."""
    shape = joined.shape
    inner = shape[axis] // (size * groups)
    split = reshape(joined, (*shape[:axis], groups, size, inner, *shape[axis + 1 :]))
    order = (axis + 1, *range(axis + 1), *range(axis + 2, split.rank))
    return reshape(permute(split, order), (size, *shape[:axis], groups * inner, *shape[axis + 1 :]))


def _conv(call: Call) -> Node:
    x, weight = call.inputs
    size, groups = call.size, call["groups"]
    if call.batched == (True, False):
        return _parted(call.again(_joined(x, 0), weight), 0, size)
    if call.batched == (False, True):
        return _parted(call.again(x, _joined(weight, 0, groups)), 1, size, groups)
    return _parted(call.again(_joined(x, 1), _joined(weight, 0), groups=size * groups), 1, size)


def _conv_input_grad(call: Call) -> Node:
    size, shape = call.size, call["shape"]
    if call.batched == (True, False):
        joined = call.again(_joined(call.inputs[0], 0), call.inputs[1], shape=(size * shape[0], *shape[1:]))
        return _parted(joined, 0, size)
    shape = (shape[0], size * shape[1], *shape[2:])
    cotangent, weight = _joined(call.stacked(0), 1), _joined(call.stacked(1), 0)
    return _parted(call.again(cotangent, weight, groups=size * call["groups"], shape=shape), 1, size)


def _conv_weight_grad(call: Call) -> Node:
    """Per-example gradients of a weight: every example is a group of its own."""
    size, groups, shape = call.size, call["groups"], call["shape"]
    if call.batched == (True, False):
        joined = call.again(_joined(call.inputs[0], 1, groups), call.inputs[1], shape=(size * shape[0], *shape[1:]))
        return _parted(joined, 0, size, groups)
    cotangent, x = _joined(call.stacked(0), 1), _joined(call.stacked(1), 1)
    joined = call.again(cotangent, x, groups=size * groups, shape=(size * shape[0], *shape[1:]))
    return _parted(joined, 0, size)


define_batching(_matmul, (ct.matmul,))
define_batching(_conv, (ct.conv,))
define_batching(_conv_input_grad, (ct.conv_input_grad,))
define_batching(_conv_weight_grad, (ct.conv_weight_grad,))
define_batching(lambda call: call.again(*call.inputs), (ct.pool_argmax,))
