"""Batching of connectionist temporal classification: examples are further sequences of the batch."""

from __future__ import annotations

from lazygrad.autodiff.batching.call import Call
from lazygrad.autodiff.batching.registry import define_batching
from lazygrad.ir.build import permute, reshape
from lazygrad.ir.node import Node
from lazygrad.ir.primitives import alignment as al


def _losses(call: Call) -> Node:
    result = call.again(*_sequences(call, 0))
    return reshape(result, (call.size, *call.node.shape))


def _gradients(call: Call) -> Node:
    time, batch, classes = call.node.shape
    result = reshape(call.again(*_sequences(call, 2)), (time, call.size, batch, classes))
    return permute(result, (1, 0, 2, 3))


def _sequences(call: Call, scores: int) -> list[Node]:
    """The stacks as operands of one batch; the sequences are the second axis of the scores, and the first of others."""
    stacks = list(call.all_stacked())
    stacks[scores] = permute(stacks[scores], (1, 0, 2, 3))
    joined = [reshape(x, (x.shape[0] * x.shape[1], *x.shape[2:])) for x in stacks]
    size, time, batch, classes = call.size, *call.node.inputs[scores].shape
    joined[scores] = reshape(stacks[scores], (time, size * batch, classes))
    return joined


define_batching(_losses, (al.ctc,))
define_batching(_gradients, (al.ctc_gradients,))
