"""What a floating-point number is made of: its sign, exponent and neighbours; and tests for special values."""

from __future__ import annotations

from math import inf, pi

from lazygrad.ir.dtype import Category, bool_, float64
from lazygrad.ir.node import Node
from lazygrad.ir.primitives import elementwise as ew
from lazygrad.ir.primitives.pointwise import pointwise
from lazygrad.ops import return_types
from lazygrad.ops.arguments.kinds import Operand
from lazygrad.ops.arguments.operands import float_node, promoted, scalar_node, tensor_argument
from lazygrad.ops.arguments.out import accepts_out
from lazygrad.ops.arguments.registering import method
from lazygrad.ops.arguments.tracing import traced
from lazygrad.ops.pointwise.arithmetic import mul
from lazygrad.ops.pointwise.powers import pow
from lazygrad.ops.pointwise.relational import eq, ge, gt, isnan, lt
from lazygrad.ops.pointwise.rounding import floor
from lazygrad.ops.pointwise.selection import where
from lazygrad.tensor import Tensor
from lazygrad.tensor_base import record, record_node

# fmt: off
__all__ = [
    "copysign", "signbit", "heaviside", "nextafter", "ldexp", "frexp", "isneginf", "isposinf", "fmax", "fmin",
    "deg2rad", "rad2deg",
]
# fmt: on

# Signs.


@accepts_out
@method(inplace=True)
def copysign(input: Tensor, other: Operand) -> Tensor:
    """|input| with the sign of ``other``, a tensor or number, broadcast. Integers are taken as floats."""
    return record(ew.copysign, promoted("copysign", tensor_argument(input, "copysign"), other, to_float=True))


@accepts_out
@method()
def signbit(input: Tensor) -> Tensor:
    """Where the sign bit is set, as bool: below 0, at −0 and at a negative NaN."""
    node = tensor_argument(input, "signbit").node()
    if node.dtype.category is not Category.FLOAT:
        return lt(input, 0)
    one, zero = (scalar_node(value, node.dtype, node.device) for value in (1, 0))
    return record(ew.lt, (record_node(ew.copysign, (one, node)), zero))


@accepts_out
@method(inplace=True)
def heaviside(input: Tensor, values: Tensor) -> Tensor:
    """0 below 0, ``values`` at 0, 1 above, broadcast; 0 at NaN.

    Raises:
        RuntimeError: the tensors' dtypes differ.
    """
    if tensor_argument(input, "heaviside").dtype is not tensor_argument(values, "heaviside", "values").dtype:
        raise RuntimeError(f"heaviside is not yet implemented for tensors with different dtypes, {input.dtype.name} "
                           f"and {values.dtype.name}; cast one")  # fmt: skip
    one, zero = (Tensor.from_node(scalar_node(value, input.dtype, input.device)) for value in (1, 0))
    return where(eq(input, 0), values, where(gt(input, 0), one, zero))


# Neighbours and exponents.


@accepts_out
@method(inplace=True)
def nextafter(input: Tensor, other: Tensor) -> Tensor:
    """The next number of the dtype after ``input`` in the direction of ``other``, broadcast.

    Raises:
        NotImplementedError: integers or bools; a gradient asked for.
    """
    nodes = promoted("nextafter", tensor_argument(input, "nextafter"), tensor_argument(other, "nextafter", "other"))
    if nodes[0].dtype.category is not Category.FLOAT:
        raise NotImplementedError(f"nextafter not implemented for '{nodes[0].dtype.scalar_type}'; cast with .float()")
    return record(pointwise, nodes, ("nextafter",))


@accepts_out
@method(inplace=True)
def ldexp(input: Tensor, other: Tensor) -> Tensor:
    """input · 2^other, broadcast; a float even where both are integers.

    A float and an integer exponent give the float's dtype, and no power of 2 overflows where the result does not.

    Raises:
        NotImplementedError: a float, and an exponent that is a bool or of uint16, uint32 or uint64.
    """
    tensor_argument(input, "ldexp")
    tensor_argument(other, "ldexp", "other")
    if input.dtype.category is not Category.FLOAT or other.dtype.category > Category.INTEGER:
        return mul(input, pow(2.0, other))
    if other.dtype is bool_ or other.dtype.is_storage:
        raise NotImplementedError(
            f"\"ldexp_cpu_exp\" not implemented for '{other.dtype.scalar_type}'; cast with .int()"
        )
    exponent = other.to(float64)
    first = floor(exponent / 2)
    return (input.to(float64) * pow(2.0, first) * pow(2.0, exponent - first)).to(input.dtype)


@accepts_out
@method()
def frexp(input: Tensor) -> return_types.frexp:
    """Mantissa in [½, 1) and int32 exponent, as a named pair, with input = mantissa · 2^exponent.

    Raises:
        RuntimeError: not a floating dtype.
    """
    node = tensor_argument(input, "frexp").node()
    if node.dtype.category is not Category.FLOAT:
        raise RuntimeError(f"frexp() only supports floating-point dtypes, not {node.dtype.name}; cast the input")
    return return_types.frexp(*[record(pointwise, (node,), (f"frexp_{part}",)) for part in ("mantissa", "exponent")])


# Special values.


@accepts_out
@method()
def isneginf(input: Tensor) -> Tensor:
    """Where elements are −∞, as bool. RuntimeError for complex numbers."""
    return _equals_infinity("isneginf", input, -inf)


@accepts_out
@method()
def isposinf(input: Tensor) -> Tensor:
    """Where elements are +∞, as bool. RuntimeError for complex numbers."""
    return _equals_infinity("isposinf", input, inf)


def _equals_infinity(name: str, input: Tensor, infinity: float) -> Tensor:
    if tensor_argument(input, name).dtype.is_complex:
        raise RuntimeError(f"{name} does not support complex inputs.")
    if input.dtype.category < Category.FLOAT:
        return lt(input, input)
    return eq(input, infinity)


# Extrema that prefer numbers to NaN.


@accepts_out
@method()
@traced
def fmax(input: Tensor, other: Tensor) -> Tensor:
    """The larger of two values, broadcast; a number rather than NaN."""
    x, y = _pair("fmax", input, other)
    return where(ge(x, y) | isnan(y), x, y)


@accepts_out
@method()
@traced
def fmin(input: Tensor, other: Tensor) -> Tensor:
    """The smaller of two values, broadcast; a number rather than NaN."""
    x, y = _pair("fmin", input, other)
    return where(ge(y, x) | isnan(y), x, y)


def _pair(name: str, input: Tensor, other: Tensor) -> list[Tensor]:
    nodes = promoted(name, tensor_argument(input, name), tensor_argument(other, name, "other"))
    return [Tensor.from_node(node) for node in nodes]


# Angles.


def _real_angle(input: Tensor, name: str) -> Node:
    if tensor_argument(input, name).dtype.is_complex:
        raise RuntimeError(f"{name} is not supported for complex tensors.")
    return float_node(input)


@accepts_out
@method(inplace=True)
def deg2rad(input: Tensor) -> Tensor:
    """Degrees as radians; integers are converted to the default float dtype."""
    return mul(Tensor.from_node(_real_angle(input, "deg2rad")), pi / 180)


@accepts_out
@method(inplace=True)
def rad2deg(input: Tensor) -> Tensor:
    """Radians as degrees; integers are converted to the default float dtype."""
    return mul(Tensor.from_node(_real_angle(input, "rad2deg")), 180 / pi)
