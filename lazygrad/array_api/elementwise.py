"""Functions of each element, or of each pair of elements."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lazygrad.array_api.operands import converted, promoted
from lazygrad.ops import public
from lazygrad.tensor import Tensor

__all__ = [
    "abs", "acos", "acosh", "add", "asin", "asinh", "atan", "atan2", "atanh", "bitwise_and", "bitwise_invert",
    "bitwise_left_shift", "bitwise_or", "bitwise_right_shift", "bitwise_xor", "ceil", "clip", "conj", "copysign", "cos",
    "cosh", "divide", "equal", "exp", "expm1", "floor", "floor_divide", "greater", "greater_equal", "hypot", "imag",
    "isfinite", "isinf", "isnan", "less", "less_equal", "log", "log10", "log1p", "log2", "logaddexp", "logical_and",
    "logical_not", "logical_or", "logical_xor", "maximum", "minimum", "multiply", "negative", "nextafter", "not_equal",
    "positive", "pow", "real", "reciprocal", "remainder", "round", "sign", "signbit", "sin", "sinh", "sqrt", "square",
    "subtract", "tan", "tanh", "trunc", "where",
]  # fmt: skip

Unary = Callable[[Tensor], Tensor]
Binary = Callable[[Any, Any], Tensor]


def _unary(name: str, function: Callable[..., Any], meaning: str) -> Unary:
    """PyTorch's function of one tensor under the standard's name and signature."""

    def of_each(x: Tensor, /) -> Tensor:
        found: Tensor = function(x)
        return found

    return _named(of_each, name, meaning)


def _binary(name: str, function: Callable[..., Any], meaning: str) -> Binary:
    """PyTorch's function of two tensors, for tensors and numbers that the standard promotes."""

    def of_pairs(x1: Any, x2: Any, /) -> Tensor:
        found: Tensor = function(*promoted(name, x1, x2))
        return found

    return _named(of_pairs, name, meaning)


def _named(function: Any, name: str, meaning: str) -> Any:
    function.__name__ = function.__qualname__ = name
    function.__doc__ = meaning
    return function


abs = _unary("abs", public.abs, "Absolute values.")
acos = _unary("acos", public.acos, "Inverse cosines.")
acosh = _unary("acosh", public.acosh, "Inverse hyperbolic cosines.")
asin = _unary("asin", public.asin, "Inverse sines.")
asinh = _unary("asinh", public.asinh, "Inverse hyperbolic sines.")
atan = _unary("atan", public.atan, "Inverse tangents.")
atanh = _unary("atanh", public.atanh, "Inverse hyperbolic tangents.")
bitwise_invert = _unary("bitwise_invert", public.bitwise_not, "All bits the other way.")
ceil = _unary("ceil", public.ceil, "Rounded up.")
conj = _unary("conj", public.conj_physical, "Complex conjugates; real numbers as they are.")
cos = _unary("cos", public.cos, "Cosines.")
cosh = _unary("cosh", public.cosh, "Hyperbolic cosines.")
exp = _unary("exp", public.exp, "Powers of e.")
floor = _unary("floor", public.floor, "Rounded down.")
imag = _unary("imag", public.imag, "Imaginary parts of complex numbers.")
isfinite = _unary("isfinite", public.isfinite, "Whether elements are neither infinite nor NaN.")
isinf = _unary("isinf", public.isinf, "Whether elements are infinite.")
isnan = _unary("isnan", public.isnan, "Whether elements are NaN.")
log = _unary("log", public.log, "Natural logarithms.")
log10 = _unary("log10", public.log10, "Logarithms to base 10.")
log1p = _unary("log1p", public.log1p, "Natural logarithms of 1 + x.")
log2 = _unary("log2", public.log2, "Logarithms to base 2.")
logical_not = _unary("logical_not", public.logical_not, "Whether elements are zero.")
negative = _unary("negative", public.neg, "The numbers with the other sign.")
positive = _unary("positive", public.positive, "The numbers themselves.")
real = _unary("real", public.real, "Real parts.")
reciprocal = _unary("reciprocal", public.reciprocal, "1 / x.")
signbit = _unary("signbit", public.signbit, "Whether the sign bit is set: of negative numbers, -0 and some NaN.")
sin = _unary("sin", public.sin, "Sines.")
sinh = _unary("sinh", public.sinh, "Hyperbolic sines.")
sqrt = _unary("sqrt", public.sqrt, "Square roots.")
square = _unary("square", public.square, "Squares.")
tan = _unary("tan", public.tan, "Tangents.")
tanh = _unary("tanh", public.tanh, "Hyperbolic tangents.")
trunc = _unary("trunc", public.trunc, "Rounded towards zero.")

add = _binary("add", public.add, "Sums.")
atan2 = _binary("atan2", public.atan2, "Angles of the points (x2, x1).")
bitwise_and = _binary("bitwise_and", public.bitwise_and, "The bits that both have.")
bitwise_left_shift = _binary("bitwise_left_shift", public.bitwise_left_shift, "Bits moved up by ``x2`` places.")
bitwise_or = _binary("bitwise_or", public.bitwise_or, "The bits that one has.")
bitwise_right_shift = _binary("bitwise_right_shift", public.bitwise_right_shift, "Bits moved down by ``x2`` places.")
bitwise_xor = _binary("bitwise_xor", public.bitwise_xor, "The bits in which they differ.")
copysign = _binary("copysign", public.copysign, "The sizes of ``x1`` with the signs of ``x2``.")
divide = _binary("divide", public.div, "Quotients.")
equal = _binary("equal", public.eq, "Whether elements are equal, one by one.")
floor_divide = _binary("floor_divide", public.floor_divide, "Quotients rounded down, as Python does it.")
greater = _binary("greater", public.gt, "x1 > x2.")
greater_equal = _binary("greater_equal", public.ge, "x1 ≥ x2.")
hypot = _binary("hypot", public.hypot, "Lengths of the vectors (x1, x2).")
less = _binary("less", public.lt, "x1 < x2.")
less_equal = _binary("less_equal", public.le, "x1 ≤ x2.")
logaddexp = _binary("logaddexp", public.logaddexp, "log(exp(x1) + exp(x2)), without overflow.")
logical_and = _binary("logical_and", public.logical_and, "Whether both are true.")
logical_or = _binary("logical_or", public.logical_or, "Whether one is true.")
logical_xor = _binary("logical_xor", public.logical_xor, "Whether exactly one is true.")
maximum = _binary("maximum", public.maximum, "The larger of each two.")
minimum = _binary("minimum", public.minimum, "The smaller of each two.")
multiply = _binary("multiply", public.mul, "Products.")
nextafter = _binary("nextafter", public.nextafter, "The neighbours of ``x1`` towards ``x2``.")
not_equal = _binary("not_equal", public.ne, "Whether elements differ, one by one.")
pow = _binary("pow", public.pow, "x1 to the power of x2.")
remainder = _binary("remainder", public.remainder, "What ``floor_divide`` leaves; it has the sign of ``x2``.")
subtract = _binary("subtract", public.sub, "Differences.")


def round(x: Tensor, /) -> Tensor:
    """Rounded to the nearest integer, halves to the even one; of complex numbers both parts."""
    if not x.dtype.is_complex:
        return public.round(x)
    return public.complex(public.round(public.real(x)), public.round(public.imag(x)))


def sign(x: Tensor, /) -> Tensor:
    """-1, 0 or 1; x/|x| of complex numbers; NaN of NaN, for which PyTorch's has 0."""
    if x.dtype.is_complex:
        return public.sgn(x)
    return public.where(public.isnan(x), x, public.sign(x)) if x.dtype.is_floating_point else public.sign(x)


def expm1(x: Tensor, /) -> Tensor:
    """Powers of e, less 1."""
    if not x.dtype.is_complex:
        return public.expm1(x)
    # At zeros and where a part is infinite or NaN, the parts of exp(x) - 1 are as the standard has them.
    plain = public.logical_and(public.isfinite(x), public.ne(x, 0))
    return public.where(plain, public.expm1(x), public.exp(x) - 1)


def clip(x: Tensor, /, min: Any = None, max: Any = None) -> Tensor:
    """Elements below ``min`` become ``min``, and those above ``max`` become ``max``; the dtype is that of ``x``."""
    lowest, highest = (_bound(x, bound) for bound in (min, max))
    if lowest is None and highest is None:
        return public.clone(x)
    return public.clip(x, lowest, highest)


def _bound(x: Tensor, bound: Any) -> Tensor | None:
    return None if bound is None else converted(promoted("clip", x, bound)[1], x.dtype)


def where(condition: Tensor, x1: Any, x2: Any, /) -> Tensor:
    """Elements of ``x1`` where ``condition`` holds, and of ``x2`` where it does not."""
    if isinstance(x1, Tensor) or isinstance(x2, Tensor):
        x1, x2 = promoted("where", x1, x2)
    found: Tensor = public.where(condition, x1, x2)
    return found
