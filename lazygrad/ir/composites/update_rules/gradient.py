"""What most optimizers do with a gradient first, and with a direction last."""

from __future__ import annotations

from lazygrad.ir.composites.update_rules.rule import pointwise_rule
from lazygrad.ir.node import Node


def _decayed_gradient(gradient: Node, parameter: Node, weight_decay: Node) -> Node:
    return gradient + weight_decay * parameter


def _descend(parameter: Node, direction: Node, step_size: Node) -> Node:
    return parameter - step_size * direction


decayed_gradient = pointwise_rule("decayed_gradient", _decayed_gradient, "g + weight_decay · p")
descend = pointwise_rule("descend", _descend, "p - step_size · direction")
