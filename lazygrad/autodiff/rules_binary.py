"""Pullbacks of the elementwise primitives with two or more inputs. The sweep undoes broadcasting.

See `lazygrad.autodiff.registry` for what is conjugated.
"""

from __future__ import annotations

from lazygrad.autodiff.registry import DISCRETE, Cotangents, define_pullbacks
from lazygrad.ir.build import conj, real, zeros_like
from lazygrad.ir.dtype import Scalar
from lazygrad.ir.node import Node
from lazygrad.ir.primitives import elementwise as ew
from lazygrad.ir.primitives.leaf import constant, scalar


def _floor_div(g: Node, y: Node, a: Node, b: Node) -> Cotangents:
    """Piecewise constant, so 0, as PyTorch's ``div(rounding_mode="floor")`` has it (its ``floor_divide`` raises)."""
    return zeros_like(a), zeros_like(b)


def is_number(x: Node) -> bool:
    """Whether ``x`` is a Python number, which no gradient is ever asked for."""
    return x.op is constant or x.op is scalar


def _pow_number(base: Node, exponent: Scalar) -> Node:
    """The derivative of a power whose exponent is part of the program and not 0."""
    return base * 2 if exponent == 2 else ew.pow_(base, base.like(exponent - 1)) * exponent


def _pow_base(g: Node, y: Node, base: Node, exponent: Node) -> Node:
    """``g · e · b^(e-1)``, and 0 where the exponent is 0, whatever ``g`` and the base are."""
    if exponent.op is constant:
        value = exponent["value"]
        return g * conj(_pow_number(base, value)) if value != 0 else zeros_like(g)
    is_zero = ew.eq(exponent, exponent.like(0))
    return ew.where(is_zero, g.like(0), g * conj(exponent * ew.pow_(base, exponent - 1)))


def _pow_exponent(g: Node, y: Node, base: Node, exponent: Node) -> Node | None:
    """``g · b^e · ln b``, with 0 rather than 0 · -∞ where the base is 0 and the exponent is not negative."""
    if is_number(exponent):
        return None
    size = real(exponent)
    flat = ew.bitwise_and(ew.eq(base, base.like(0)), ew.ge(size, size.like(0)))
    if exponent.dtype.is_complex:
        angle = ew.imag(exponent)
        flat = ew.bitwise_and(flat, ew.eq(angle, angle.like(0)))
    return g * conj(y * ew.log(ew.where(flat, base.like(1), base)))


def _atan2(g: Node, y: Node, a: Node, b: Node) -> Cotangents:
    squared = a * a + b * b
    scaled = g / ew.where(ew.eq(squared, squared.like(0)), squared.like(1), squared)
    return scaled * b, -(scaled * a)


def _copysign(g: Node, y: Node, a: Node, b: Node) -> Cotangents:
    """The sign that ``a`` was given times its own, 0 at 0; piecewise constant in ``b``."""
    return g * (ew.copysign(ew.sign(a), y) * ew.sign(a)), zeros_like(b)


def _share(g: Node, a: Node, b: Node, loses: Node) -> Node:
    """``a``'s part of the gradient of a maximum or minimum: half of it in a tie, as in PyTorch."""
    return ew.where(ew.eq(a, b), g * 0.5, ew.where(loses, g.like(0), g))


define_pullbacks(
    {
        ew.add: lambda g, y, a, b: (g, g),
        ew.sub: lambda g, y, a, b: (g, None if is_number(b) else -g),
        ew.mul: lambda g, y, a, b: (None if is_number(a) else g * conj(b), None if is_number(b) else g * conj(a)),
        ew.div: lambda g, y, a, b: (g / conj(b), None if is_number(b) else -(g * conj(y / b))),
        ew.floor_div: _floor_div,
        ew.remainder: lambda g, y, a, b: (g, None if is_number(b) else -(g * ew.floor_div(a, b))),
        ew.fmod: lambda g, y, a, b: (g, None if is_number(b) else -(g * ew.trunc(a / b))),
        ew.pow_: lambda g, y, a, b: (_pow_base(g, y, a, b), _pow_exponent(g, y, a, b)),
        ew.atan2: _atan2,
        ew.copysign: _copysign,
        ew.complex_: lambda g, y, a, b: (ew.real(g), ew.imag(g)),
        ew.after: lambda g, y, token, x: (None, g),
        ew.require: lambda g, y, condition, x: (None, g),
        ew.maximum: lambda g, y, a, b: (_share(g, a, b, ew.lt(a, b)), _share(g, b, a, ew.lt(b, a))),
        ew.minimum: lambda g, y, a, b: (_share(g, a, b, ew.gt(a, b)), _share(g, b, a, ew.gt(b, a))),
        ew.where: lambda g, y, c, a, b: (None, ew.where(c, g, g.like(0)), ew.where(c, g.like(0), g)),
        **dict.fromkeys((ew.eq, ew.ne, ew.lt, ew.le, ew.gt, ew.ge), DISCRETE),
        **dict.fromkeys((ew.bitwise_and, ew.bitwise_or, ew.bitwise_xor, ew.shift_left, ew.shift_right), DISCRETE),
    }
)
