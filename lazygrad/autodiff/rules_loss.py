"""Pullbacks of the losses. That of cross entropy is one expression of the softmax, so that it stays one row kernel."""

from __future__ import annotations

from lazygrad.autodiff.registry import Cotangents, define_pullbacks, in_float32
from lazygrad.ir.build import reduce_sum, reshape, sum_to
from lazygrad.ir.composites import gradients as gr
from lazygrad.ir.composites import loss
from lazygrad.ir.composites.softmax import log_softmax, softmax
from lazygrad.ir.node import Node
from lazygrad.ir.primitives import elementwise as ew

_LEAST_VARIANCE = 1e-12


def _cross_entropy(g: Node, y: Node, logits: Node, target: Node, *weights: Node) -> Cotangents:
    """With ``loss = -Σ q·log_softmax(x)``: ``∂/∂x = softmax(x)·Σq - q`` and ``∂/∂q = -log_softmax(x)``."""
    if not weights:
        return gr.cross_entropy_gradient(g, logits, target, **dict(y.named_attrs())), None
    axis, smoothing = y["axis"], y["label_smoothing"]
    wanted = loss.aligned_target(logits, target, axis)
    is_target = loss.is_target_class(logits, wanted, axis)
    g = ew.where(ew.ne(wanted, wanted.like(y["ignore_index"])), g, g.like(0))
    probability = softmax(logits, axis=axis)
    (weight,) = weights
    coefficients = loss.class_coefficients(logits, is_target, weight, axis, smoothing)
    into_logits = g * (probability * reduce_sum(coefficients, (axis,)) - coefficients)
    shares = loss.class_coefficients(logits, is_target, None, axis, smoothing)
    per_class = -(g * (log_softmax(logits, axis=axis) * shares))
    if smoothing == 0:
        per_class = ew.where(is_target, per_class, g.like(0))
    into_weight = reshape(sum_to(per_class, loss.class_shape(logits, axis)), weight.shape)
    return into_logits, None, into_weight


def _binary_cross_entropy(g: Node, y: Node, x: Node, target: Node) -> Cotangents:
    """Finite for x of 0 and 1 too, where the slope is limited as in PyTorch."""
    slope = (x - target) / ew.maximum((1 - x) * x, x.like(_LEAST_VARIANCE))
    return g * slope, g * (ew.log1p(-x) - ew.log(x))


define_pullbacks(
    {
        loss.cross_entropy: in_float32(_cross_entropy),
        loss.binary_cross_entropy: in_float32(_binary_cross_entropy),
    }
)
