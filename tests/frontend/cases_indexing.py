"""Reading and writing with square brackets: basic, integer-array, boolean-mask and mixed indices."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tests.oracle.cases import Case
from tests.oracle.recipes import booleans, distinct, exactly, floats, integers

Index = Callable[[Any], Any]

_BASIC: dict[str, Index] = {
    "1": lambda t: 1,
    "-1": lambda t: -1,
    "1, 2": lambda t: (1, 2),
    "1, 2, -1": lambda t: (1, 2, -1),
    "1:3": lambda t: slice(1, 3),
    ":, 1": lambda t: (slice(None), 1),
    "::2": lambda t: slice(None, None, 2),
    "1::2, ::3": lambda t: (slice(1, None, 2), slice(None, None, 3)),
    ":-1": lambda t: slice(None, -1),
    "-2:": lambda t: slice(-2, None),
    "5:2": lambda t: slice(5, 2),
    ":100": lambda t: slice(None, 100),
    "...": lambda t: ...,
    "..., 0": lambda t: (..., 0),
    "0, ..., 1": lambda t: (0, ..., 1),
    "None": lambda t: None,
    ":, None": lambda t: (slice(None), None),
    "..., None": lambda t: (..., None),
    "None, 1, ..., ::2": lambda t: (None, 1, ..., slice(None, None, 2)),
    "0-dim tensor": lambda t: t.tensor(2),
    ":, 0-dim tensor": lambda t: (slice(None), t.tensor(1)),
    "empty tuple": lambda t: (),
}

_INTEGER: dict[str, Index] = {
    "[0, 2]": lambda t: [0, 2],
    "tensor": lambda t: t.tensor([0, 2, -1]),
    "tensor of int32": lambda t: t.tensor([0, 2], dtype=t.int32),
    "matrix": lambda t: t.tensor([[0, 1], [3, 2]]),
    "repeated": lambda t: t.tensor([1, 1, 1]),
    "empty": lambda t: t.tensor([], dtype=t.int64),
    ":, tensor": lambda t: (slice(None), t.tensor([0, 4])),
    "..., tensor": lambda t: (..., t.tensor([5, 0])),
    "tensor, tensor": lambda t: (t.tensor([0, 1]), t.tensor([2, 3])),
    "broadcast": lambda t: (t.tensor([[0], [1]]), t.tensor([2, 3, 4])),
    "tensor, 1": lambda t: (t.tensor([0, 1]), 1),
    "1, tensor": lambda t: (1, t.tensor([0, 1])),
    "tensor, :, tensor": lambda t: (t.tensor([0, 1]), slice(None), t.tensor([2, 3])),
    ":, tensor, tensor": lambda t: (slice(None), t.tensor([0, 1]), t.tensor([2, 3])),
    "0, :, tensor": lambda t: (0, slice(None), t.tensor([2, 3])),
    "1:3, tensor": lambda t: (slice(1, 3), t.tensor([4, 0, 1])),
    "None, tensor": lambda t: (None, t.tensor([1, 2])),
    "tensor, None, tensor": lambda t: (t.tensor([0, 1]), None, t.tensor([2, 3])),
    "three tensors": lambda t: (t.tensor([0, 3]), t.tensor([4, 0]), t.tensor([5, 1])),
    "tensor, ..., tensor": lambda t: (t.tensor([0, 1]), ..., t.tensor([2, 3])),
    "[0, 1], [2, 3]": lambda t: ([0, 1], [2, 3]),
}

_MASKS: dict[str, Index] = {
    "mask row": lambda t: t.tensor([True, False, True, False]),
    "mask none": lambda t: t.zeros(4, dtype=t.bool),
    "mask matrix": lambda t: t.arange(20).reshape(4, 5) % 3 == 0,
    "mask full": lambda t: t.arange(120).reshape(4, 5, 6) % 7 == 0,
    ":, mask": lambda t: (slice(None), t.tensor([True, False, True, False, True])),
    "mask, 1": lambda t: (t.tensor([True, False, True, False]), 1),
    "mask, tensor": lambda t: (t.tensor([True, False, True, False]), t.tensor([1, 2])),
    "mask list": lambda t: [True, False, True, False],
    "0, mask": lambda t: (0, t.tensor([True, False, True, False, True])),
    "True": lambda t: True,
    "False": lambda t: False,
}

_INDICES = _BASIC | _INTEGER | _MASKS
_CUBE = floats(4, 5, 6)


def _read(index: Index) -> Callable[..., Any]:
    return lambda t, x: x[index(t)]


def _write_scalar(index: Index) -> Callable[..., Any]:
    def function(t: Any, x: Any) -> Any:
        target = x * 1
        target[index(t)] = 2.5
        return target

    return function


def _write_tensor(index: Index) -> Callable[..., Any]:
    def function(t: Any, x: Any, source: Any) -> Any:
        target = x * 1
        target[index(t)] = source
        return target

    return function


def _write_same_shape(index: Index) -> Callable[..., Any]:
    def function(t: Any, x: Any, source: Any) -> Any:
        target = x * 1
        target[index(t)] = source[index(t)] * 2
        return target

    return function


def _accumulate(index: Index) -> Callable[..., Any]:
    def function(t: Any, x: Any, addend: Any) -> Any:
        target = x * 1
        target[index(t)] += addend
        target[index(t)] *= 2
        return target

    return function


_FLAGS = [
    Case("bool of a masked read of itself", lambda t, x: x[x > 0], (_CUBE,)),
    Case("x[idx] of integers", lambda t, x, i: x[i], (distinct(5), exactly([3, 0], "int64"))),
    Case("x[i] of bools", lambda t, x, i: x[i], (booleans(5), integers(3, high=5))),
    Case("chained reads", lambda t, x: x[1][2:][0], (_CUBE,)),
    Case("read after transpose", lambda t, x: x.permute(2, 0, 1)[1:, [0, 2]], (_CUBE,)),
    Case("0-dim with ... and None", lambda t, x: [x[...], x[None], x[()]], (floats(),)),
    Case("0-dim with mask", lambda t, x: [x[t.tensor(True)], x[t.tensor(False)]], (floats(),)),
    Case("uint8 index is a mask", lambda t, x: x[t.tensor([1, 0, 1], dtype=t.uint8)], (floats(3),)),
    Case("numpy index", lambda t, x: x[np.array([0, 2])], (floats(3),)),
]


def _write_masked_by_condition(_t: Any, x: Any) -> Any:
    target = x.clone()
    target[target < 0] = 0.0
    target[target > 1] = target[target > 1] * 0.1
    return target


def _write_rows_in_turn(t: Any, x: Any, y: Any) -> Any:
    target = t.zeros(4, 6, dtype=x.dtype)
    for row in range(4):
        target[row] = x[row, 0] * y[row]
    return target


def _write_casts(t: Any) -> list[Any]:
    integer, half, flag = t.zeros(3, dtype=t.int64), t.zeros(3, dtype=t.float16), t.zeros(3, dtype=t.bool)
    integer[0] = 2.9
    integer[1:] = t.tensor([1.5, 2.5])
    half[1] = t.tensor(0.1, dtype=t.float64)
    flag[2] = 5
    return [integer, half, flag]


_WRITES = [
    Case("write by condition", _write_masked_by_condition, (_CUBE,)),
    Case("write rows in turn", _write_rows_in_turn, (_CUBE, floats(4, 6))),
    Case("writes cast", _write_casts),
]

_SMALL = floats()

CASES = [
    *(Case(f"x[{name}]", _read(index), (_CUBE,)) for name, index in _INDICES.items()),
    *(Case(f"x[{name}] = 2.5", _write_scalar(index), (_CUBE,)) for name, index in _INDICES.items()),
    *(Case(f"x[{name}] = 0-dim", _write_tensor(index), (_CUBE, _SMALL)) for name, index in _INDICES.items()),
    *(
        Case(f"x[{name}] = same shape", _write_same_shape(index), (_CUBE, floats(4, 5, 6)), floating="float64")
        for name, index in _INDICES.items()
        if name != "repeated"
    ),
    *(Case(f"x[{name}] += y", _accumulate(index), (_CUBE, _SMALL)) for name, index in _INDICES.items()),
    *_FLAGS,
    *_WRITES,
]
