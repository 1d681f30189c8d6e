"""Creation: zeros, full, arange, linspace, eye, tensor, as_tensor, the *_like functions and the new_* methods."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.oracle.cases import Case
from tests.oracle.comparing import describe, dtype_name
from tests.oracle.recipes import DTYPES, exactly, floats, integers

from .calls import call

_PLAIN = [
    *(case for name in ("zeros", "ones") for case in call(name, 2, 3, forms="t")),
    *call("zeros", (2, 3), forms="t"),
    *call("zeros", [2, 3], forms="t"),
    *call("zeros", (), forms="t"),
    *call("zeros", 0, 3, forms="t"),
    *call("zeros", (2, 2), forms="t", requires_grad=True),
    *(case for dtype in DTYPES for case in call("ones", (2,), forms="t", dtype=dtype)),
    *call("full", (2, 3), 7, forms="t"),
    *call("full", (2,), 1.5, forms="t"),
    *call("full", (2,), True, forms="t"),
    *call("full", (), 2.5, forms="t"),
    *call("full", (2,), 3, forms="t", dtype="float64"),
    *call("full", (2,), 3.7, forms="t", dtype="int32"),
    *call("full", size=(2, 1), fill_value=4, forms="t"),
]

_RANGES = [
    *(
        case
        for bounds in ((5,), (1, 7), (1, 7, 2), (5.0,), (0, 1, 0.25), (5, 0, -2), (0,), (3, 3), (-1.5, 1.5, 0.5))
        for case in call("arange", *bounds, forms="t")
    ),
    *call("arange", 3, dtype="float64", forms="t"),
    *call("arange", 4, dtype="uint8", forms="t"),
    *call("arange", start=2, end=6, step=3, forms="t"),
    *call("linspace", 0, 1, 5, forms="t"),
    *call("linspace", -2, 3, 7, dtype="float64", forms="t"),
    *call("linspace", 3.0, 3.0, 1, forms="t"),
    *call("linspace", 5, -5, steps=4, forms="t"),
    *call("linspace", 0, 1, 0, forms="t"),
    *call("linspace", 0, 10, 6, dtype="int64", forms="t"),
    *call("eye", 3, forms="t"),
    *call("eye", 2, 4, forms="t"),
    *call("eye", 4, 2, dtype="int64", forms="t"),
    *call("eye", 0, forms="t"),
]

_SCALARS_AND_LISTS: tuple[Any, ...] = (
    True,
    3,
    2.5,
    [1, 2, 3],
    [1, 2.5],
    [True, False],
    [True, 2],
    [[1.0, 2.0], [3.0, 4.0]],
    [[[1], [2]], [[3], [4]]],
    (1, 2),
    [],
    [[], []],
    [float("nan"), float("inf"), -float("inf")],
    2**40,
    -(2**62),
)

_LITERALS = [
    *(call("tensor", literal, forms="t")[0] for literal in _SCALARS_AND_LISTS),
    *call("tensor", [1.7, -2.7], dtype="int64", forms="t"),
    *call("tensor", [0, 2], dtype="bool", forms="t"),
    *call("tensor", [1, 2], dtype="bfloat16", forms="t"),
    *call("tensor", [1.0, 2.0], requires_grad=True, forms="t"),
    *call("as_tensor", [1, 2], forms="t"),
    *call("as_tensor", 2.5, dtype="float64", forms="t"),
]


def _from_numpy_dtypes(t: Any) -> list[Any]:
    names = [name for name in DTYPES if name != "bfloat16"]
    return [t.tensor(np.array([[1, 0], [1, 1]], dtype=name)) for name in names]


def _from_numpy_layouts(t: Any) -> list[Any]:
    base = np.arange(12.0).reshape(3, 4)
    return [t.tensor(base.T), t.tensor(base[::2, 1:]), t.tensor(np.broadcast_to(base[:1], (3, 4)))]


def _from_tensors(t: Any) -> list[Any]:
    return [t.tensor([t.tensor(1), t.tensor(2)]), t.tensor([[t.tensor(1.5)], [t.tensor(2.5)]])]


def _as_tensor_identity(t: Any, x: Any) -> list[Any]:
    return [t.as_tensor(x) is x, t.as_tensor(x, dtype=t.float64) is x, t.as_tensor(x, dtype=t.float64)]


def _tensor_copies(t: Any) -> list[Any]:
    values = np.ones(3)
    tensor = t.tensor(values)
    values[0] = 5
    return [tensor]


def _undefined_values(t: Any, x: Any) -> list[Any]:
    made = [
        t.empty(2, 3),
        t.empty((0, 2), dtype=t.int32),
        t.empty_like(x),
        t.empty_like(x, dtype=t.bool),
        x.new_empty((4,)),
        x.new_empty(2, 2, dtype=t.int16),
        t.rand(2, 3),
        t.randn(4, dtype=t.float64),
        t.randint(10, (3,)),
        t.randint(2, 5, (3, 1)),
        t.randperm(6),
        t.rand_like(x),
        t.randn_like(x),
    ]
    return [describe(tensor) for tensor in made]


def _random_ranges(t: Any) -> list[Any]:
    uniform, integer, permutation = t.rand(1000), t.randint(2, 7, (1000,)), t.randperm(100)
    inside = ((uniform >= 0) & (uniform < 1)).all(), integer.min(), integer.max()
    return [*inside, permutation.sort().values, abs(t.randn(10000).mean().item()) < 0.05]


def _seed_repeats(t: Any) -> list[Any]:
    t.manual_seed(3)
    first = t.rand(5)
    t.manual_seed(3)
    return [bool((first == t.rand(5)).all()), bool((first == t.rand(5)).all())]


def _default_dtype(t: Any) -> list[Any]:
    before = t.get_default_dtype()
    t.set_default_dtype(t.float64)
    try:
        return [dtype_name(before), t.zeros(1), t.tensor(1.5), t.tensor(2) / 3]
    finally:
        t.set_default_dtype(before)


_FROM_OTHERS = [
    Case("tensor(numpy arrays of every dtype)", _from_numpy_dtypes),
    Case("tensor(numpy arrays of every layout)", _from_numpy_layouts),
    Case("tensor(list of tensors)", _from_tensors),
    Case(
        "tensor(numpy scalars)", lambda t: [t.tensor(np.float32(1.5)), t.tensor(np.int16(2)), t.tensor(np.bool_(True))]
    ),
    Case("tensor copies its array", _tensor_copies),
    Case("as_tensor(tensor)", _as_tensor_identity, (floats(3),), gradient=False),
    Case("from_numpy", lambda t: t.from_numpy(np.arange(6.0).reshape(2, 3))),
    Case("undefined values", _undefined_values, (floats(2, 3),)),
    Case("ranges of random values", _random_ranges),
    Case("manual_seed repeats", _seed_repeats),
    Case("default dtype", _default_dtype),
]

_ALIKE = [
    *(
        case
        for name in ("zeros_like", "ones_like")
        for source in (floats(2, 3), integers(3), floats())
        for case in call(name, source, forms="t")
    ),
    *call("zeros_like", integers(3), dtype="float16", forms="t"),
    *call("ones_like", floats(2), requires_grad=True, forms="t"),
    *call("full_like", floats(2, 2), 3, forms="t"),
    *call("full_like", integers(2, 2), 3.9, forms="t"),
    *call("full_like", integers(2), 2.5, dtype="float32", forms="t"),
    *(case for name in ("new_zeros", "new_ones") for case in call(name, floats(2), (3, 2), forms="x")),
    *call("new_zeros", integers(2), 2, 2, forms="x"),
    *call("new_ones", integers(2), (2,), dtype="float32", forms="x"),
    *call("new_full", floats(2), (2, 2), 4, forms="x"),
    *call("new_tensor", floats(2), [1, 2], forms="x"),
    *call("new_tensor", integers(2), [1.9, 2.1], forms="x"),
]

_TRIANGLES = [
    case
    for name in ("tril", "triu")
    for case in [
        *call(name, floats(3, 4)),
        *call(name, floats(3, 4), diagonal=1),
        *call(name, floats(2, 4, 3), diagonal=-1),
        *call(name, integers(3, 3)),
        *call(name, floats(2, 2), 5),
        *call(name, floats(3, 3), forms="inplace"),
    ]
]

_GIVEN = [*call("clone", exactly([1.0, -0.0, float("inf")])), *call("clone", integers(2, 2))]

CASES = [*_PLAIN, *_RANGES, *_LITERALS, *_FROM_OTHERS, *_ALIKE, *_TRIANGLES, *_GIVEN]
