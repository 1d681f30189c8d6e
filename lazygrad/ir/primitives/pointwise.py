"""Elementwise functions that stand outside fused kernels: one call of a library, named by an attribute.

They are what is computed too rarely, or too expensively, to deserve a spelling in every renderer: `FUNCTIONS` says
what they take, `host/calls/pointwise.py` which numpy or scipy function computes them, and
`autodiff/rules_pointwise.py` what their derivatives are.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from lazygrad.ir.callable_op import CallableOp
from lazygrad.ir.dtype import Category, DType, int32
from lazygrad.ir.node import TensorType
from lazygrad.ir.op import Kind
from lazygrad.ir.shape import Shape, broadcast_shapes


@dataclass(frozen=True, slots=True)
class Function:
    """What an elementwise function takes and gives.

    Attributes:
        operands: how many inputs, all of one dtype.
        category: of that dtype.
        result: the dtype of the result; None for that of the inputs.
    """

    operands: int
    category: Category = Category.FLOAT
    result: DType | None = None


_OF_ONE = (
    "i0 i0e i1 i1e bessel_j0 bessel_j1 bessel_y0 bessel_y1 k0 k0e k1 k1e airy_ai airy_ai_prime erfcx log_ndtr ndtri "
    "frexp_mantissa"
)

FUNCTIONS: dict[str, Function] = {
    **{name: Function(1) for name in _OF_ONE.split()},
    "frexp_exponent": Function(1, result=int32),
    "nextafter": Function(2),
    "gcd": Function(2, Category.INTEGER),
    "lcm": Function(2, Category.INTEGER),
    "gammainc": Function(2),  # a, x
    "gammaincc": Function(2),  # a, x
    "zeta": Function(2),  # s, q
    "gamma_slope": Function(2),  # a, x
    "dirichlet_slope": Function(3),  # x, a, the sum over all a
    # Polynomials: the degree, a parameter where the family has one, x.
    "chebyshev_t": Function(2),
    "hermite_h": Function(2),
    "hermite_he": Function(2),
    "gegenbauer": Function(3),
    "laguerre": Function(3),
}


def _infer(attrs: tuple[Any, ...], *types: TensorType) -> tuple[Shape, DType]:
    name = attrs[0]
    function = FUNCTIONS[name]
    if len(types) != function.operands:
        raise TypeError(f"{name} takes {function.operands} operands, not {len(types)}")
    dtype = types[0].dtype
    if any(type.dtype is not dtype for type in types):
        raise RuntimeError(f"{name}: operands {' and '.join(map(str, types))} have different dtypes; cast one")
    if dtype.category is not function.category:
        raise RuntimeError(f"{name} not implemented for '{dtype.scalar_type}'; cast the operand first")
    return broadcast_shapes(name, *[type.shape for type in types]), function.result or dtype


pointwise = CallableOp(
    "pointwise",
    Kind.LIBRARY,
    _infer,
    ("function",),
    doc="an elementwise function of a library, by name",
    unsaved_input=0,
)
