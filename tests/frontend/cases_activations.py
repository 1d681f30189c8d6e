"""Activation functions of nn.functional, softmax and log_softmax."""

from __future__ import annotations

from typing import Any

from tests.oracle.cases import Case
from tests.oracle.recipes import exactly, floats

from .calls import call

_POINTS = floats(3, 5, low=-5.0, high=5.0)

_NAMES = (
    "relu",
    "gelu",
    "silu",
    "elu",
    "leaky_relu",
    "softplus",
    "hardtanh",
    "hardswish",
    "mish",
    "relu6",
    "logsigmoid",
    "selu",
    "celu",
    "softsign",
    "tanhshrink",
    "hardsigmoid",
    "hardshrink",
    "softshrink",
    "tanh",
    "sigmoid",
)

_IN_PLACE = ("relu", "silu", "elu", "leaky_relu", "hardtanh", "hardswish", "mish", "relu6", "hardsigmoid")

# torch rounds the derivative of hardsigmoid, 1/6, to float32 even in float64.
_SINGLE = 1e3

_PLAIN = [
    case
    for name in _NAMES
    for case in [
        *call(name, _POINTS, forms="F"),
        *call(name, _POINTS, forms="F", floating="float64", slack=_SINGLE if name == "hardsigmoid" else 1.0),
        *call(name, _POINTS, forms="F", floating="bfloat16", slack=2.0),
    ]
]

_WITH_OPTIONS = [
    *call("gelu", _POINTS, approximate="tanh", forms="F"),
    *call("gelu", _POINTS, approximate="tanh", forms="F", floating="float64"),
    *call("elu", _POINTS, alpha=0.5, forms="F"),
    *call("elu", _POINTS, 1.5, forms="F"),
    *call("celu", _POINTS, alpha=0.7, forms="F"),
    *call("leaky_relu", _POINTS, 0.2, forms="F"),
    *call("leaky_relu", _POINTS, negative_slope=0.3, forms="F"),
    *call("softplus", _POINTS, beta=2, threshold=4, forms="F"),
    *call("softplus", floats(6, low=15.0, high=25.0), forms="F"),
    *call("hardtanh", _POINTS, min_val=-2.0, max_val=0.5, forms="F"),
    *call("hardshrink", _POINTS, lambd=1.0, forms="F"),
    *call("softshrink", _POINTS, lambd=1.0, forms="F"),
    *call("threshold", _POINTS, 0.1, 20.0, forms="F"),
    *call("prelu", _POINTS, floats(1), forms="F"),
    *call("prelu", _POINTS, floats(5), forms="F"),
    *call("glu", floats(3, 4), forms="F"),
    *call("glu", floats(4, 3), dim=0, forms="F"),
    *call("logsigmoid", exactly([-100.0, 0.0, 100.0]), forms="F"),
    *call("mish", exactly([-100.0, 0.0, 100.0]), forms="F"),
    *call("gelu", exactly([-20.0, 0.0, 20.0]), forms="F"),
]

# The borders at which a derivative jumps.
_KINKS = [
    *(
        case
        for name in ("relu6", "hardtanh", "hardswish")
        for case in call(name, exactly([-3.0, 0.0, 3.0, 6.0]), forms="F")
    ),
    *call("hardtanh", exactly([-1.0, 1.0]), forms="F"),
    *call("leaky_relu", exactly([0.0]), forms="F"),
    *call("elu", exactly([0.0]), forms="F"),
    *call("softsign", exactly([0.0]), forms="F"),
]


def _in_place(name: str) -> Case:
    def function(t: Any, x: Any) -> tuple[Any, bool]:
        target = x.clone()
        result = getattr(t.nn.functional, name)(target, inplace=True)
        return result, result is target

    return Case(f"F.{name}(inplace=True)", function, (_POINTS,))


_SOFTMAX = [
    case
    for name in ("softmax", "log_softmax")
    for case in [
        *call(name, floats(3, 5), dim=-1, forms="t x F"),
        *call(name, floats(3, 5), 0, forms="t x F"),
        *call(name, floats(2, 3, 4), dim=1, forms="t x F"),
        *call(name, floats(5), dim=0),
        *call(name, floats(), dim=0),
        *call(name, floats(2, 0), dim=1),
        *call(name, floats(3, 1), dim=1),
        *call(name, floats(3, 4), dim=1, dtype="float64", forms="t x F"),
        *call(name, exactly([1000.0, 1001.0, -1000.0]), dim=0),
        *call(name, exactly([[1.0, -float("inf")], [0.0, 0.0]]), dim=1),
        *call(name, exactly([[-float("inf"), -float("inf")]]), dim=1, gradient=False),
        *call(name, floats(4, 6), dim=-1, floating="float16", forms="t"),
        *call(name, floats(4, 6), dim=-1, floating="bfloat16", forms="t", slack=2.0),
    ]
]

CASES = [
    *_PLAIN,
    *_WITH_OPTIONS,
    *_KINKS,
    *(_in_place(name) for name in _IN_PLACE),
    *_SOFTMAX,
    *call("softmin", floats(3, 4), dim=1, forms="F"),
]
