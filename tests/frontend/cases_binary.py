"""Pointwise functions of two and three tensors, operators, comparison, logic, bits, where, lerp and clamp."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from tests.oracle.cases import Case
from tests.oracle.recipes import Array, booleans, exactly, floats, integers

from .calls import call

_A, _B = floats(3, 4), floats(3, 4)
_POSITIVE = floats(3, 4, low=0.5, high=2.0)
_NUMBERS = exactly([-7.5, -3.0, -0.5, 0.5, 3.0, 7.5])
_SPARSE = exactly([0.0, 1.0, 0.0, -2.0, 0.0, 3.0])
_WHOLE = integers(6, low=-9, high=9)
_NONZERO = exactly([-4, -3, -1, 2, 3, 5], "int64")

_ARITHMETIC = [
    *(
        case
        for name in ("add", "sub", "mul", "div", "maximum", "minimum", "atan2")
        for case in [
            *call(name, _A, _B, forms="t x" if name in ("maximum", "minimum") else "t x inplace"),
            *call(name, floats(3, 1), floats(4)),
            *call(name, floats(2, 1, 3), floats(5, 1)),
            *call(name, floats(), floats(2, 2)),
            *call(name, floats(0, 3), floats(3)),
            *call(name, _A, _B, forms="t", floating="float16"),
            *call(name, _A, _B, forms="t", floating="bfloat16"),
            *call(name, integers(5, low=-5), exactly([1, -2, 3, -4, 5], "int64")),
        ]
    ),
    *(case for name in ("add", "sub", "mul", "div") for case in call(name, _A, 3, forms="t x inplace")),
    *(case for name in ("add", "sub", "mul", "div") for case in call(name, _A, 2.5, forms="t x inplace")),
    *(case for name in ("add", "sub") for case in call(name, _A, _B, alpha=2.5, forms="t x inplace")),
    *(case for name in ("add", "sub") for case in call(name, _WHOLE, _WHOLE, alpha=3)),
    *call("add", _A, 2, alpha=3),
    *call("rsub", _A, 2, forms="t"),
    *(case for name in ("subtract", "multiply", "divide", "true_divide") for case in call(name, _A, _POSITIVE)),
]

_DIVISION = [
    case
    for mode in (None, "floor", "trunc")
    for case in [
        *call("div", _NUMBERS, exactly([2.0, -2.0, 0.3, -0.3, 1.5, -4.0]), rounding_mode=mode, forms="t x inplace"),
        *call("div", _NUMBERS, 2, rounding_mode=mode),
        *call("div", _WHOLE, _NONZERO, rounding_mode=mode),
        *call("div", integers(4, dtype="uint8"), exactly([1, 2, 3, 4], "uint8"), rounding_mode=mode),
        *call("div", _WHOLE, 2.5, rounding_mode=mode),
    ]
]

_REMAINDERS = [
    case
    for name, smooth in (("floor_divide", False), ("remainder", True), ("fmod", True))  # torch cannot derive // at all
    for case in [
        *call(name, _NUMBERS, exactly([2.0, -2.0, 0.3, -0.3, 1.6, -4.0]), forms="t x inplace", gradient=smooth),
        *call(name, _NUMBERS, 2, gradient=smooth),
        *call(name, _NUMBERS, -1.3, gradient=smooth),
        *call(name, _WHOLE, _NONZERO),
        *call(name, _WHOLE, -3, forms="t x inplace"),
        *call(name, integers(5, dtype="uint8"), 3),
        *call(name, exactly([1.0, -1.0, 0.0]), exactly([0.0, 0.0, 0.0], requires_grad=False), gradient=False),
    ]
]

_POWERS = [
    *(
        case
        for exponent in (0, 1, 2, 3, -1, -2, 0.5, -0.5, 2.5, 0.0, 2.0)
        for case in call("pow", _POSITIVE, exponent, forms="t x inplace")
    ),
    *call("pow", exactly([-2.0, -1.0, 0.0, 1.0]), 3),
    *call("pow", exactly([-2.0, 0.0, 1.0]), 2.0),
    *call("pow", _POSITIVE, _B),
    *call("pow", floats(3, 1, low=0.5), floats(4)),
    *call("pow", 2.0, _B, forms="t"),
    *call("pow", 3, exactly([0, 1, 2, 5], "int64"), forms="t"),
    *call("pow", exactly([-2, 0, 3, 7], "int64"), 3),
    *call("pow", exactly([-2, 0, 3, 7], "int64"), exactly([0, 0, 2, 5], "int64")),
    *call("pow", exactly([2, 3], "int64"), 0.5),
    *call("pow", exactly([2, 3], "int32"), exactly([0.5, -1.0])),
    *call("pow", exactly([0.0, 0.0, 2.0]), exactly([0.0, 2.0, 3.0])),
    *call("float_power", exactly([2, 3], "int64"), 2),
]

_COMPARISONS = [
    case
    for name in ("eq", "ne", "lt", "le", "gt", "ge")
    for case in [
        *call(name, integers(3, 4, high=3), integers(3, 4, high=3)),
        *call(name, exactly([1.0, 2.0, float("nan")]), exactly([1.0, 3.0, float("nan")])),
        *call(name, _A, 0.25),
        *call(name, _WHOLE, 1),
        *call(name, _WHOLE, 0.5),
        *call(name, floats(3, 1), floats(2)),
        *call(name, booleans(4), booleans(4)),
    ]
]

_LOGIC = [
    *(
        case
        for name in ("logical_and", "logical_or", "logical_xor")
        for case in [
            *call(name, booleans(8), booleans(8), forms="t x inplace"),
            *call(name, integers(6, high=2), _SPARSE),
        ]
    ),
    *(
        case
        for name in ("bitwise_and", "bitwise_or", "bitwise_xor")
        for case in [
            *call(name, _WHOLE, _NONZERO, forms="t x inplace"),
            *call(name, booleans(8), booleans(8)),
            *call(name, _WHOLE, 5),
        ]
    ),
    *(
        case
        for name in ("bitwise_left_shift", "bitwise_right_shift")
        for case in call(name, exactly([1, 5, -8], "int64"), exactly([0, 2, 1], "int64"))
    ),
]

_WHERE = [
    *call("where", booleans(3, 4), _A, _B, forms="t"),
    *call("where", booleans(3, 1), floats(4), floats(2, 1, 1), forms="t"),
    *call("where", booleans(3, 4), _A, 0.0, forms="t"),
    *call("where", booleans(3, 4), 1, _B, forms="t"),
    *call("where", booleans(5), 1.5, 2, forms="t"),
    *call("where", booleans(5), 1, 2, forms="t"),
    *call("where", booleans(3, 4), forms="t"),
    *call("where", exactly([True, False], "bool"), exactly([1.0, 2.0]), exactly([float("nan"), 3.0]), forms="t"),
    Case("x.where", lambda t, x, y: x.where(x > 0, y), (_A, _B)),
    Case("x.where scalar", lambda t, x: x.where(x > 0, 0.5), (_A,)),
]

_INTERPOLATION = [
    *call("lerp", _A, _B, 0.3, forms="t x inplace"),
    *call("lerp", _A, _B, floats(3, 4), forms="t x inplace"),
    *call("lerp", _A, floats(4), floats(3, 1)),
    *call("addcmul", _A, _B, floats(3, 4), forms="t x inplace"),
    *call("addcmul", _A, floats(4), floats(3, 1), value=0.5),
    *call("addcdiv", _A, _B, _POSITIVE, forms="t x inplace"),
    *call("addcdiv", _A, floats(4), floats(3, 1, low=0.5), value=-0.5),
]

_CLAMP = [
    *call("clamp", _A, -0.5, 0.5, forms="t x inplace"),
    *call("clamp", _A, min=0, forms="t x inplace"),
    *call("clamp", _A, max=0.1),
    *call("clamp", _A, None, 0.3),
    *call("clamp", _A, min=1.0, max=-1.0),
    *call("clamp", exactly([-1.0, 0.0, 1.0, float("nan")]), -1.0, 1.0),
    *call("clamp", _A, floats(3, 4), floats(3, 4)),
    *call("clamp", _A, min=floats(4)),
    *call("clamp", _A, max=floats(3, 1)),
    *call("clamp", _WHOLE, -2, 3, forms="t x inplace"),
    *call("clamp", _WHOLE, min=0.5),
    *call("clamp", _WHOLE, _NONZERO),
    *call("clip", _A, -0.5, 0.5),
    *call("clamp_min", _A, 0.2, forms="t x inplace"),
    *call("clamp_max", _A, 0.2, forms="t x inplace"),
]

_EQUALITY = [
    *call("allclose", exactly([1.0, 2.0]), exactly([1.0, 2.0 + 1e-7])),
    *call("allclose", exactly([1.0, 2.0]), exactly([1.0, 2.1]), rtol=0.1),
    *call("allclose", exactly([float("nan")]), exactly([float("nan")]), equal_nan=True),
    *call("isclose", exactly([1.0, 2.0, float("inf")]), exactly([1.0, 2.1, float("inf")])),
    *call("equal", _WHOLE, _WHOLE),
    *call("equal", exactly([1, 2], "int64"), exactly([1, 2], "int64")),
    *call("equal", exactly([1, 2], "int64"), exactly([1, 2, 3], "int64")),
]

_TWO_TENSOR_OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "//": operator.floordiv,
    "%": operator.mod,
    "**": operator.pow,
    "<": operator.lt,
    "<=": operator.le,
    "==": operator.eq,
    "!=": operator.ne,
    ">": operator.gt,
    ">=": operator.ge,
}

_BIT_OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
    "<<": operator.lshift,
    ">>": operator.rshift,
}


def _operator_case(symbol: str, apply: Callable[[Any, Any], Any], inputs: tuple[Array, Array], scalar: float) -> Case:
    def function(_t: Any, x: Any, y: Any) -> list[Any]:
        return [apply(x, y), apply(x, scalar), apply(scalar, x)]

    gradient = symbol not in ("//", "%")  # torch derives neither for a scalar on the left
    return Case(f"operator {symbol} {inputs[0].label} {scalar}", function, inputs, gradient)


_OPERATORS = [
    *(
        _operator_case(symbol, apply, inputs, scalar)
        for symbol, apply in _TWO_TENSOR_OPERATORS.items()
        for inputs, scalar in (
            ((_POSITIVE, floats(4, low=0.5)), 2),
            ((_POSITIVE, floats(4, low=0.5)), 1.5),
            ((exactly([1, 2, 3], "int64"), exactly([3, 2, 1], "int64")), 2),
            ((exactly([1, 2, 3], "int32"), exactly([3, 2, 1], "int32")), 1.5),
        )
    ),
    *(
        _operator_case(symbol, apply, (exactly([1, 2, 7], "int64"), exactly([3, 2, 1], "int64")), 2)
        for symbol, apply in _BIT_OPERATORS.items()
    ),
    Case("unary operators", lambda t, x: [-x, +x, abs(x), x.neg()], (_A,)),
    Case("unary operators bool", lambda t, x: [~x, ~x & x, x | True, x ^ True], (booleans(4),)),
    Case("~ of integers", lambda t, x: ~x, (_WHOLE,)),
]

CASES = [
    *_ARITHMETIC,
    *_DIVISION,
    *_REMAINDERS,
    *_POWERS,
    *_COMPARISONS,
    *_LOGIC,
    *_WHERE,
    *_INTERPOLATION,
    *_CLAMP,
    *_EQUALITY,
    *_OPERATORS,
]
