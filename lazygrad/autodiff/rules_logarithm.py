"""Pullbacks of the composites around logarithms, with PyTorch's choices where the plain formula gives 0 · ∞."""

from __future__ import annotations

from math import pi

from lazygrad.autodiff.registry import Cotangents, define_pullbacks, in_float32
from lazygrad.ir.build import conj, zeros_like
from lazygrad.ir.composites import logarithm as lg
from lazygrad.ir.composites.define import widen
from lazygrad.ir.node import Node
from lazygrad.ir.primitives import elementwise as ew


def _unless(condition: Node, value: Node) -> Node:
    return ew.where(condition, zeros_like(value), value)


def _zero_at_pole(x: Node, argument: Node, gradient: Node) -> Node:
    """The gradient, but 0 where x is 0 and the logarithm infinite or undefined."""
    pole = ew.bitwise_and(ew.eq(x, x.like(0)), ew.le(argument, argument.like(0)))
    return _unless(pole, gradient)


def _xlogy(g: Node, y: Node, a: Node, b: Node) -> Cotangents:
    return _zero_at_pole(a, b, lg.xlogy(g, b)), g * a / b


def _xlog1py(g: Node, y: Node, a: Node, b: Node) -> Cotangents:
    return _zero_at_pole(a, b + 1, lg.xlog1py(g, b)), g * a / (b + 1)


def _hypot(g: Node, y: Node, a: Node, b: Node) -> Cotangents:
    length = widen(y)
    return g * (a / length), g * (b / length)


def _sinc(g: Node, y: Node, x: Node) -> Cotangents:
    """(πx·cos πx − sin πx) / (πx²), and 0 where that divisor vanishes."""
    angle, divisor = x * pi, x * x * pi
    slope = (angle * ew.cos(angle) - ew.sin(angle)) / divisor
    return _unless(ew.eq(divisor, divisor.like(0)), g * conj(slope))


define_pullbacks(
    {
        lg.xlogy: in_float32(_xlogy),
        lg.xlog1py: in_float32(_xlog1py),
        lg.hypot: in_float32(_hypot),
        lg.logaddexp: in_float32(lambda g, y, a, b: (g / conj(ew.exp(b - a) + 1), g / conj(ew.exp(a - b) + 1))),
        lg.logaddexp2: in_float32(lambda g, y, a, b: (g / (ew.exp2(b - a) + 1), g / (ew.exp2(a - b) + 1))),
        lg.sinc: in_float32(_sinc),
        lg.entr: in_float32(lambda g, y, x: -(g * (ew.log(x) + 1))),
        lg.logit: in_float32(lambda g, y, x: lg.outside_unit(x, g / (ew.abs_(x) * (1 - x)))),
    }
)
