"""Elementwise primitives. Inputs share one dtype and broadcast; family factories keep each op to a line."""

from __future__ import annotations

from typing import Any

from lazygrad.ir.callable_op import CallableOp
from lazygrad.ir.dtype import Category, DType, bool_, dtype_named, float32, float64
from lazygrad.ir.node import TensorType
from lazygrad.ir.op import Kind
from lazygrad.ir.shape import Shape, broadcast_shapes

_ANY = tuple(Category)
_NUMBER = (Category.INTEGER, Category.FLOAT, Category.COMPLEX)
_FLOAT = (Category.FLOAT, Category.COMPLEX)
_REAL_FLOAT = (Category.FLOAT,)
_COMPLEX = (Category.COMPLEX,)
_REAL = (Category.INTEGER, Category.FLOAT)
_BITS = (Category.BOOL, Category.INTEGER)
_ORDERED = (Category.BOOL, Category.INTEGER, Category.FLOAT)


def _check_dtypes(name: str, allowed: tuple[Category, ...], types: tuple[TensorType, ...]) -> None:
    first = types[0].dtype
    if any(type.dtype is not first for type in types):
        listed = " and ".join(str(type) for type in types)
        raise RuntimeError(f"{name}: operands {listed} have different dtypes; cast one")
    if first.is_complex and first.category not in allowed:
        raise NotImplementedError(f"{name} not implemented for '{first.scalar_type}'; take its .real, .imag or .abs()")
    if first.category not in allowed:
        raise RuntimeError(
            f"{name} not implemented for '{first.scalar_type}'; cast the operand first, for example .float()"
        )


def unary(name: str, allowed: tuple[Category, ...] = _FLOAT, doc: str = "", result: DType | None = None) -> CallableOp:
    def infer(attrs: tuple[Any, ...], x: TensorType) -> tuple[Shape, DType]:
        _check_dtypes(name, allowed, (x,))
        return x.shape, result or x.dtype

    return CallableOp(name, Kind.ELEMENTWISE, infer, doc=doc or f"{name}(x)")


def binary(
    name: str, allowed: tuple[Category, ...] = _NUMBER, doc: str = "", result: DType | None = None
) -> CallableOp:
    def infer(attrs: tuple[Any, ...], x: TensorType, y: TensorType) -> tuple[Shape, DType]:
        _check_dtypes(name, allowed, (x, y))
        return broadcast_shapes(name, x.shape, y.shape), result or x.dtype

    return CallableOp(name, Kind.ELEMENTWISE, infer, doc=doc or f"{name}(x, y)")


neg = unary("neg", _NUMBER, "-x")
sign = unary("sign", (*_BITS, Category.FLOAT), "-1, 0 or 1")
exp, exp2, expm1 = unary("exp"), unary("exp2"), unary("expm1")
log, log2, log10, log1p = unary("log"), unary("log2"), unary("log10"), unary("log1p")
sqrt = unary("sqrt")
sin, cos, tan = unary("sin"), unary("cos"), unary("tan")
asin, acos, atan = unary("asin"), unary("acos"), unary("atan")
sinh, cosh, tanh = unary("sinh"), unary("cosh"), unary("tanh")
asinh, acosh, atanh = unary("asinh"), unary("acosh"), unary("atanh")
erf = unary("erf", _REAL_FLOAT)
erfc = unary("erfc", _REAL_FLOAT)
erfinv = unary("erfinv", _REAL_FLOAT)
lgamma, digamma = unary("lgamma", _REAL_FLOAT), unary("digamma", _REAL_FLOAT)
trigamma = unary("trigamma", _REAL_FLOAT)
floor, ceil, trunc = unary("floor", _REAL), unary("ceil", _REAL), unary("trunc", _REAL)
round_ = unary("round", _REAL, "nearest integer, ties to even")
isnan = unary("isnan", _FLOAT, "x is NaN", bool_)
invert = unary("invert", _BITS, "bitwise not; logical not for bool")
contiguous = unary("contiguous", _ANY, "a row-major copy of a view")
clone = unary("clone", _ANY, "the same value in memory of its own")

add, sub, mul = binary("add", _ANY, "x + y"), binary("sub", _NUMBER, "x - y"), binary("mul", _ANY, "x * y")
div = binary("div", _FLOAT, "x / y")
floor_div = binary("floor_div", _REAL, "floor(x / y)")
remainder = binary("remainder", _REAL, "x - y·floor(x / y), the sign of y; a zero has that of x")
fmod = binary("fmod", _REAL, "x - y·trunc(x / y), the sign of x")
pow_ = binary("pow", _NUMBER, "x ** y")
atan2 = binary("atan2", _REAL_FLOAT)
copysign = binary("copysign", _REAL_FLOAT, "|x| with the sign of y, that of a zero or NaN included")
maximum, minimum = binary("maximum", _ORDERED, "NaN wins"), binary("minimum", _ORDERED, "NaN wins")
eq, ne = binary("eq", _ANY, "x == y", bool_), binary("ne", _ANY, "x != y", bool_)
lt, le = binary("lt", _ORDERED, "x < y", bool_), binary("le", _ORDERED, "x <= y", bool_)
gt, ge = binary("gt", _ORDERED, "x > y", bool_), binary("ge", _ORDERED, "x >= y", bool_)
bitwise_and, bitwise_or = binary("bitwise_and", _BITS), binary("bitwise_or", _BITS)
bitwise_xor = binary("bitwise_xor", _BITS)
shift_left = binary("shift_left", (Category.INTEGER,), "x << y")
shift_right = binary("shift_right", (Category.INTEGER,), "x >> y")


# Complex numbers and their parts.


def _part(name: str, allowed: tuple[Category, ...], doc: str) -> CallableOp:
    """An op of complex numbers whose results are real."""

    def infer(attrs: tuple[Any, ...], x: TensorType) -> tuple[Shape, DType]:
        _check_dtypes(name, allowed, (x,))
        return x.shape, x.dtype.to_real()

    return CallableOp(name, Kind.ELEMENTWISE, infer, doc=doc)


abs_ = _part("abs", _NUMBER, "|x|")
real, imag = _part("real", _COMPLEX, "Re x"), _part("imag", _COMPLEX, "Im x")
conj = unary("conj", _COMPLEX, "Re x - i·Im x")


def _infer_complex(attrs: tuple[Any, ...], real: TensorType, imag: TensorType) -> tuple[Shape, DType]:
    _check_dtypes("complex", _REAL_FLOAT, (real, imag))
    if real.dtype not in (float32, float64):
        raise RuntimeError(
            f"complex not implemented for '{real.dtype.scalar_type}': there are no 16-bit complex dtypes"
        )
    return broadcast_shapes("complex", real.shape, imag.shape), real.dtype.to_complex()


complex_ = CallableOp("complex", Kind.ELEMENTWISE, _infer_complex, doc="x + i·y")


def _infer_where(attrs: tuple[Any, ...], condition: TensorType, x: TensorType, y: TensorType) -> tuple[Shape, DType]:
    if condition.dtype is not bool_:
        raise RuntimeError(f"where expected condition to be a boolean tensor, but got {condition.dtype.name}")
    _check_dtypes("where", _ANY, (x, y))
    return broadcast_shapes("where", condition.shape, x.shape, y.shape), x.dtype


where = CallableOp("where", Kind.ELEMENTWISE, _infer_where, doc="x where the condition holds, else y")


def _infer_after(attrs: tuple[Any, ...], token: TensorType, x: TensorType) -> tuple[Shape, DType]:
    return broadcast_shapes("after", token.shape, x.shape), x.dtype


after = CallableOp("after", Kind.ELEMENTWISE, _infer_after, doc="x once more, when the token is there")


def _infer_require(attrs: tuple[Any, ...], condition: TensorType, x: TensorType) -> tuple[Shape, DType]:
    if condition.dtype is not bool_:
        raise RuntimeError(f"require expected condition to be a boolean tensor, but got {condition.dtype.name}")
    return broadcast_shapes("require", condition.shape, x.shape), x.dtype


# The error a false condition raises is a class of `lazygrad.ir.errors.DATA_ERRORS`; {} in its message is the element.
require = CallableOp(
    "require",
    Kind.ELEMENTWISE,
    _infer_require,
    ("error", "message"),
    doc="x, if the condition holds for every element; otherwise the plan stops with this error",
)


def _infer_cast(attrs: tuple[Any, ...], x: TensorType) -> tuple[Shape, DType]:
    return x.shape, dtype_named(attrs[0])


cast = CallableOp("cast", Kind.ELEMENTWISE, _infer_cast, ("dtype",), doc="the same numbers as another dtype")
