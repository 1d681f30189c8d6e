"""Batching of gathers, scatters and copies: an axis more, which each example indexes with its own number."""

from __future__ import annotations

from math import prod

from lazygrad.autodiff.batching.call import Call
from lazygrad.autodiff.batching.registry import define_batching
from lazygrad.ir.build import expand, iota, reshape, zeros_like
from lazygrad.ir.dtype import int64
from lazygrad.ir.node import Node
from lazygrad.ir.primitives import elementwise as ew
from lazygrad.ir.primitives import indexing as ix
from lazygrad.ir.shape import broadcast_shapes


def _indices(call: Call, first: int) -> list[Node]:
    """The index inputs from ``first`` on, aligned, behind the number of the example."""
    shape = broadcast_shapes("index", *[index.shape for index in call.node.inputs[first:]])
    example = reshape(iota(call.size, int64, call.node.device), (call.size, *[1] * len(shape)))
    return [example, *[call.aligned(i, len(shape)) for i in range(first, len(call.inputs))]]


def _take(call: Call) -> Node:
    if call.batched[0]:
        return ix.take(call.inputs[0], *_indices(call, 1))
    return ix.take(call.inputs[0], *_indices(call, 1)[1:])


def _put(call: Call) -> Node:
    return call.again(call.stacked(0), call.stacked(1), *_indices(call, 2))


def _along_axis(call: Call) -> Node:
    return call.again(*call.all_stacked(), axis=call["axis"] + 1)


def _roll(call: Call) -> Node:
    return call.again(call.stacked(0), call.inputs[1], axis=call["axis"] + 1)


def _pad(call: Call) -> Node:
    before, after = (0, *call["before"]), (0, *call["after"])
    x, value = call.stacked(0), call.inputs[1]
    if not call.batched[1]:
        return ix.pad(x, value, before=before, after=after)
    inside = ix.pad(x, x.like(0), before=before, after=after)
    border = ix.pad(zeros_like(x), x.like(1), before=before, after=after)
    value = reshape(value, (call.size, *[1] * call.node.rank))
    return ew.where(ew.ne(border, border.like(0)), expand(value, inside.shape), inside)


def _view(call: Call) -> Node:
    """Examples lie one behind the other, each under the same strides."""
    step = max(prod(call.node.inputs[0].shape), 1)
    shape, strides = (call.size, *call["shape"]), (step, *call["strides"])
    return call.again(*call.all_stacked(), shape=shape, strides=strides)


def _windows_adjoint(call: Call) -> Node:
    return call.again(call.inputs[0], shape=(call.size, *call["shape"]))


define_batching(_take, (ix.take,))
define_batching(_put, (ix.put,))
define_batching(_along_axis, (ix.gather, ix.scatter, ix.concat))
define_batching(_roll, (ix.roll,))
define_batching(_pad, (ix.pad,))
define_batching(_view, (ix.update_view, ix.read_view))
define_batching(_windows_adjoint, (ix.windows_adjoint,))
