"""Elementwise functions of one tensor, and arithmetic, comparison and selection of several."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lazygrad.ir.composites import activation
from lazygrad.ir.dtype import Category, Scalar, bool_
from lazygrad.ir.node import Op
from lazygrad.ir.primitives import elementwise as ew
from lazygrad.ops.operands import as_scalar, cast_node, common_dtype, float_node, is_scalar, promoted, scalar_node
from lazygrad.ops.operands import tensor_argument
from lazygrad.ops.registering import method
from lazygrad.tensor import Tensor, record, record_node

TensorFunction = Callable[..., Tensor]


def _float_unary(name: str, op: Op, formula: str) -> TensorFunction:
    """A function of floats; integers are converted to the default float dtype first."""

    def function(input: Tensor) -> Tensor:
        return record(op, (float_node(tensor_argument(input, name)),))

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"{formula}, elementwise. Integer and bool tensors are converted to the default float dtype."
    return method(inplace=True)(function)


exp = _float_unary("exp", ew.exp, "eˣ")
exp2 = _float_unary("exp2", ew.exp2, "2ˣ")
expm1 = _float_unary("expm1", ew.expm1, "eˣ − 1")
log = _float_unary("log", ew.log, "ln x")
log2 = _float_unary("log2", ew.log2, "log₂ x")
log10 = _float_unary("log10", ew.log10, "log₁₀ x")
log1p = _float_unary("log1p", ew.log1p, "ln(1 + x)")
sqrt = _float_unary("sqrt", ew.sqrt, "√x")
rsqrt = _float_unary("rsqrt", activation.rsqrt, "1/√x")
sin = _float_unary("sin", ew.sin, "sin x")
cos = _float_unary("cos", ew.cos, "cos x")
tan = _float_unary("tan", ew.tan, "tan x")
asin = _float_unary("asin", ew.asin, "arcsin x")
acos = _float_unary("acos", ew.acos, "arccos x")
atan = _float_unary("atan", ew.atan, "arctan x")
sinh = _float_unary("sinh", ew.sinh, "sinh x")
cosh = _float_unary("cosh", ew.cosh, "cosh x")
tanh = _float_unary("tanh", ew.tanh, "tanh x")
asinh = _float_unary("asinh", ew.asinh, "arsinh x")
acosh = _float_unary("acosh", ew.acosh, "arcosh x")
atanh = _float_unary("atanh", ew.atanh, "artanh x")
erf = _float_unary("erf", ew.erf, "the error function of x")
erfc = _float_unary("erfc", ew.erfc, "1 − erf x")
erfinv = _float_unary("erfinv", ew.erfinv, "the inverse of erf")
lgamma = _float_unary("lgamma", ew.lgamma, "ln |Γ(x)|")
digamma = _float_unary("digamma", ew.digamma, "Γ′(x)/Γ(x)")
sigmoid = _float_unary("sigmoid", activation.sigmoid, "1/(1 + e⁻ˣ)")


@method(inplace=True)
def reciprocal(input: Tensor) -> Tensor:
    """1/x, elementwise."""
    return record(ew.div, promoted("reciprocal", 1.0, input, to_float=True))


@method("absolute", "__abs__", inplace=True)
def abs(input: Tensor) -> Tensor:
    """|x|, elementwise; the dtype stays."""
    node = tensor_argument(input, "abs").node()
    return input if node.dtype is bool_ else record(ew.abs_, (node,))


@method("negative", "__neg__", inplace=True)
def neg(input: Tensor) -> Tensor:
    """−x, elementwise.

    Raises:
        RuntimeError: a bool tensor.
    """
    if tensor_argument(input, "neg").dtype is bool_:
        raise RuntimeError("Negation, the `-` operator, on a bool tensor is not supported. If you are trying to invert a "
                           "mask, use the `~` or `logical_not()` operator instead.")  # fmt: skip
    return record(ew.neg, (input.node(),))


@method(inplace=True)
def square(input: Tensor) -> Tensor:
    """x², elementwise; bool becomes int64."""
    return pow(input, 2)


@method(inplace=True)
def sign(input: Tensor) -> Tensor:
    """−1, 0 or 1, elementwise."""
    node = tensor_argument(input, "sign").node()
    if node.dtype.category is not Category.FLOAT:
        return input if node.dtype is bool_ else record(ew.sign, (node,))
    return where(isnan(input), 0.0, record(ew.sign, (node,)))


def _rounding(name: str, op: Op, formula: str) -> TensorFunction:
    def function(input: Tensor) -> Tensor:
        node = tensor_argument(input, name).node()
        if node.dtype is bool_:
            raise RuntimeError(f"{name} is not implemented for bool; cast with .float() or .int()")
        return record(op, (node,)) if node.dtype.category is Category.FLOAT else input.clone()

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"{formula}, elementwise; integers stay as they are."
    return method(inplace=True)(function)


floor = _rounding("floor", ew.floor, "The largest integer not above x")
ceil = _rounding("ceil", ew.ceil, "The smallest integer not below x")
trunc = _rounding("trunc", ew.trunc, "x rounded towards zero")
_round_to_integer = _rounding("round", ew.round_, "The nearest integer, ties to even")


@method(inplace=True)
def round(input: Tensor, *, decimals: int = 0) -> Tensor:
    """The nearest multiple of 10^−decimals, ties to even; integers stay as they are."""
    if decimals == 0:
        return _round_to_integer(input)
    factor = 10.0 ** builtin_abs(decimals)
    if decimals > 0:
        return div(_round_to_integer(mul(input, factor)), factor)
    return mul(_round_to_integer(div(input, factor)), factor)


def builtin_abs(value: int) -> int:
    return value if value >= 0 else -value


@method(inplace=True)
def frac(input: Tensor) -> Tensor:
    """x − trunc(x), elementwise."""
    return sub(input, trunc(input))


@method()
def isnan(input: Tensor) -> Tensor:
    """Where elements are NaN, as bool."""
    node = tensor_argument(input, "isnan").node()
    return record(ew.isnan, (node,)) if node.dtype.category >= Category.FLOAT else ne(input, input)


@method()
def isinf(input: Tensor) -> Tensor:
    """Where elements are +∞ or −∞, as bool."""
    if tensor_argument(input, "isinf").dtype.category < Category.FLOAT:
        return ne(input, input)
    return eq(abs(input), float("inf"))


@method()
def isfinite(input: Tensor) -> Tensor:
    """Where elements are neither infinite nor NaN, as bool."""
    if tensor_argument(input, "isfinite").dtype.category < Category.FLOAT:
        return eq(input, input)
    return lt(abs(input), float("inf"))


# Arithmetic.


def _arithmetic(op: Op, name: str, input: Any, other: Any) -> Tensor:
    """Two operands promoted to a common dtype. The common case, a tensor with a number, takes the short way."""
    if type(other) is float or type(other) is int:
        node = input.node() if isinstance(input, Tensor) else None
        if node is not None and (
            node.type.dtype.category is Category.FLOAT
            or (type(other) is int and node.type.dtype.category is Category.INTEGER)
        ):
            return record(op, (node, scalar_node(other, node.type.dtype, node.type.device)))
    elif isinstance(other, Tensor) and isinstance(input, Tensor):
        x, y = input.node(), other.node()
        if x.type.dtype is y.type.dtype:
            return record(op, (x, y))
    return record(op, promoted(name, input, other))


def _scaled(other: Any, alpha: Scalar) -> Any:
    return other if alpha == 1 else mul(other, alpha) if isinstance(other, Tensor) else other * alpha


@method("__add__", inplace=True)
def add(input: Any, other: Any, *, alpha: Scalar = 1) -> Tensor:
    """input + alpha·other, broadcast, in the promoted dtype."""
    return _arithmetic(ew.add, "add", input, _scaled(other, alpha))


@method("subtract", "__sub__", inplace=True)
def sub(input: Any, other: Any, *, alpha: Scalar = 1) -> Tensor:
    """input − alpha·other, broadcast, in the promoted dtype.

    Raises:
        RuntimeError: two bool operands.
    """
    if isinstance(input, Tensor) and input.dtype is bool_ and (isinstance(other, bool) or (
            isinstance(other, Tensor) and other.dtype is bool_)):  # fmt: skip
        raise RuntimeError("Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or "
                           "`logical_xor()` operator instead.")  # fmt: skip
    return _arithmetic(ew.sub, "sub", input, _scaled(other, alpha))


@method("multiply", "__mul__", inplace=True)
def mul(input: Any, other: Any) -> Tensor:
    """input · other, broadcast, in the promoted dtype."""
    return _arithmetic(ew.mul, "mul", input, other)


@method("divide", "true_divide", "__truediv__", inplace=True)
def div(input: Any, other: Any, *, rounding_mode: str | None = None) -> Tensor:
    """input / other, broadcast.

    Args:
        rounding_mode: None for true division (integers give floats), ``"trunc"`` or ``"floor"``.

    Raises:
        RuntimeError: another rounding mode.
    """
    if rounding_mode is None:
        return record(ew.div, promoted("div", input, other, to_float=True))
    if rounding_mode == "floor":
        return floor_divide(input, other)
    if rounding_mode != "trunc":
        raise RuntimeError(f"div expected rounding_mode to be one of None, 'trunc', or 'floor' but found {rounding_mode!r}")
    x, y = promoted("div", input, other)
    if x.dtype.category is Category.FLOAT:
        return trunc(div(input, other))
    exact = record(ew.sub, (x, record(ew.fmod, (x, y)).node()))
    return record(ew.floor_div, (exact.node(), y))


@method("__floordiv__", inplace=True)
def floor_divide(input: Any, other: Any) -> Tensor:
    """⌊input / other⌋, broadcast, in the promoted dtype."""
    return record(ew.floor_div, promoted("floor_divide", input, other))


@method("__mod__", inplace=True)
def remainder(input: Any, other: Any) -> Tensor:
    """input − other·⌊input / other⌋: the sign of the divisor."""
    return record(ew.remainder, promoted("remainder", input, other))


@method(inplace=True)
def fmod(input: Any, other: Any) -> Tensor:
    """input − other·trunc(input / other): the sign of the dividend."""
    return record(ew.fmod, promoted("fmod", input, other))


@method("__pow__", inplace=True)
def pow(input: Any, exponent: Any) -> Tensor:
    """input^exponent, broadcast, in the promoted dtype.

    Raises:
        RuntimeError: integers to a negative integer power.
    """
    x, y = promoted("pow", input, exponent)
    if x.dtype.category <= Category.INTEGER and is_scalar(exponent) and exponent < 0:
        raise RuntimeError("Integers to negative integer powers are not allowed.")
    return record(ew.pow_, (x, y))


@method("__pos__")
def positive(input: Tensor) -> Tensor:
    """``input`` itself.

    Raises:
        RuntimeError: a bool tensor.
    """
    if tensor_argument(input, "positive").dtype is bool_:
        raise RuntimeError("The `+` operator, on a bool tensor is not supported.")
    return input


@method("__radd__")
def _reverse_add(input: Tensor, other: Any) -> Tensor:
    return add(input, other)


@method("__rsub__")
def _reverse_sub(input: Tensor, other: Any) -> Tensor:
    return record(ew.sub, promoted("rsub", other, input))


@method("__rmul__")
def _reverse_mul(input: Tensor, other: Any) -> Tensor:
    return mul(input, other)


@method("__rtruediv__")
def _reverse_div(input: Tensor, other: Any) -> Tensor:
    return record(ew.div, promoted("div", other, input, to_float=True))


@method("__rfloordiv__")
def _reverse_floor_divide(input: Tensor, other: Any) -> Tensor:
    return record(ew.floor_div, promoted("floor_divide", other, input))


@method("__rmod__")
def _reverse_remainder(input: Tensor, other: Any) -> Tensor:
    return record(ew.remainder, promoted("remainder", other, input))


@method("__rpow__")
def _reverse_pow(input: Tensor, other: Any) -> Tensor:
    return record(ew.pow_, promoted("pow", other, input))


def _binary(name: str, op: Op, doc: str, *names: str, to_float: bool = False, inplace: bool = True) -> TensorFunction:
    def function(input: Any, other: Any) -> Tensor:
        return record(op, promoted(name, input, other, to_float=to_float))

    function.__name__ = function.__qualname__ = name
    function.__doc__ = doc
    return method(*names, inplace=inplace)(function)


maximum = _binary("maximum", ew.maximum, "The larger of two values, elementwise; NaN wins.", inplace=False)
minimum = _binary("minimum", ew.minimum, "The smaller of two values, elementwise; NaN wins.", inplace=False)
atan2 = _binary("atan2", ew.atan2, "The angle of the point (other, input).", "arctan2", to_float=True)
eq = _binary("eq", ew.eq, "input == other, as bool.", "__eq__")
ne = _binary("ne", ew.ne, "input != other, as bool.", "not_equal", "__ne__")
lt = _binary("lt", ew.lt, "input < other, as bool.", "less", "__lt__")
le = _binary("le", ew.le, "input <= other, as bool.", "less_equal", "__le__")
gt = _binary("gt", ew.gt, "input > other, as bool.", "greater", "__gt__")
ge = _binary("ge", ew.ge, "input >= other, as bool.", "greater_equal", "__ge__")
bitwise_and = _binary("bitwise_and", ew.bitwise_and, "input & other.", "__and__", "__rand__")
bitwise_or = _binary("bitwise_or", ew.bitwise_or, "input | other.", "__or__", "__ror__")
bitwise_xor = _binary("bitwise_xor", ew.bitwise_xor, "input ^ other.", "__xor__", "__rxor__")
bitwise_left_shift = _binary("bitwise_left_shift", ew.shift_left, "input << other.", "__lshift__")
bitwise_right_shift = _binary("bitwise_right_shift", ew.shift_right, "input >> other.", "__rshift__")


@method("__invert__", inplace=True)
def bitwise_not(input: Tensor) -> Tensor:
    """~x; logical not for bool tensors."""
    return record(ew.invert, (tensor_argument(input, "bitwise_not").node(),))


def _truth(input: Any) -> Tensor:
    return input if input.dtype is bool_ else ne(input, 0)


@method(inplace=True)
def logical_not(input: Tensor) -> Tensor:
    """True where an element is zero."""
    return record(ew.invert, (_truth(input).node(),))


def _logical(name: str, op: Op, doc: str) -> TensorFunction:
    def function(input: Tensor, other: Tensor) -> Tensor:
        return record(op, (_truth(input).node(), _truth(other).node()))

    function.__name__ = function.__qualname__ = name
    function.__doc__ = doc
    return method(inplace=True)(function)


logical_and = _logical("logical_and", ew.bitwise_and, "True where both are nonzero.")
logical_or = _logical("logical_or", ew.bitwise_or, "True where either is nonzero.")
logical_xor = _logical("logical_xor", ew.bitwise_xor, "True where exactly one is nonzero.")


# Selection and interpolation.


def where(condition: Tensor, input: Any, other: Any) -> Tensor:
    """``input`` where the condition holds, ``other`` elsewhere; all three broadcast.

    Raises:
        RuntimeError: the condition is not bool.
    """
    if tensor_argument(condition, "where", "condition").dtype is not bool_:
        raise RuntimeError(f"where expected condition to be a boolean tensor, but got a tensor with dtype "
                           f"{condition.dtype.name}")  # fmt: skip
    if is_scalar(input) and is_scalar(other):
        dtype = common_dtype(input, other)
        pair = (scalar_node(input, dtype, condition.device), scalar_node(other, dtype, condition.device))
    else:
        pair = promoted("where", input, other)  # type: ignore[assignment]
    return record(ew.where, (condition.node(), *pair))


def _where_method(self: Tensor, condition: Tensor, other: Any) -> Tensor:
    """``self`` where the condition holds, ``other`` elsewhere."""
    return where(condition, self, other)


Tensor.where = _where_method  # type: ignore[attr-defined]


@method("clip", inplace=True)
def clamp(input: Tensor, min: Any = None, max: Any = None) -> Tensor:
    """``input`` limited to [min, max]; each bound a number, a tensor or None.

    Raises:
        RuntimeError: both bounds are None.
    """
    if min is None and max is None:
        raise RuntimeError("clamp: At least one of 'min' or 'max' must not be None")
    bounds = [bound for bound in (min, max) if bound is not None]
    nodes = promoted("clamp", input, *bounds)
    result = nodes[0]
    if min is not None:
        result = record_node(activation.clamp_min, (result, nodes[1]))
    if max is not None:
        result = record_node(activation.clamp_max, (result, nodes[-1]))
    return Tensor.from_node(result)


@method(inplace=True)
def clamp_min(input: Tensor, min: Any) -> Tensor:
    """max(input, min), elementwise."""
    return clamp(input, min=min)


@method(inplace=True)
def clamp_max(input: Tensor, max: Any) -> Tensor:
    """min(input, max), elementwise."""
    return clamp(input, max=max)


@method(inplace=True)
def lerp(input: Tensor, end: Tensor, weight: Any) -> Tensor:
    """input + weight·(end − input), evaluated from the nearer end for accuracy (as PyTorch does)."""
    difference = sub(end, input)
    if is_scalar(weight):
        near_start = builtin_abs_float(weight) < 0.5
        return add(input, mul(difference, weight)) if near_start else sub(end, mul(difference, 1 - weight))
    from_start, from_end = add(input, mul(difference, weight)), sub(end, mul(difference, sub(1.0, weight)))
    return where(lt(abs(weight), 0.5), from_start, from_end)


def builtin_abs_float(value: Scalar) -> Scalar:
    return value if value >= 0 else -value


@method(inplace=True)
def addcmul(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: Scalar = 1) -> Tensor:
    """input + value·tensor1·tensor2."""
    return add(input, mul(mul(tensor1, value) if value != 1 else tensor1, tensor2))


@method(inplace=True)
def addcdiv(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: Scalar = 1) -> Tensor:
    """input + value·tensor1/tensor2."""
    return add(input, div(mul(tensor1, value) if value != 1 else tensor1, tensor2))


@method(inplace=True)
def masked_fill(input: Tensor, mask: Tensor, value: Any) -> Tensor:
    """``input`` with ``value`` (a number or 0-dim tensor) where the mask holds; the dtype stays.

    Raises:
        RuntimeError: the mask is not bool; ``value`` has dimensions.
    """
    if mask.dtype is not bool_:
        raise RuntimeError(f"masked_fill_ only supports boolean masks, but got mask with dtype {mask.dtype.name}")
    if isinstance(value, Tensor):
        if value.ndim:
            raise RuntimeError(f"masked_fill_ only supports a 0-dimensional value tensor, but got tensor with "
                               f"{value.ndim} dimension(s).")  # fmt: skip
        filler = cast_node(value.node(), input.dtype)
    else:
        filler = scalar_node(as_scalar(value, "masked_fill"), input.dtype, input.device)
    return record(ew.where, (mask.node(), filler, input.node()))
