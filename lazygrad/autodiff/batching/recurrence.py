"""Batching of recurrent layers: examples are further sequences of the batch, as long as they share their weights."""

from __future__ import annotations

from lazygrad.autodiff.batching.call import Call
from lazygrad.autodiff.batching.registry import define_batching
from lazygrad.autodiff.recurrences import at
from lazygrad.ir.build import permute, reshape
from lazygrad.ir.node import Node
from lazygrad.ir.primitives import recurrence as rc
from lazygrad.ir.primitives.indexing import concat

_WEIGHTS = ("weight", "bias", "projection")


def _recurrence(call: Call) -> Node:
    known = len(call.inputs) - _operand_count(call)
    names = [""] * known + list(rc.named_operands(call["cell"], call["is_projected"], call.inputs[known:]))
    own = [i for i, name in enumerate(names) if name in _WEIGHTS]
    if any(call.batched[i] for i in own):
        return _one_by_one(call)
    inputs = [source if i in own else _sequences(call.stacked(i)) for i, source in enumerate(call.inputs)]
    steps, batch, columns = call.node.shape
    result = reshape(call.again(*inputs), (steps, call.size, batch, columns))
    return permute(result, (1, 0, 2, 3))


def _operand_count(call: Call) -> int:
    if call.node.op is rc.recur:
        return len(call.inputs)
    return len(call.inputs) - (3 if call["cell"] == rc.LSTM else 2)


def _sequences(stack: Node) -> Node:
    """A stack of batches as one batch: of an operand with steps, its second axis; of others, the first one."""
    if stack.rank < 4:
        return reshape(stack, (stack.shape[0] * stack.shape[1], *stack.shape[2:]))
    size, steps, batch, columns = stack.shape
    return reshape(permute(stack, (1, 0, 2, 3)), (steps, size * batch, columns))


def _one_by_one(call: Call) -> Node:
    """Every example has weights of its own, so nothing is shared between their steps."""
    results = []
    for example in range(call.size):
        inputs = [at(x, example) if batched else x for x, batched in zip(call.inputs, call.batched, strict=True)]
        results.append(reshape(call.again(*inputs), (1, *call.node.shape)))
    return results[0] if call.size == 1 else concat(*results, axis=0)


define_batching(_recurrence, (rc.recur, rc.recur_gradients))
