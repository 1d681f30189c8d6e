"""RAdam (Liu et al., "On the variance of the adaptive learning rate and beyond", 2019)."""

from __future__ import annotations

from lazygrad.ir.composites.update_rules.rule import pointwise_rule
from lazygrad.ir.node import Node
from lazygrad.ir.primitives import elementwise as ew


def _update(
    parameter: Node, first: Node, second: Node, negative_step_size: Node, rectification: Node, eps: Node
) -> Node:
    # The branch is an input, so that the step at which it changes makes no other program.
    is_adaptive = ew.gt(rectification, rectification.like(0))
    adaptive = rectification / (ew.sqrt(second) + eps)
    return parameter + first * negative_step_size * ew.where(is_adaptive, adaptive, adaptive.like(1))


radam_update = pointwise_rule(
    "radam_update",
    _update,
    "p + negative_step_size · m · (r / (sqrt(v) + eps) if r > 0, else 1)",
)
