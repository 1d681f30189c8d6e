"""Adamax (Kingma and Ba, 2015)."""

from __future__ import annotations

from lazygrad.ir.composites.update_rules.rule import pointwise_rule
from lazygrad.ir.node import Node
from lazygrad.ir.primitives import elementwise as ew


def _norm(norm: Node, gradient: Node, beta2: Node, eps: Node) -> Node:
    return ew.maximum(norm * beta2, ew.abs_(gradient) + eps)


def _update(parameter: Node, mean: Node, norm: Node, negative_step_size: Node) -> Node:
    return parameter + negative_step_size * mean / norm


adamax_norm = pointwise_rule("adamax_norm", _norm, "max(β₂ · u, |g| + eps)")
adamax_update = pointwise_rule("adamax_update", _update, "p + negative_step_size · m / u")
