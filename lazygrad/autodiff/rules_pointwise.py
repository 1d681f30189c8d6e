"""Derivatives of the elementwise library functions, by name.

Sources: NIST Digital Library of Mathematical Functions (DLMF), chapters 7 (error functions), 8 (incomplete gamma),
9 (Airy), 10 (Bessel), 18 (orthogonal polynomials) and 25 (zeta).
"""

from __future__ import annotations

from collections.abc import Callable
from math import pi, sqrt

from lazygrad.autodiff.registry import Cotangents, define_pullbacks, in_float32
from lazygrad.ir.build import cast, ones_like, zeros_like
from lazygrad.ir.composites.define import widen
from lazygrad.ir.node import Node
from lazygrad.ir.primitives import elementwise as ew
from lazygrad.ir.primitives.pointwise import pointwise

Derivative = Callable[..., Node]  # (value, *inputs) -> the derivative with respect to one of them


def _call(name: str, *inputs: Node) -> Node:
    return pointwise(*inputs, function=name)


def _sign(x: Node) -> Node:
    return ew.where(ew.isnan(x), zeros_like(x), ew.sign(x))


def _over(x: Node, numerator: Node, at_zero: float) -> Node:
    """``numerator / x``, with its limit at 0."""
    is_zero = ew.eq(x, x.like(0))
    return ew.where(is_zero, x.like(at_zero), numerator / ew.where(is_zero, x.like(1), x))


def _gamma_density(a: Node, x: Node) -> Node:
    """x^(a-1) e^(-x) / Γ(a), the slope of the regularized incomplete gamma function (DLMF 8.8.13)."""
    return ew.exp((a - 1) * ew.log(x) - x - ew.lgamma(a))


# By function, the derivative with respect to each input; None where there is no formula for it.
_DERIVATIVES: dict[str, tuple[Derivative | None, ...]] = {
    "i0": (lambda y, x: _call("i1", x),),
    "i0e": (lambda y, x: _call("i1e", x) - _sign(x) * y,),
    "i1": (lambda y, x: _call("i0", x) - _over(x, y, 0.5),),
    "i1e": (lambda y, x: _call("i0e", x) - _sign(x) * y - _over(x, y, 0.5),),
    "bessel_j0": (lambda y, x: -_call("bessel_j1", x),),
    "bessel_j1": (lambda y, x: _call("bessel_j0", x) - _over(x, y, 0.5),),
    "bessel_y0": (lambda y, x: -_call("bessel_y1", x),),
    "bessel_y1": (lambda y, x: _call("bessel_y0", x) - y / x,),
    "k0": (lambda y, x: -_call("k1", x),),
    "k1": (lambda y, x: -_call("k0", x) - y / x,),
    "k0e": (lambda y, x: y - _call("k1e", x),),
    "k1e": (lambda y, x: y - _call("k0e", x) - y / x,),
    "airy_ai": (lambda y, x: _call("airy_ai_prime", x),),
    "airy_ai_prime": (lambda y, x: x * _call("airy_ai", x),),
    "erfcx": (lambda y, x: x * y * 2 - 2 / sqrt(pi),),
    "log_ndtr": (lambda y, x: sqrt(2 / pi) / _call("erfcx", x * -sqrt(0.5)),),
    "ndtri": (lambda y, x: ew.exp(y * y * 0.5) * sqrt(2 * pi),),
    "frexp_mantissa": (lambda y, x: ew.exp2(-cast(_call("frexp_exponent", x), x.dtype)),),
    "nextafter": (lambda y, a, b: ones_like(a), lambda y, a, b: zeros_like(b)),
    "gammainc": (None, lambda y, a, x: _gamma_density(a, x)),
    "gammaincc": (None, lambda y, a, x: -_gamma_density(a, x)),
    "zeta": (None, lambda y, s, q: -s * _call("zeta", s + 1, q)),
    "gamma_slope": (None, None),
    "dirichlet_slope": (None, None, None),
    "chebyshev_t": (None, lambda y, n, x: n * _call("gegenbauer", n - 1, x.like(1), x)),
    "hermite_h": (None, lambda y, n, x: n * 2 * _call("hermite_h", n - 1, x)),
    "hermite_he": (None, lambda y, n, x: n * _call("hermite_he", n - 1, x)),
    "gegenbauer": (None, None, lambda y, n, a, x: a * 2 * _call("gegenbauer", n - 1, a + 1, x)),
    "laguerre": (None, None, lambda y, n, a, x: -_call("laguerre", n - 1, a + 1, x)),
}


def _pointwise(g: Node, y: Node, *inputs: Node) -> Cotangents:
    name, value = y["function"], widen(y)

    def part(position: int, derivative: Derivative | None) -> Callable[[], Node]:
        def cotangent() -> Node:
            if derivative is None:
                raise NotImplementedError(f"the derivative of {name} with respect to operand {position + 1} is not "
                                          f"implemented: detach it")  # fmt: skip
            return g * derivative(value, *inputs)

        return cotangent

    return tuple(part(position, derivative) for position, derivative in enumerate(_DERIVATIVES[name]))


define_pullbacks({pointwise: in_float32(_pointwise)})
