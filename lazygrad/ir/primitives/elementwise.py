"""Elementwise primitives. Inputs share one dtype and broadcast; family factories keep each op to a line."""

from __future__ import annotations

from typing import Any

from lazygrad.ir.callable_op import CallableOp
from lazygrad.ir.dtype import Category, DType, bool_, dtype_named, float32, float64
from lazygrad.ir.node import TensorType
from lazygrad.ir.op import Kind, Refusal
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
        raise NotImplementedError(
            f"{name} not implemented for '{first.scalar_type}'; cast the operand first, for example .float()"
        )


def unary(
    name: str,
    allowed: tuple[Category, ...] = _FLOAT,
    doc: str = "",
    result: DType | None = None,
    *,
    is_expensive: bool = False,
    is_exact: bool = False,
) -> CallableOp:
    def infer(attrs: tuple[Any, ...], x: TensorType) -> tuple[Shape, DType]:
        _check_dtypes(name, allowed, (x,))
        return x.shape, result or x.dtype

    return CallableOp(
        name, Kind.ELEMENTWISE, infer, doc=doc or f"{name}(x)", is_expensive=is_expensive, is_exact=is_exact
    )


def binary(
    name: str,
    allowed: tuple[Category, ...] = _NUMBER,
    doc: str = "",
    result: DType | None = None,
    *,
    refuses: Refusal | None = None,
    is_expensive: bool = False,
    is_exact: bool = False,
) -> CallableOp:
    def infer(attrs: tuple[Any, ...], x: TensorType, y: TensorType) -> tuple[Shape, DType]:
        _check_dtypes(name, allowed, (x, y))
        return broadcast_shapes(name, x.shape, y.shape), result or x.dtype

    return CallableOp(
        name,
        Kind.ELEMENTWISE,
        infer,
        doc=doc or f"{name}(x, y)",
        refuses=refuses,
        is_expensive=is_expensive,
        is_exact=is_exact,
    )


def function(name: str, allowed: tuple[Category, ...] = _FLOAT) -> CallableOp:
    """A function of one number that takes a polynomial or an iteration."""
    return unary(name, allowed, is_expensive=True)


def exact(name: str, allowed: tuple[Category, ...], doc: str = "") -> CallableOp:
    """An op of one number whose result is never rounded."""
    return unary(name, allowed, doc, is_exact=True)


def division(name: str, doc: str) -> CallableOp:
    """An op of two numbers the second of which, an integer, must not be 0."""
    return binary(name, _REAL, doc, refuses=Refusal.ZERO_DIVISOR, is_expensive=True)


def choice(name: str) -> CallableOp:
    """One of two numbers."""
    return binary(name, _ORDERED, "NaN wins", is_exact=True)


def comparison(name: str, allowed: tuple[Category, ...], doc: str) -> CallableOp:
    return binary(name, allowed, doc, bool_, is_exact=True)


def bitwise(name: str, allowed: tuple[Category, ...] = _BITS, doc: str = "") -> CallableOp:
    return binary(name, allowed, doc, is_exact=True)


neg = exact("neg", _NUMBER, "-x")
sign = exact("sign", (*_BITS, Category.FLOAT), "-1, 0 or 1")
exp, exp2, expm1 = function("exp"), function("exp2"), function("expm1")
log, log2, log10, log1p = function("log"), function("log2"), function("log10"), function("log1p")
sqrt = function("sqrt")
sin, cos, tan = function("sin"), function("cos"), function("tan")
asin, acos, atan = function("asin"), function("acos"), function("atan")
sinh, cosh, tanh = function("sinh"), function("cosh"), function("tanh")
asinh, acosh, atanh = function("asinh"), function("acosh"), function("atanh")
erf, erfc, erfinv = function("erf", _REAL_FLOAT), function("erfc", _REAL_FLOAT), function("erfinv", _REAL_FLOAT)
lgamma, digamma = function("lgamma", _REAL_FLOAT), function("digamma", _REAL_FLOAT)
trigamma = function("trigamma", _REAL_FLOAT)
floor, ceil, trunc = exact("floor", _REAL), exact("ceil", _REAL), exact("trunc", _REAL)
round_ = exact("round", _REAL, "nearest integer, ties to even")
isnan = unary("isnan", _FLOAT, "x is NaN", bool_, is_exact=True)
invert = exact("invert", _BITS, "bitwise not; logical not for bool")
contiguous = exact("contiguous", _ANY, "a row-major copy of a view")
clone = exact("clone", _ANY, "the same value in memory of its own")

add, sub, mul = binary("add", _ANY, "x + y"), binary("sub", _NUMBER, "x - y"), binary("mul", _ANY, "x * y")
div = binary("div", _FLOAT, "x / y", is_expensive=True)
floor_div = division("floor_div", "floor(x / y)")
remainder = division("remainder", "x - y·floor(x / y), the sign of y; a zero has that of x")
fmod = division("fmod", "x - y·trunc(x / y), the sign of x")
pow_ = binary("pow", _NUMBER, "x ** y", is_expensive=True)
atan2 = binary("atan2", _REAL_FLOAT, is_expensive=True)
copysign = binary("copysign", _REAL_FLOAT, "|x| with the sign of y, that of a zero or NaN included", is_exact=True)
maximum, minimum = choice("maximum"), choice("minimum")
eq, ne = comparison("eq", _ANY, "x == y"), comparison("ne", _ANY, "x != y")
lt, le = comparison("lt", _ORDERED, "x < y"), comparison("le", _ORDERED, "x <= y")
gt, ge = comparison("gt", _ORDERED, "x > y"), comparison("ge", _ORDERED, "x >= y")
bitwise_and, bitwise_or, bitwise_xor = bitwise("bitwise_and"), bitwise("bitwise_or"), bitwise("bitwise_xor")
shift_left = bitwise("shift_left", (Category.INTEGER,), "x << y")
shift_right = bitwise("shift_right", (Category.INTEGER,), "x >> y")


# Complex numbers and their parts.


def _part(name: str, allowed: tuple[Category, ...], doc: str) -> CallableOp:
    """An op of complex numbers whose results are real."""

    def infer(attrs: tuple[Any, ...], x: TensorType) -> tuple[Shape, DType]:
        _check_dtypes(name, allowed, (x,))
        return x.shape, x.dtype.to_real()

    return CallableOp(name, Kind.ELEMENTWISE, infer, doc=doc, is_exact=True)


abs_ = _part("abs", _NUMBER, "|x|")
real, imag = _part("real", _COMPLEX, "Re x"), _part("imag", _COMPLEX, "Im x")
conj = exact("conj", _COMPLEX, "Re x - i·Im x")


def _infer_complex(attrs: tuple[Any, ...], real: TensorType, imag: TensorType) -> tuple[Shape, DType]:
    _check_dtypes("complex", _REAL_FLOAT, (real, imag))
    if real.dtype not in (float32, float64):
        raise RuntimeError(
            f"complex not implemented for '{real.dtype.scalar_type}': there are no 16-bit complex dtypes"
        )
    return broadcast_shapes("complex", real.shape, imag.shape), real.dtype.to_complex()


complex_ = CallableOp("complex", Kind.ELEMENTWISE, _infer_complex, doc="x + i·y", is_exact=True)


def _infer_where(attrs: tuple[Any, ...], condition: TensorType, x: TensorType, y: TensorType) -> tuple[Shape, DType]:
    if condition.dtype is not bool_:
        raise RuntimeError(f"where expected condition to be a boolean tensor, but got {condition.dtype.name}")
    _check_dtypes("where", _ANY, (x, y))
    return broadcast_shapes("where", condition.shape, x.shape, y.shape), x.dtype


where = CallableOp("where", Kind.ELEMENTWISE, _infer_where, doc="x where the condition holds, else y", is_exact=True)


def _infer_after(attrs: tuple[Any, ...], token: TensorType, x: TensorType) -> tuple[Shape, DType]:
    return broadcast_shapes("after", token.shape, x.shape), x.dtype


after = CallableOp("after", Kind.ELEMENTWISE, _infer_after, doc="x once more, when the token is there", is_exact=True)


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
    refuses=Refusal.CONDITION,
    is_exact=True,
)


def _infer_cast(attrs: tuple[Any, ...], x: TensorType) -> tuple[Shape, DType]:
    return x.shape, dtype_named(attrs[0])


cast = CallableOp("cast", Kind.ELEMENTWISE, _infer_cast, ("dtype",), doc="the same numbers as another dtype")
