"""Adadelta (Zeiler, 2012)."""

from __future__ import annotations

from lazygrad.ir.composites.update_rules.rule import pointwise_rule
from lazygrad.ir.node import Node
from lazygrad.ir.primitives import elementwise as ew


def _direction(accumulated: Node, square: Node, gradient: Node, eps: Node) -> Node:
    return ew.sqrt(accumulated + eps) / ew.sqrt(square + eps) * gradient


adadelta_direction = pointwise_rule("adadelta_direction", _direction, "sqrt(a + eps) / sqrt(v + eps) · g")
