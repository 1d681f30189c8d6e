"""Pullbacks of the unary elementwise primitives."""

from __future__ import annotations

from math import log, pi, sqrt

from lazygrad.autodiff.registry import DISCRETE, Cotangents, define_pullbacks
from lazygrad.ir.build import cast, conj, real, zeros_like
from lazygrad.ir.composites.gradients import tanh_gradient
from lazygrad.ir.node import Node
from lazygrad.ir.primitives import elementwise as ew
from lazygrad.ir.primitives.float8 import cast_float8
from lazygrad.ir.primitives.pointwise import pointwise


def _zero(g: Node, y: Node, x: Node) -> Cotangents:
    """Piecewise constant: the gradient is 0 wherever there is one, and PyTorch takes it as 0 everywhere."""
    return zeros_like(x)


def _abs(g: Node, y: Node, x: Node) -> Cotangents:
    """PyTorch's sign of NaN is 0, unlike numpy's. A complex number's is x/|x|, of 0 it is 0."""
    if x.dtype.is_complex:
        size = ew.where(ew.eq(y, y.like(0)), y.like(1), y)
        return cast(g, x.dtype) * (x / cast(size, x.dtype))
    return g * ew.where(ew.isnan(x), zeros_like(x), ew.sign(x))


def _acosh(g: Node, y: Node, x: Node) -> Cotangents:
    if x.dtype.is_complex:
        # The root of x² - 1 has another branch; x + 1 would make an imaginary -0, below the cut, a 0 above it.
        return g / conj(ew.sqrt(x - 1) * ew.sqrt(x - -1))
    return g / ew.sqrt(x * x - 1)


def _cast(g: Node, y: Node, x: Node) -> Cotangents:
    """A real number made complex has a real gradient."""
    return cast(g if x.dtype.is_complex else real(g), x.dtype)


def _trigamma(g: Node, y: Node, x: Node) -> Cotangents:
    """ψ″(x) = −2 ζ(3, x), whose own derivatives are zeta functions again. Source: DLMF 25.11.12."""
    return g * pointwise(x.like(3), x, function="zeta") * -2


define_pullbacks(
    {
        cast_float8: _cast,
        ew.neg: lambda g, y, x: -g,
        ew.abs_: _abs,
        ew.exp: lambda g, y, x: g * conj(y),
        ew.exp2: lambda g, y, x: g * conj(y) * log(2),
        ew.expm1: lambda g, y, x: g * conj(y + 1),
        ew.log: lambda g, y, x: g / conj(x),
        ew.log2: lambda g, y, x: g / conj(x * log(2)),
        ew.log10: lambda g, y, x: g / conj(x * log(10)),
        ew.log1p: lambda g, y, x: g / conj(x + 1),
        ew.sqrt: lambda g, y, x: g / conj(y * 2),
        ew.sin: lambda g, y, x: g * conj(ew.cos(x)),
        ew.cos: lambda g, y, x: g * -conj(ew.sin(x)),
        ew.tan: lambda g, y, x: g * conj(y * y + 1),
        ew.asin: lambda g, y, x: g / conj(ew.sqrt(1 - x * x)),
        ew.acos: lambda g, y, x: -g / conj(ew.sqrt(1 - x * x)),
        ew.atan: lambda g, y, x: g / conj(x * x + 1),
        ew.sinh: lambda g, y, x: g * conj(ew.cosh(x)),
        ew.cosh: lambda g, y, x: g * conj(ew.sinh(x)),
        ew.tanh: lambda g, y, x: tanh_gradient(g, y),
        ew.asinh: lambda g, y, x: g / conj(ew.sqrt(x * x + 1)),
        ew.acosh: _acosh,
        ew.atanh: lambda g, y, x: g / conj(1 - x * x),
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
        ew.clone: lambda g, y, x: ew.clone(g),  # two gradients that are equal may need two memories
        ew.cast: _cast,
        ew.real: lambda g, y, x: cast(g, x.dtype),
        ew.imag: lambda g, y, x: ew.complex_(zeros_like(g), g),
        ew.conj: lambda g, y, x: ew.conj(g),
        ew.isnan: DISCRETE,
        ew.invert: DISCRETE,
    }
)
