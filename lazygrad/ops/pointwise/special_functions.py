"""Bessel, Airy and error functions of one number, computed by scipy: not fused, but differentiable to any order."""

from __future__ import annotations

from collections.abc import Callable

from lazygrad.ir.primitives.pointwise import pointwise
from lazygrad.ops.arguments.operands import float_node, tensor_argument
from lazygrad.ops.arguments.out import accepts_out
from lazygrad.ops.arguments.registering import method
from lazygrad.tensor import Tensor
from lazygrad.tensor_base import record

__all__ = ["i0"]


def _library(name: str, function_name: str, doc: str) -> Callable[[Tensor], Tensor]:
    """The function ``name`` computed by the library function ``function_name``."""

    def function(input: Tensor) -> Tensor:
        return record(pointwise, (float_node(tensor_argument(input, name)),), (function_name,))

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"{doc}, elementwise. Integers are converted to the default float dtype."
    return function


i0 = accepts_out(method(inplace=True)(_library("i0", "i0", "The modified Bessel function I₀(x)")))
i0e = accepts_out(_library("i0e", "i0e", "e^−|x| · I₀(x)"))
i1 = accepts_out(_library("i1", "i1", "The modified Bessel function I₁(x)"))
i1e = accepts_out(_library("i1e", "i1e", "e^−|x| · I₁(x)"))
bessel_j0 = accepts_out(_library("bessel_j0", "bessel_j0", "The Bessel function J₀(x)"))
bessel_j1 = accepts_out(_library("bessel_j1", "bessel_j1", "The Bessel function J₁(x)"))
bessel_y0 = accepts_out(_library("bessel_y0", "bessel_y0", "The Bessel function Y₀(x)"))
bessel_y1 = accepts_out(_library("bessel_y1", "bessel_y1", "The Bessel function Y₁(x)"))
modified_bessel_i0 = accepts_out(_library("modified_bessel_i0", "i0", "The modified Bessel function I₀(x)"))
modified_bessel_i1 = accepts_out(_library("modified_bessel_i1", "i1", "The modified Bessel function I₁(x)"))
modified_bessel_k0 = accepts_out(_library("modified_bessel_k0", "k0", "The modified Bessel function K₀(x)"))
modified_bessel_k1 = accepts_out(_library("modified_bessel_k1", "k1", "The modified Bessel function K₁(x)"))
scaled_modified_bessel_k0 = accepts_out(_library("scaled_modified_bessel_k0", "k0e", "eˣ · K₀(x)"))
scaled_modified_bessel_k1 = accepts_out(_library("scaled_modified_bessel_k1", "k1e", "eˣ · K₁(x)"))
airy_ai = accepts_out(_library("airy_ai", "airy_ai", "The Airy function Ai(x)"))
erfcx = accepts_out(_library("erfcx", "erfcx", "e^(x²) · erfc(x)"))
log_ndtr = accepts_out(_library("log_ndtr", "log_ndtr", "The logarithm of the standard normal distribution function"))
ndtri = accepts_out(_library("ndtri", "ndtri", "The inverse of the standard normal distribution function"))
