"""Batching of leaves, markers, movements, reductions and scans: the batch axis is one more in front."""

from __future__ import annotations

from lazygrad.autodiff.batching.call import Call
from lazygrad.autodiff.batching.registry import CALLBACK, GRADIENT, LEAF, define_batching, elementwise
from lazygrad.ir.build import expand, reshape
from lazygrad.ir.node import Node
from lazygrad.ir.primitives import leaf
from lazygrad.ir.primitives import movement as mv
from lazygrad.ir.primitives import reduction as rd
from lazygrad.ir.primitives import spectral as sp
from lazygrad.ir.primitives.float8 import cast_float8
from lazygrad.ir.primitives.gradient import STAGES, grad
from lazygrad.ir.primitives.indexing import iota
from lazygrad.ir.primitives.pointwise import pointwise
from lazygrad.ir.primitives.transfer import copy


def behind_batch(axes: tuple[int, ...]) -> tuple[int, ...]:
    """Axes of an example as axes of the stack."""
    return tuple(axis + 1 for axis in axes)


def _unchanged(call: Call) -> Node:
    """Ops that read their axes from the end."""
    return call.again(*call.inputs)


def _reshape(call: Call) -> Node:
    return reshape(call.inputs[0], (call.size, *call.node.shape))


def _permute(call: Call) -> Node:
    return call.again(call.inputs[0], axes=(0, *behind_batch(call["axes"])))


def _expand(call: Call) -> Node:
    return expand(call.aligned(0, call.node.rank), (call.size, *call.node.shape))


def _slice(call: Call) -> Node:
    start, stop, step = call.node.attrs
    return call.again(call.inputs[0], start=(0, *start), stop=(call.size, *stop), step=(1, *step))


def _diagonal(call: Call) -> Node:
    return call.again(call.inputs[0], axis1=call["axis1"] + 1, axis2=call["axis2"] + 1)


def _along_axes(call: Call) -> Node:
    return call.again(*call.inputs, axes=behind_batch(call["axes"]))


def _along_axis(call: Call) -> Node:
    return call.again(*call.inputs, axis=call["axis"] + 1)


def _identity(call: Call) -> Node:
    return call.again(*call.all_stacked())


def _checkpoint(call: Call) -> Node:
    """What the examples share must stay the very node from which the value is computed."""
    return call.again(call.stacked(0), *call.inputs[1:])


define_batching(LEAF, (leaf.buffer, leaf.constant, leaf.scalar, leaf.placeholder, iota))
define_batching(GRADIENT, (grad, *STAGES))
define_batching(CALLBACK, (leaf.custom_function, leaf.custom_output))
define_batching(_identity, (leaf.detach, leaf.straight_through, leaf.moving_with))
define_batching(_checkpoint, (leaf.checkpoint,))
define_batching(_reshape, (mv.reshape,))
define_batching(_permute, (mv.permute,))
define_batching(_expand, (mv.expand,))
define_batching(_slice, (mv.slice_,))
define_batching(_diagonal, (mv.diagonal,))
define_batching(_unchanged, (mv.windows, copy))
define_batching(elementwise, (pointwise, cast_float8))
define_batching(_along_axes, (sp.fft_c2c, sp.fft_r2c, sp.fft_c2r))
define_batching(_along_axes, (mv.flip, rd.reduce_sum, rd.reduce_prod, rd.reduce_max, rd.reduce_min))
define_batching(_along_axis, (rd.argmax, rd.argmin, rd.argsort))
define_batching(_along_axis, (rd.cumsum, rd.cumprod, rd.cummax_index, rd.logcumsumexp))
