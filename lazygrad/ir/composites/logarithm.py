"""Functions built around a logarithm or a root, whose limits and overflow need care."""

from __future__ import annotations

from math import inf, log, nan, pi, sqrt
from typing import Any

from lazygrad.ir.callable_op import CallableOp
from lazygrad.ir.composites.define import Formula, Result, check_float, composite
from lazygrad.ir.node import Node, TensorType
from lazygrad.ir.primitives import elementwise as ew
from lazygrad.ir.shape import broadcast_shapes


def _function(
    name: str, formula: Formula, doc: str, complex_too: bool = False, unsaved_input: int | None = None
) -> CallableOp:
    def infer(attrs: tuple[Any, ...], *types: TensorType) -> Result:
        check_float(name, types[0], complex_too)
        if any(type.dtype is not types[0].dtype for type in types):
            raise RuntimeError(f"{name}: operands {' and '.join(map(str, types))} have different dtypes; cast one")
        return broadcast_shapes(name, *[type.shape for type in types]), types[0].dtype

    return composite(name, formula, infer, doc=doc, unsaved_input=unsaved_input)


def _zero_times(x: Node, y: Node, product: Node) -> Node:
    """``product`` of x and a function of y; 0 where x is 0, even if the function is infinite, but NaN where y is."""
    zero = ew.where(ew.isnan(y), y, y.like(0))
    return ew.where(ew.eq(x, x.like(0)), zero, product)


def _log_add(x: Node, y: Node, exp: CallableOp, log1p: Formula, of_two: float) -> Node:
    if x.dtype.is_complex:
        is_larger = ew.ge(ew.real(x), ew.real(y))
        larger, smaller = ew.where(is_larger, x, y), ew.where(is_larger, y, x)
        return larger + log1p(exp(smaller - larger))
    apart = log1p(exp(-ew.abs_(x - y)))
    return ew.where(ew.eq(x, y), x + of_two, ew.maximum(x, y) + apart)


def _hypot(x: Node, y: Node) -> Node:
    # Scaled by the larger operand, so that squares neither overflow nor vanish.
    x, y = ew.abs_(x), ew.abs_(y)
    larger, smaller = ew.maximum(x, y), ew.minimum(x, y)
    plain = ew.bitwise_and(ew.gt(larger, x.like(0)), ew.lt(larger, x.like(inf)))
    ratio = ew.where(plain, smaller, x.like(0)) / ew.where(plain, larger, x.like(1))
    infinite = ew.bitwise_or(ew.eq(x, x.like(inf)), ew.eq(y, x.like(inf)))
    return ew.where(infinite, x.like(inf), larger * ew.sqrt(ratio * ratio + 1))


def _sinc(x: Node) -> Node:
    is_zero = ew.eq(x, x.like(0))
    angle = ew.where(is_zero, x.like(1), x) * pi
    return ew.where(is_zero, x.like(1), ew.sin(angle) / angle)


def _entr(x: Node) -> Node:
    below = ew.where(ew.lt(x, x.like(0)), x.like(-inf), ew.abs_(x))  # NaN stays, and 0 for both zeros
    return ew.where(ew.gt(x, x.like(0)), -(x * ew.log(x)), below)


def _spherical_j0(x: Node) -> Node:
    is_zero = ew.eq(x, x.like(0))
    safe = ew.where(is_zero, x.like(1), x)
    far = ew.eq(ew.abs_(x), x.like(inf))
    return ew.where(is_zero, x.like(1), ew.where(far, x.like(0), ew.sin(safe) / safe))


def outside_unit(x: Node, value: Node) -> Node:
    """``value``, and NaN where x lies outside [0, 1]."""
    outside = ew.bitwise_or(ew.lt(x, x.like(0)), ew.gt(x, x.like(1)))
    return ew.where(outside, x.like(nan), value)


xlogy = _function("xlogy", lambda x, y: _zero_times(x, y, x * ew.log(y)), "x · ln y, 0 where x is 0")
xlog1py = _function("xlog1py", lambda x, y: _zero_times(x, y, x * ew.log1p(y)), "x · ln(1 + y), 0 where x is 0")
logaddexp = _function(
    "logaddexp", lambda x, y: _log_add(x, y, ew.exp, ew.log1p, log(2)), "ln(eˣ + eʸ) without overflow", True
)
logaddexp2 = _function(
    "logaddexp2",
    lambda x, y: _log_add(x, y, ew.exp2, lambda z: ew.log1p(z) * (1 / log(2)), 1.0),
    "log₂(2ˣ + 2ʸ) without overflow",
)
hypot = _function("hypot", _hypot, "√(x² + y²) without overflow")
sinc = _function("sinc", _sinc, "sin(πx) / (πx)", complex_too=True)
entr = _function("entr", _entr, "-x · ln x, 0 at 0, -∞ below")
logit = _function("logit", lambda x: ew.log(x / (1 - x)), "ln(x / (1 - x))")
ndtr = _function(
    "ndtr", lambda x: ew.erfc(x * -sqrt(0.5)) * 0.5, "the standard normal distribution function", unsaved_input=0
)
spherical_bessel_j0 = _function("spherical_bessel_j0", _spherical_j0, "sin(x) / x")
