"""RMSprop (Tieleman and Hinton, 2012); centered as in Graves, "Generating sequences", 2013."""

from __future__ import annotations

from lazygrad.ir.composites.update_rules.rule import pointwise_rule
from lazygrad.ir.node import Node
from lazygrad.ir.primitives import elementwise as ew


def _deviation(square: Node, eps: Node, mean: tuple[Node, ...]) -> Node:
    return ew.sqrt(square - mean[0] * mean[0] if mean else square) + eps


def _update(parameter: Node, gradient: Node, square: Node, lr: Node, eps: Node, *mean: Node) -> Node:
    return parameter - lr * gradient / _deviation(square, eps, mean)


def _velocity(velocity: Node, gradient: Node, square: Node, momentum: Node, eps: Node, *mean: Node) -> Node:
    return velocity * momentum + gradient / _deviation(square, eps, mean)


rmsprop_update = pointwise_rule(
    "rmsprop_update", _update, "p - lr · g / (sqrt(v - m²) + eps), without m if not centered"
)
rmsprop_velocity = pointwise_rule(
    "rmsprop_velocity", _velocity, "momentum · b + g / (sqrt(v - m²) + eps), without m if not centered"
)
