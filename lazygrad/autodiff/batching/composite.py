"""Batching of the composites that stay one node; all others are decomposed first."""

from __future__ import annotations

from lazygrad.autodiff.batching.call import Call
from lazygrad.autodiff.batching.registry import define_batching, elementwise
from lazygrad.autodiff.batching.structure import behind_batch
from lazygrad.ir.build import reshape, swap_last
from lazygrad.ir.composites import activation as act
from lazygrad.ir.composites import normalization as nm
from lazygrad.ir.composites import optimizer as opt
from lazygrad.ir.composites import softmax as sm
from lazygrad.ir.composites.attention import attention
from lazygrad.ir.composites.linear import linear
from lazygrad.ir.composites.loss import binary_cross_entropy, cross_entropy
from lazygrad.ir.composites.pooling import max_pool
from lazygrad.ir.composites.random import dropout, philox_dropout, philox_uniform
from lazygrad.ir.node import Node
from lazygrad.ir.primitives.attention import attend, attend_gradients
from lazygrad.ir.primitives.contraction import matmul
from lazygrad.ir.primitives.random import philox


def _with_companions(call: Call) -> tuple[Node, ...]:
    """The first input as a stack, and the others such that they broadcast into it."""
    return (call.stacked(0), *[call.aligned(i, call.node.inputs[0].rank) for i in range(1, len(call.inputs))])


def _companions(call: Call) -> Node:
    return call.again(*_with_companions(call))


def _companions_along_axes(call: Call) -> Node:
    return call.again(*_with_companions(call), axes=behind_batch(call["axes"]))


def _along_axis(call: Call) -> Node:
    return call.again(*call.inputs, axis=call["axis"] + 1)


def _linear(call: Call) -> Node:
    weight = call.inputs[1]
    if call.batched[1]:
        return _own_weights(call)
    if not any(call.batched[2:]):
        return call.again(*call.inputs)
    product = linear(call.stacked(0), weight)
    return product + call.aligned(2, call.rank(0))


def _own_weights(call: Call) -> Node:
    """Every example has a weight of its own: a batched product."""
    x, weight = call.inputs[:2]
    if call.rank(0) == 1:
        x = reshape(x, (*x.shape[:-1], 1, x.shape[-1]))
    between = max(call.rank(0), 2) - 2
    product = matmul(x, swap_last(reshape(weight, (call.size, *[1] * between, *weight.shape[1:]))))
    product = reshape(product, (call.size, *call.node.shape))
    return product if len(call.inputs) == 2 else product + call.aligned(2, call.node.rank)


def _cross_entropy(call: Call) -> Node | None:
    if any(call.batched[2:]):
        return None
    return call.again(call.stacked(0), call.stacked(1), *call.inputs[2:], axis=call["axis"] + 1)


def _attention(call: Call) -> Node:
    return call.again(*call.all_aligned(max(source.rank for source in call.node.inputs)))


def _attend(call: Call) -> Node:
    """Of the inputs, the numbers stay as they are."""
    rank = max(source.rank for source in call.node.inputs)
    return call.again(*[call.aligned(i, rank) if source.rank else source for i, source in enumerate(call.inputs)])


def _attend_gradients(call: Call) -> Node:
    """The cotangent has all leading axes of the result, so it is a stack, as one of the others is at least."""
    inputs = (call.stacked(0), call.stacked(1), *call.inputs[2:])
    return _attend(Call(call.node, inputs, (True, True, *call.batched[2:]), call.size))


def _unchanged(call: Call) -> Node:
    return call.again(*call.inputs)


def shared_counter(call: Call, position: int) -> Node:
    """The counter from which the whole stack draws: every example has it, see `lazygrad.ops.random.in_graphs`."""
    return call.inputs[position].inputs[0]


def _philox(call: Call) -> Node:
    return call.again(call.inputs[0], shared_counter(call, 1), shape=(call.size, *call["shape"]))


def _philox_dropout(call: Call) -> Node | None:
    if not call.batched[2]:
        return None  # the same elements of every example are dropped
    return call.again(call.stacked(0), call.inputs[1], shared_counter(call, 2))


_ELEMENTWISE = (
    act.relu, act.square, act.sigmoid, act.silu, act.reciprocal, act.rsqrt, act.gelu, act.softplus, act.elu,
    act.leaky_relu, act.logsigmoid, act.clamp_min, act.clamp_max,
)  # fmt: skip

define_batching(elementwise, (*_ELEMENTWISE, dropout))
define_batching(
    _companions,
    (nm.batch_norm, binary_cross_entropy, opt.adam_first_moment, opt.adam_second_moment, opt.adam_update),
)
define_batching(_companions_along_axes, (nm.layer_norm, nm.rms_norm, nm.average, nm.variance, sm.logsumexp))
define_batching(_along_axis, (sm.softmax, sm.log_softmax))
define_batching(_linear, (linear,))
define_batching(_cross_entropy, (cross_entropy,))
define_batching(_attention, (attention,))
define_batching(_attend, (attend,))
define_batching(_attend_gradients, (attend_gradients,))
define_batching(_unchanged, (max_pool,))
define_batching(_philox_dropout, (philox_dropout,))
define_batching(_philox, (philox, philox_uniform))
