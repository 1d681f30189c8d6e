"""Rprop (Riedmiller and Braun, 1993)."""

from __future__ import annotations

from lazygrad.ir.composites.update_rules.rule import pointwise_rule
from lazygrad.ir.node import Node
from lazygrad.ir.primitives import elementwise as ew


def _size(size: Node, gradient: Node, previous: Node, shrink: Node, grow: Node, smallest: Node, largest: Node) -> Node:
    turned = gradient * previous
    zero = turned.like(0)
    sign = ew.sign(turned)  # NaN stays NaN
    kept = ew.where(ew.eq(sign, zero), sign.like(1), sign)
    factor = ew.where(ew.gt(turned, zero), grow, ew.where(ew.lt(turned, zero), shrink, kept))
    return ew.minimum(ew.maximum(size * factor, smallest), largest)


def _gradient(gradient: Node, previous: Node) -> Node:
    turned = gradient * previous
    return ew.where(ew.lt(turned, turned.like(0)), gradient.like(0), gradient)


def _update(parameter: Node, gradient: Node, size: Node) -> Node:
    return parameter - ew.sign(gradient) * size


rprop_size = pointwise_rule("rprop_size", _size, "the step size, grown where the gradient keeps its sign, else shrunk")
rprop_gradient = pointwise_rule("rprop_gradient", _gradient, "g, or 0 where its sign has changed")
rprop_update = pointwise_rule("rprop_update", _update, "p - sign(g) · size")
