"""Adagrad (Duchi, Hazan and Singer, 2011)."""

from __future__ import annotations

from lazygrad.ir.composites.update_rules.rule import pointwise_rule
from lazygrad.ir.node import Node
from lazygrad.ir.primitives import elementwise as ew


def _sum(total: Node, gradient: Node) -> Node:
    return total + gradient * gradient


def _update(parameter: Node, gradient: Node, total: Node, negative_step_size: Node, eps: Node) -> Node:
    return parameter + negative_step_size * gradient / (ew.sqrt(total) + eps)


adagrad_sum = pointwise_rule("adagrad_sum", _sum, "s + g²")
adagrad_update = pointwise_rule("adagrad_update", _update, "p + negative_step_size · g / (sqrt(s) + eps)")
