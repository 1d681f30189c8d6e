"""What a tensor says about itself, conversions of dtype, and conversions to Python values and text."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tests.frontend.texts import without_device
from tests.oracle.cases import Case
from tests.oracle.comparing import dtype_name
from tests.oracle.recipes import DTYPES, Array, booleans, exactly, floats, integers

from .calls import call

_CASTS = ("float", "double", "half", "bfloat16", "int", "long", "short", "char", "byte", "bool")


def _facts(t: Any, x: Any) -> list[Any]:
    return [
        tuple(x.shape),
        x.shape[0],
        tuple(x.size()),
        x.size(0),
        x.size(-1),
        x.dim(),
        x.ndim,
        x.numel(),
        x.nelement(),
        x.element_size(),
        len(x),
        x.stride(),
        x.stride(0),
        x.storage_offset(),
        x.is_contiguous(),
        x.is_floating_point(),
        dtype_name(x.dtype),
        x.device == t.zeros(0).device,
        t.is_tensor(x),
        t.is_floating_point(x),
        t.numel(x),
        x.shape.numel(),
        isinstance(x.shape, tuple),
    ]


def _cast_everywhere(t: Any, *sources: Any) -> list[Any]:
    return [source.to(getattr(t, name)) for source in sources for name in DTYPES]


def _to_forms(t: Any, x: Any, other: Any) -> list[Any]:
    same = [x.to(x.dtype) is x, x.to(x.device) is x, x.to(x.dtype, copy=True) is x, x.float() is x]
    converted = [x.to(other), x.type_as(other), x.to("cpu", t.float16), x.to(dtype=t.bfloat16), x.to(device="cpu")]
    return [*same, *converted]


def _python_values(t: Any) -> list[Any]:
    number, integer, flag = t.tensor(2.5), t.tensor([[3]]), t.tensor(True)
    values = [number.item(), float(number), int(number), bool(number), integer.item(), int(integer), float(integer)]
    indexed = [[10, 11, 12, 13][t.tensor(2)], list(range(t.tensor(3)))]
    return [*values, flag.item(), bool(flag), bool(t.tensor(0.0)), indexed, f"{number:.3f}"]


def _types_of_items(t: Any) -> list[Any]:
    return [type(t.ones(1, dtype=getattr(t, name)).item()).__name__ for name in DTYPES]


def _containers(t: Any, x: Any) -> list[Any]:
    return [x.tolist(), x[0].tolist(), x[0, 0].tolist(), [row.sum() for row in x], 1 in t.tensor([1, 2]), len(list(x))]


def _numpy_views(t: Any, x: Any) -> list[Any]:
    array = x.detach().numpy()
    return [str(array.dtype), array.shape, array.tolist(), np.asarray(x.detach()).tolist(), np.sum(x.detach().numpy())]


def _numpy_dtypes(t: Any) -> list[Any]:
    names = [name for name in DTYPES if name != "bfloat16"]
    return [str(t.ones(2, dtype=getattr(t, name)).numpy().dtype) for name in names]


def _truth_and_hash(t: Any, x: Any) -> list[Any]:
    same = {x: 1}
    return [x in same, x.clone() in same, x is not None, id(x) == id(x)]


def _dtype_facts(t: Any) -> list[Any]:
    return [(getattr(t, name).is_floating_point, getattr(t, name).itemsize) for name in DTYPES]


def _dtype_aliases(t: Any) -> list[Any]:
    pairs = [(t.float, t.float32), (t.double, t.float64), (t.half, t.float16), (t.long, t.int64), (t.int, t.int32)]
    return [first is second for first, second in [*pairs, (t.short, t.int16)]]


def _limits(t: Any) -> list[Any]:
    floating = [t.finfo(getattr(t, name)) for name in ("float16", "bfloat16", "float32", "float64")]
    integer = [t.iinfo(getattr(t, name)) for name in ("uint8", "int8", "int16", "int32", "int64")]
    return [(f.eps, f.max, f.min, f.tiny, f.bits) for f in floating] + [(i.min, i.max, i.bits) for i in integer]


def _text(make: Callable[..., Any]) -> Callable[..., Any]:
    """`repr` of what `make(t)` returns, without the name of the framework and the device."""
    return lambda t, *tensors: without_device(repr(make(t, *tensors)).replace(f"{t.__name__}.", ""))


_REPRESENTATIONS: dict[str, Callable[[Any], Any]] = {
    "repr int": lambda t: t.tensor([1, -2, 300]),
    "repr bool": lambda t: t.tensor([[True, False]]),
    "repr float whole": lambda t: t.tensor([1.0, 2.0, -3.0]),
    "repr float": lambda t: t.tensor([[1.5, 2.25], [-3.125, 100.0]]),
    "repr float wide": lambda t: t.tensor([1e-8, 1.0, 1e8]),
    "repr nan inf": lambda t: t.tensor([float("nan"), float("inf"), -1.0]),
    "repr scalar": lambda t: t.tensor(2.5),
    "repr int scalar": lambda t: t.tensor(7),
    "repr float64": lambda t: t.tensor([0.5], dtype=t.float64),
    "repr float16": lambda t: t.tensor([0.5], dtype=t.float16),
    "repr int32": lambda t: t.tensor([5], dtype=t.int32),
    "repr empty": lambda t: t.tensor([]),
    "repr empty shape": lambda t: t.zeros(0, 3),
    "repr three dimensions": lambda t: t.arange(12.0).reshape(2, 3, 2),
    "repr summarized": lambda t: t.arange(2000),
    "repr summarized matrix": lambda t: t.arange(4000.0).reshape(40, 100),
    "repr long row": lambda t: t.arange(40),
    "repr requires grad": lambda t: t.tensor([1.0, 2.0], requires_grad=True),
    "repr grad_fn": lambda t: t.tensor([1.0, 2.0], requires_grad=True) * 2,
    "repr size": lambda t: t.zeros(2, 3).shape,
    "repr dtype": lambda t: t.float32,
    "repr device": lambda t: t.device("cpu"),
}

_SHAPES: tuple[Array, ...] = (floats(2, 3), integers(4, dtype="int16"), booleans(3, 1, 2))

CASES = [
    *(Case(f"facts {source.label}", _facts, (source,)) for source in _SHAPES),
    Case("facts of an empty tensor", lambda t: _facts(t, t.zeros(0, 3))),
    Case("facts of a transposed view", lambda t, x: _facts(t, x.t()), (floats(2, 3),)),
    *(case for name in _CASTS for case in call(name, floats(2, 3, low=0.0, high=5.0), forms="x")),
    *(case for name in _CASTS for case in call(name, integers(4), forms="x")),
    Case(
        "to every dtype",
        _cast_everywhere,
        tuple(exactly([0, 1, 2, 100], name, requires_grad=False) for name in DTYPES),
    ),
    Case("to fractions", _cast_everywhere, (exactly([0.0, 0.4, 1.5, 2.9]),)),
    Case("to negative", _cast_everywhere, (exactly([-1, -2], "int64"),)),
    Case("to rounds half precision", lambda t, x: x.to(t.bfloat16).to(t.float32), (floats(20),)),
    Case("to forms", _to_forms, (floats(3), integers(2)), gradient=False),
    Case("to differentiates", lambda t, x: x.to(t.float64) * 2, (floats(3),)),
    Case("python values", _python_values),
    Case("types of items", _types_of_items),
    Case("containers", _containers, (integers(3, 2),)),
    Case("tolist", lambda t, x: x.tolist(), (booleans(2, 2),)),
    Case("numpy", _numpy_views, (floats(2, 3),), gradient=False, floating="float64"),
    Case("numpy dtypes", _numpy_dtypes),
    Case("hash is identity", _truth_and_hash, (floats(2),), gradient=False),
    Case("dtype facts", _dtype_facts),
    Case("dtype aliases", _dtype_aliases),
    Case("finfo and iinfo", _limits),
    Case("is_tensor of others", lambda t: [t.is_tensor(1), t.is_tensor(np.ones(1))]),
    *(Case(name, _text(make)) for name, make in _REPRESENTATIONS.items()),
]
