"""Reductions and scans: all elements, one dim, several dims, keepdim and dtype."""

from __future__ import annotations

from typing import Any

from tests.oracle.cases import Case
from tests.oracle.recipes import booleans, distinct, exactly, floats, integers

from .calls import call

_CUBE = floats(2, 3, 4)
_POSITIVE = floats(2, 3, 4, low=0.5, high=2.0)

_TUPLE_DIMS: tuple[dict[str, Any], ...] = (
    {"dim": 0},
    {"dim": -1},
    {"dim": 1, "keepdim": True},
    {"dim": (0, 2)},
    {"dim": (-1, 0), "keepdim": True},
    {"dim": (0, 1, 2)},
)
_ONE_DIM: tuple[dict[str, Any], ...] = ({"dim": 0}, {"dim": -1}, {"dim": 1, "keepdim": True})


def _fields(result: Any) -> list[Any]:
    values, indices = result
    return [result.values, result.indices, values, indices, result[0], len(result)]


_SUMS = [
    case
    for name in ("sum", "mean", "amax", "amin", "std", "var", "logsumexp")
    for case in [
        *(case for options in _TUPLE_DIMS for case in call(name, _CUBE, **options)),
        *([] if name == "logsumexp" else call(name, _CUBE)),
        *call(name, floats(3, 5), dim=1, floating="float16", forms="t", slack=4.0),
        *call(name, floats(3, 5), dim=1, floating="bfloat16", forms="t", slack=4.0),
    ]
]

_WITH_DTYPE = [
    *(case for name in ("sum", "mean", "prod") for case in call(name, floats(3), dtype="float64")),
    *(case for name in ("sum", "mean", "prod") for case in call(name, integers(3, 2, low=1), dtype="float32")),
    *call("sum", integers(3, 2), dim=0, dtype="int32"),
    *call("sum", floats(3, 2), dim=[0]),
    *call("sum", floats(3, 2), 1, True),
    *call("cumsum", integers(4), dim=0, dtype="float64"),
]

_INTEGER = [
    *(
        case
        for dtype in ("uint8", "int8", "int32", "int64")
        for name in ("sum", "prod", "amax", "amin", "max", "min", "argmax", "any", "all")
        for case in call(name, distinct(2, 3, dtype=dtype))
    ),
    *(case for name in ("sum", "prod", "amax", "any", "all", "max") for case in call(name, booleans(2, 3))),
    *call("cumsum", booleans(2, 3), dim=0),
    *call("sum", exactly([200, 100], "uint8")),
]

_PRODUCTS = [
    *call("prod", _CUBE),
    *(case for options in _ONE_DIM for case in call("prod", _CUBE, **options)),
    *call("prod", exactly([2.0, 0.0, 3.0])),
    *call("prod", exactly([0.0, 0.0, 3.0])),
    *call("prod", exactly([[2.0, 0.0], [3.0, 4.0]]), dim=1),
]

_EXTREMA = [
    case
    for name in ("max", "min")
    for case in [
        *call(name, _CUBE),
        *(case for options in _ONE_DIM for case in call(name, _CUBE, **options)),
        *call(name, _CUBE, 1),
        *call(name, _CUBE, floats(3, 4)),
        *call(name, distinct(3, 4), dim=1),
        Case(f"{name} namedtuple", lambda t, x, name=name: _fields(getattr(x, name)(dim=1)), (_CUBE,)),
        *call(name, exactly([1.0, 3.0, 3.0, 1.0])),
        *call("a" + name, exactly([[1.0, 3.0, 3.0], [2.0, 2.0, 2.0]]), dim=1),
    ]
]


_POSITIONS = [
    case
    for name in ("argmax", "argmin")
    for case in [
        *call(name, _CUBE),
        *(case for options in _ONE_DIM for case in call(name, _CUBE, **options)),
        *call(name, distinct(3, 4), dim=0),
        *call(name, _CUBE, keepdim=True),
    ]
]

_QUANTIFIERS = [
    case
    for name in ("any", "all")
    for case in [
        *call(name, booleans(3, 4)),
        *(case for options in _ONE_DIM for case in call(name, booleans(2, 3, 4), **options)),
        *call(name, booleans(2, 3, 4), dim=(0, 2)),
        *call(name, exactly([0.0, 1.0, float("nan")])),
        *call(name, exactly([[0, 1], [2, 3]], "uint8"), dim=1),
        *call(name, floats(0, 3, requires_grad=False), dim=0),
    ]
]

_SPREAD = [
    case
    for name in ("std", "var")
    for case in [
        *call(name, _CUBE, unbiased=False),
        *call(name, _CUBE, dim=1, unbiased=False),
        *call(name, _CUBE, dim=1, correction=0),
        *call(name, _CUBE, correction=2),
        *call(name, _CUBE, dim=(0, 2), correction=0, keepdim=True),
        *call(name, _CUBE, 1, True, True),
        *call(name, floats(5, low=1000.0, high=1001.0, requires_grad=False), floating="float64"),
        *call(name, floats(3, 1), dim=1, gradient=False),
    ]
]

_NORMS = [
    *call("norm", _CUBE),
    *(case for p in (1, 2, 3, 0.5, float("inf"), -float("inf"), "fro") for case in call("norm", _POSITIVE, p=p)),
    *(case for p in (1, 2, 2.5, float("inf")) for case in call("norm", _CUBE, p=p, dim=1)),
    *call("norm", _CUBE, dim=(0, 2), keepdim=True),
    *call("norm", _CUBE, p=1, dim=-1, keepdim=True),
    *call("norm", _POSITIVE, p=0, gradient=False),
    *call("norm", exactly([0.0, 0.0])),
]

_COUNTS = [
    *call("count_nonzero", integers(3, 4, high=2)),
    *call("count_nonzero", integers(3, 4, high=2), dim=1),
    *call("count_nonzero", exactly([[0.0, 1.0], [float("nan"), 0.0]]), dim=(0, 1)),
    *call("count_nonzero", booleans(5)),
]

_SCANS = [
    case
    for name in ("cumsum", "cumprod")
    for case in [
        *(case for dim in (0, 1, -1) for case in call(name, _CUBE, dim=dim)),
        *call(name, floats(4), 0, forms="t x inplace"),
        *call(name, exactly([1, 2, 3], "int32"), dim=0),
        *call(name, floats(), dim=0),
        *call(name, floats(0), dim=0),
        *call(name, exactly([2.0, 0.0, 3.0, 4.0]), dim=0),
        *call(name, exactly([0.0, 2.0, 0.0, 4.0]), dim=0),
    ]
]

_LOG_SUMS = [
    *call("logsumexp", exactly([1000.0, 1000.0]), dim=0),
    *call("logsumexp", exactly([-float("inf"), -float("inf")]), dim=0, gradient=False),
    *call("logsumexp", exactly([-float("inf"), 0.0]), dim=0),
    *call("logsumexp", integers(3), dim=0),
]

_EMPTY_AND_SCALAR = [
    *(case for name in ("sum", "prod", "mean", "std", "any", "all") for case in call(name, floats(0), gradient=False)),
    *(case for name in ("sum", "prod", "mean") for case in call(name, floats(2, 0, 3), dim=1)),
    *(case for name in ("amax", "max", "argmax") for case in call(name, floats(2, 0), dim=0, gradient=False)),
    *(
        case
        for name in ("sum", "prod", "mean", "amax", "max", "min", "argmax", "any", "all")
        for case in call(name, floats())
    ),
    *(case for name in ("sum", "mean", "amax", "max", "argmax") for case in call(name, floats(), dim=0)),
    *(case for name in ("sum", "mean", "amax") for case in call(name, floats(3), dim=-1, keepdim=True)),
    *call("sum", _CUBE, dim=()),
    *call("sum", _CUBE, dim=None),
]

CASES = [
    *_SUMS,
    *_WITH_DTYPE,
    *_INTEGER,
    *_PRODUCTS,
    *_EXTREMA,
    *_POSITIONS,
    *_QUANTIFIERS,
    *_SPREAD,
    *_NORMS,
    *_COUNTS,
    *_SCANS,
    *_LOG_SUMS,
    *_EMPTY_AND_SCALAR,
]
