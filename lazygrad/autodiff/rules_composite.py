"""Pullbacks of activations, softmaxes, the linear layer and dropout: cheaper or more stable than their parts'."""

from __future__ import annotations

from functools import partial

from lazygrad.autodiff.registry import Cotangents, define_pullbacks, in_float32
from lazygrad.ir.build import conj, zeros_like
from lazygrad.ir.composites import activation as act
from lazygrad.ir.composites import gradients as gr
from lazygrad.ir.composites import softmax as sm
from lazygrad.ir.composites.define import widen
from lazygrad.ir.composites.linear import linear
from lazygrad.ir.composites.quotient import truncated_quotient
from lazygrad.ir.composites.random import dropout, philox_dropout
from lazygrad.ir.node import Node
from lazygrad.ir.primitives import elementwise as ew


def _softplus(g: Node, y: Node, x: Node) -> Cotangents:
    scaled = x * y["beta"]
    return ew.where(ew.gt(scaled, x.like(y["threshold"])), g, g * act.sigmoid(scaled))


def _elu(g: Node, y: Node, x: Node) -> Cotangents:
    # exp sees no positive number, so that what `where` discards is finite and has finite derivatives.
    above = ew.gt(x, x.like(0))
    return ew.where(above, g, g * (ew.exp(ew.where(above, x.like(0), x)) * y["alpha"]))


def _rsqrt(g: Node, y: Node, x: Node) -> Cotangents:
    value = widen(y)
    return g * conj(value * value * value * -0.5)


def _reciprocal(g: Node, y: Node, x: Node) -> Cotangents:
    value = widen(y)
    return -(g * conj(value * value))


def _linear(g: Node, y: Node, x: Node, weight: Node, *bias: Node) -> Cotangents:
    into_weight = partial(gr.linear_weight_gradient, g, x)
    return (partial(gr.linear_input_gradient, g, weight), into_weight, *[g for _ in bias])


def _to_chosen(x_is_chosen: Node, bound_is_chosen: Node, g: Node) -> Cotangents:
    """What is NaN is not chosen, though the result is NaN as well."""
    return ew.where(x_is_chosen, g, g.like(0)), ew.where(bound_is_chosen, g, g.like(0))


def _lerp(g: Node, y: Node, start: Node, end: Node, weight: Node) -> Cotangents:
    return g * conj(1 - weight), g * conj(weight), g * conj(end - start)


define_pullbacks(
    {
        act.relu: lambda g, y, x: gr.relu_gradient(g, y),
        # At the bound itself the gradient goes to x: PyTorch's choice for clamp, unlike maximum's.
        act.clamp_min: lambda g, y, x, bound: _to_chosen(ew.ge(x, bound), ew.lt(x, bound), g),
        act.clamp_max: lambda g, y, x, bound: _to_chosen(ew.le(x, bound), ew.gt(x, bound), g),
        act.leaky_relu: lambda g, y, x: gr.leaky_relu_gradient(g, x, slope=y["slope"]),
        act.square: lambda g, y, x: g * conj(x * 2),
        act.sigmoid: lambda g, y, x: gr.sigmoid_gradient(g, y),
        act.silu: lambda g, y, x: gr.silu_gradient(g, x),
        act.gelu: lambda g, y, x: gr.gelu_gradient(g, x, approximate=y["approximate"]),
        act.softplus: in_float32(_softplus),
        act.elu: in_float32(_elu),
        act.logsigmoid: in_float32(lambda g, y, x: g * act.sigmoid(-x)),
        act.rsqrt: in_float32(_rsqrt),
        act.reciprocal: in_float32(_reciprocal),
        sm.softmax: lambda g, y, x: gr.softmax_gradient(g, y, axis=y["axis"]),
        sm.log_softmax: lambda g, y, x: gr.log_softmax_gradient(g, y, axis=y["axis"]),
        sm.logsumexp: in_float32(lambda g, y, x: g * conj(ew.exp(x - widen(y)))),
        act.lerp: in_float32(_lerp),
        truncated_quotient: lambda g, y, a, b: (zeros_like(a), zeros_like(b)),
        linear: _linear,
        dropout: lambda g, y, x, kept: (dropout(g, kept, p=y["p"]), None),
        philox_dropout: lambda g, y, x, seed, counter: (philox_dropout(g, seed, counter, p=y["p"]), None, None),
    }
)
