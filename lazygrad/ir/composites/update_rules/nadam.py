"""NAdam (Dozat, 2016)."""

from __future__ import annotations

from lazygrad.ir.composites.update_rules.rule import pointwise_rule
from lazygrad.ir.node import Node
from lazygrad.ir.primitives import elementwise as ew


def _update(
    parameter: Node,
    gradient: Node,
    first: Node,
    second: Node,
    product: Node,
    gradient_size: Node,
    moment_size: Node,
    next_factor: Node,
    bias_correction2: Node,
    eps: Node,
) -> Node:
    deviation = ew.sqrt(second / bias_correction2) + eps
    along_gradient = gradient_size / (1 - product) * gradient / deviation
    along_moment = moment_size / (1 - product * next_factor) * first / deviation
    return parameter + along_gradient + along_moment


nadam_update = pointwise_rule(
    "nadam_update",
    _update,
    "p + (gradient_size · g / (1 - Πμ) + moment_size · m / (1 - Πμ · μ₊)) / (sqrt(v / bias_correction2) + eps)",
)
