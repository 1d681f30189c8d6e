"""Pullbacks of the unary elementwise primitives."""

from __future__ import annotations

from math import log, pi, sqrt

from lazygrad.autodiff.registry import DISCRETE, Cotangents, define_pullbacks
from lazygrad.ir.build import cast, zeros_like
from lazygrad.ir.node import Node
from lazygrad.ir.primitives import elementwise as ew
from lazygrad.ir.primitives.pointwise import pointwise


def _zero(g: Node, y: Node, x: Node) -> Cotangents:
    """Piecewise constant: the gradient is 0 wherever there is one, and PyTorch takes it as 0 everywhere."""
    return zeros_like(x)


def _abs(g: Node, y: Node, x: Node) -> Cotangents:
    """PyTorch's sign of NaN is 0, unlike numpy's."""
    return g * ew.where(ew.isnan(x), zeros_like(x), ew.sign(x))


def _trigamma(g: Node, y: Node, x: Node) -> Cotangents:
    """ψ″(x) = −2 ζ(3, x), whose own derivatives are zeta functions again. Source: DLMF 25.11.12."""
    return g * pointwise(x.like(3), x, function="zeta") * -2


define_pullbacks(
    {
        ew.neg: lambda g, y, x: -g,
        ew.abs_: _abs,
        ew.exp: lambda g, y, x: g * y,
        ew.exp2: lambda g, y, x: g * y * log(2),
        ew.expm1: lambda g, y, x: g * (y + 1),
        ew.log: lambda g, y, x: g / x,
        ew.log2: lambda g, y, x: g / (x * log(2)),
        ew.log10: lambda g, y, x: g / (x * log(10)),
        ew.log1p: lambda g, y, x: g / (x + 1),
        ew.sqrt: lambda g, y, x: g / (y * 2),
        ew.sin: lambda g, y, x: g * ew.cos(x),
        ew.cos: lambda g, y, x: g * -ew.sin(x),
        ew.tan: lambda g, y, x: g * (y * y + 1),
        ew.asin: lambda g, y, x: g / ew.sqrt(1 - x * x),
        ew.acos: lambda g, y, x: -g / ew.sqrt(1 - x * x),
        ew.atan: lambda g, y, x: g / (x * x + 1),
        ew.sinh: lambda g, y, x: g * ew.cosh(x),
        ew.cosh: lambda g, y, x: g * ew.sinh(x),
        ew.tanh: lambda g, y, x: g * (1 - y * y),
        ew.asinh: lambda g, y, x: g / ew.sqrt(x * x + 1),
        ew.acosh: lambda g, y, x: g / ew.sqrt(x * x - 1),
        ew.atanh: lambda g, y, x: g / (1 - x * x),
        ew.erf: lambda g, y, x: g * ew.exp(-(x * x)) * (2 / sqrt(pi)),
        ew.erfc: lambda g, y, x: g * ew.exp(-(x * x)) * (-2 / sqrt(pi)),
        ew.erfinv: lambda g, y, x: g * ew.exp(y * y) * (sqrt(pi) / 2),
        ew.lgamma: lambda g, y, x: g * ew.digamma(x),
        ew.digamma: lambda g, y, x: g * ew.trigamma(x),
        ew.trigamma: _trigamma,
        ew.sign: _zero,
        ew.floor: _zero,
        ew.ceil: _zero,
        ew.trunc: _zero,
        ew.round_: _zero,
        ew.contiguous: lambda g, y, x: g,
        ew.clone: lambda g, y, x: g,
        ew.cast: lambda g, y, x: cast(g, x.dtype),
        ew.isnan: DISCRETE,
        ew.invert: DISCRETE,
    }
)
