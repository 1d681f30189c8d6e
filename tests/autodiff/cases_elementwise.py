"""Gradient-check cases of the elementwise primitives."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from lazygrad.ir.node import Node
from lazygrad.ir.primitives import elementwise as ew

from .case import Case, uniform

POSITIVE = uniform(2, 3, low=0.3, high=2.0)
SIGNED = np.array([[-1.7, -0.6, -0.2], [0.4, 1.1, 1.9]])
UNIT = uniform(2, 3, low=-0.8, high=0.8)


def _unary(op: Callable[..., Node], values: np.ndarray = SIGNED, order: int = 3) -> list[Case]:
    return [Case(op, (values,), order)]


def _binary(op: Callable[..., Node], first: np.ndarray, second: np.ndarray, order: int = 2) -> list[Case]:
    """Both operands of one shape, each broadcast against the other, and one operand twice."""
    column, row = first[:, :1], second[:1]
    return [
        Case(op, (first, second), order),
        Case(op, (column, second), order),
        Case(op, (first, row[0]), order),
        Case(op, (column, row), order),
    ]


def _required(x: Node) -> Node:
    return ew.require(ew.lt(x, x.like(100)), x, error="RuntimeError", message="{} is too large")


def _chosen(x: Node, y: Node) -> Node:
    return ew.where(ew.lt(x, x.like(0.3)), x, y)


def _to_float32_and_back(x: Node) -> Node:
    # The detour keeps float64 precision in the sum, so that central differences see only the identity's part.
    return ew.cast(ew.cast(x, dtype="float64"), dtype="float64") * x


OTHER = uniform(2, 3, low=0.5, high=1.9, seed=7)

CASES: dict[str, list[Case]] = {
    **{name: _unary(getattr(ew, name)) for name in ("neg", "exp", "exp2", "expm1", "sin", "cos", "atan", "tanh")},
    **{name: _unary(getattr(ew, name)) for name in ("sinh", "cosh", "asinh", "erf", "erfc", "contiguous", "clone")},
    **{name: _unary(getattr(ew, name), POSITIVE) for name in ("log", "log2", "log10", "log1p", "sqrt")},
    **{name: _unary(getattr(ew, name), UNIT) for name in ("tan", "asin", "acos", "atanh", "erfinv")},
    **{name: _unary(getattr(ew, name), order=1) for name in ("sign", "floor", "ceil", "trunc")},
    "round": _unary(ew.round_, order=1),
    "abs": _unary(ew.abs_),
    "acosh": _unary(ew.acosh, POSITIVE + 1.2),
    "lgamma": _unary(ew.lgamma, POSITIVE, 3),
    "digamma": _unary(ew.digamma, POSITIVE, 2),
    "trigamma": _unary(ew.trigamma, POSITIVE, 2),
    "cast": [Case(_to_float32_and_back, (SIGNED,), 2)],
    "add": _binary(ew.add, SIGNED, OTHER),
    "sub": _binary(ew.sub, SIGNED, OTHER),
    "mul": [*_binary(ew.mul, SIGNED, OTHER, 3), Case(lambda x: ew.mul(x, x), (SIGNED,))],
    "div": _binary(ew.div, SIGNED, OTHER, 3),
    "remainder": _binary(ew.remainder, SIGNED, OTHER),
    "fmod": _binary(ew.fmod, SIGNED, OTHER),
    "floor_div": _binary(ew.floor_div, SIGNED, OTHER, 1),
    "copysign": _binary(ew.copysign, SIGNED, -OTHER, 1),
    "after": [Case(lambda token, x: ew.after(token, x) * x, (np.array(1.0), SIGNED), 2)],
    "require": [Case(lambda x: _required(x) * x, (SIGNED,), 2)],
    "atan2": _binary(ew.atan2, SIGNED, OTHER),
    "pow": [
        *_binary(ew.pow_, POSITIVE, SIGNED, 3),
        Case(lambda x: ew.pow_(x, x.like(3)), (SIGNED,), 3),
        Case(lambda x: ew.pow_(x, x.like(2)), (SIGNED,), 3),
        Case(lambda x: ew.pow_(x, x.like(0)), (SIGNED,), 1),
    ],
    "maximum": _binary(ew.maximum, SIGNED, OTHER),
    "minimum": _binary(ew.minimum, SIGNED, OTHER),
    "where": [Case(_chosen, (SIGNED, OTHER)), Case(_chosen, (SIGNED, OTHER[0]))],
}
