"""Pointwise functions of one tensor: as function, method and in-place method, in floating, integer and bool dtypes."""

from __future__ import annotations

from tests.oracle.recipes import booleans, exactly, floats, integers

from .calls import call, in_every_dtype

# Name of a smooth function and the interval on which it is tested.
_DOMAINS = {
    "exp": (-2.0, 2.0),
    "exp2": (-2.0, 2.0),
    "expm1": (-2.0, 2.0),
    "log": (0.1, 4.0),
    "log2": (0.1, 4.0),
    "log10": (0.1, 4.0),
    "log1p": (-0.9, 4.0),
    "sqrt": (0.1, 4.0),
    "rsqrt": (0.1, 4.0),
    "square": (-2.0, 2.0),
    "reciprocal": (0.5, 2.0),
    "sin": (-4.0, 4.0),
    "cos": (-4.0, 4.0),
    "tan": (-1.4, 1.4),
    "asin": (-0.9, 0.9),
    "acos": (-0.9, 0.9),
    "atan": (-3.0, 3.0),
    "sinh": (-2.0, 2.0),
    "cosh": (-2.0, 2.0),
    "tanh": (-2.0, 2.0),
    "asinh": (-3.0, 3.0),
    "acosh": (1.1, 4.0),
    "atanh": (-0.9, 0.9),
    "sigmoid": (-4.0, 4.0),
    "erf": (-2.0, 2.0),
    "erfc": (-2.0, 2.0),
}

# torch has no derivative for the in-place versions of these.
_NO_IN_PLACE_GRADIENT = ("asinh", "acosh", "atanh")

_ALIASES = {
    "arcsin": (-0.9, 0.9),
    "arccos": (-0.9, 0.9),
    "arctan": (-3.0, 3.0),
    "arcsinh": (-3.0, 3.0),
    "arccosh": (1.1, 4.0),
    "arctanh": (-0.9, 0.9),
}

_PIECEWISE = ("abs", "neg", "floor", "ceil", "round", "trunc", "frac", "sign", "relu")

_SMOOTH_CASES = [
    case
    for name, (low, high) in _DOMAINS.items()
    for case in [
        *call(name, floats(3, 4, low=low, high=high)),
        *call(name, floats(3, 4, low=low, high=high), forms="inplace", gradient=name not in _NO_IN_PLACE_GRADIENT),
        *in_every_dtype(name, floats(7, low=low, high=high), ("float16", "bfloat16")),
    ]
]

_PROMOTED = [
    case
    for name in _DOMAINS
    if name not in ("square", "acosh", "atanh", "asin", "acos")
    for case in [*call(name, integers(5, low=1, high=4)), *call(name, integers(5, low=1, high=4, dtype="uint8"))]
]

_DOMAIN_ENDS = [
    case
    for name in ("asin", "acos", "atanh", "sqrt", "log", "reciprocal", "exp", "sigmoid")
    for case in [*call(name, booleans(4), forms="t"), *call(name, integers(4, high=2), forms="t")]
]

_PIECEWISE_CASES = [
    case
    for name in _PIECEWISE
    for case in [
        *call(name, floats(3, 4, low=-3.0, high=3.0), forms="t x inplace"),
        *in_every_dtype(name, floats(7, low=-3.0, high=3.0), ("float16", "bfloat16")),
        *(call(name, integers(6, low=-4, high=4, dtype="int32")) if name != "frac" else []),
    ]
]

_ROUNDING = [
    *call("round", exactly([0.5, 1.5, 2.5, -0.5, -1.5, 2.4999])),
    *call("round", floats(5, low=-9.0, high=9.0), decimals=2),
    *call("trunc", exactly([-0.9, 0.9, -1.1, 2.0])),
    *call("sign", exactly([-2.0, 0.0, 3.0])),
    *call("abs", exactly([-2.0, 0.0, 3.0])),
    *call("relu", exactly([-2.0, 0.0, 3.0])),
]

_TESTS = [
    case
    for name in ("isnan", "isinf", "isfinite")
    for case in [
        *call(name, exactly([1.0, float("nan"), float("inf"), -float("inf"), 0.0])),
        *call(name, integers(3)),
    ]
]

_LOGICAL = [
    *call("logical_not", booleans(4), forms="t x inplace"),
    *call("logical_not", exactly([0.0, 1.0, -2.0]), forms="t x"),
    *call("logical_not", integers(5, high=2)),
    *call("bitwise_not", booleans(4), forms="t x inplace"),
    *call("bitwise_not", integers(5, low=-5, high=5), forms="t x inplace"),
    *call("bitwise_not", integers(5, dtype="uint8")),
]

_SPELLINGS = [
    *(case for name, (low, high) in _ALIASES.items() for case in call(name, floats(4, low=low, high=high))),
    *(case for name in ("absolute", "negative", "positive", "fix") for case in call(name, floats(4))),
    *call("nan_to_num", exactly([1.0, float("nan"), float("inf"), -float("inf")])),
    *call("nan_to_num", exactly([1.0, float("nan"), float("inf")]), nan=2.0, posinf=3.0),
]

CASES = [*_SMOOTH_CASES, *_PROMOTED, *_DOMAIN_ENDS, *_PIECEWISE_CASES, *_ROUNDING, *_TESTS, *_LOGICAL, *_SPELLINGS]
