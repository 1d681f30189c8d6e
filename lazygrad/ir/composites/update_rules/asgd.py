"""Averaged stochastic gradient descent (Polyak and Juditsky, 1992), with the step sizes of Bottou."""

from __future__ import annotations

from lazygrad.ir.composites.update_rules.rule import pointwise_rule
from lazygrad.ir.node import Node
from lazygrad.ir.primitives import elementwise as ew


def _update(parameter: Node, gradient: Node, eta: Node, lambd: Node) -> Node:
    return parameter * (1 - lambd * eta) - eta * gradient


def _average(average: Node, parameter: Node, mu: Node) -> Node:
    return ew.where(ew.eq(mu, mu.like(1)), parameter, average + (parameter - average) * mu)


asgd_update = pointwise_rule("asgd_update", _update, "(1 - lambd · eta) · p - eta · g")
asgd_average = pointwise_rule("asgd_average", _average, "p where mu = 1, else ax + mu · (p - ax)")
