"""Selecting and scattering by index tensors and masks, as functions and methods."""

from __future__ import annotations

from typing import Any

from tests.oracle.cases import Case
from tests.oracle.recipes import booleans, exactly, floats, integers

from .calls import call

_GRID = floats(4, 5)
_COLUMNS = exactly([[0, 4, 2], [1, 1, 3], [2, 0, 0], [4, 3, 1]], "int64")
_ROWS = exactly([[0, 1, 2, 3, 0], [3, 2, 1, 0, 1]], "int64")
# Each target at most once, so that scatter has one right answer.
_TARGETS = exactly([[0, 4, 2], [1, 0, 3], [2, 1, 0], [4, 3, 1]], "int64")

_SELECT = [
    *call("index_select", _GRID, 0, exactly([2, 0, 2], "int64")),
    *call("index_select", _GRID, dim=1, index=exactly([4, 1], "int64")),
    *call("index_select", _GRID, -1, exactly([1], "int32")),
    *call("index_select", integers(5), 0, exactly([3, 1], "int64")),
    *call("index_select", _GRID, 0, integers(0)),
    *call("gather", _GRID, 1, _COLUMNS),
    *call("gather", _GRID, dim=0, index=_ROWS),
    *call("gather", _GRID, -1, _COLUMNS),
    *call("gather", integers(4, 5), 1, _COLUMNS),
    *call("gather", floats(2, 3, 4), 2, integers(2, 3, 1, high=4)),
    *call("gather", floats(), 0, exactly(0, "int64")),
    *call("gather", _GRID, 0, exactly([[1], [2]], "int32")),
    *call("take_along_dim", _GRID, _COLUMNS, dim=1),
    *call("take_along_dim", _GRID, integers(6, high=20)),
    *call("take_along_dim", _GRID, exactly([[0], [1], [2], [3]], "int64"), dim=1),
    *call("take", _GRID, exactly([0, 19, 7], "int64")),
]

_SCATTER = [
    *call("scatter", _GRID, 1, _TARGETS, floats(4, 3), forms="t x inplace"),
    *call("scatter", _GRID, 0, _ROWS, floats(2, 5), forms="t x"),
    *call("scatter", _GRID, dim=1, index=_TARGETS, src=floats(4, 5), gradient=False),
    *call("scatter", _GRID, 1, _TARGETS, 1.5, forms="t x inplace"),
    *call("scatter", _GRID, dim=1, index=_TARGETS, value=2),
    *call("scatter", integers(4, 5), 1, _TARGETS, integers(4, 3)),
    *call("scatter", _GRID, 1, _COLUMNS, floats(4, 3), reduce="add", gradient=False),
    *call("scatter_add", _GRID, 1, _COLUMNS, floats(4, 3), forms="t x inplace"),
    *call("scatter_add", _GRID, 0, _ROWS, floats(2, 5)),
    *call("scatter_add", integers(4, 5), 1, _COLUMNS, integers(4, 3)),
    *call("scatter_add", floats(3), 0, exactly([1, 1, 1, 0], "int64"), floats(4)),
    *call("index_add", _GRID, 0, exactly([1, 1, 3], "int64"), floats(3, 5), forms="t x inplace"),
    *call("index_add", _GRID, 1, exactly([0, 2], "int64"), floats(4, 2), alpha=2.0),
    *call("index_copy", _GRID, 0, exactly([1, 3], "int64"), floats(2, 5), forms="t x inplace"),
    *call("index_fill", _GRID, 1, exactly([1, 3], "int64"), -1.0, forms="t x inplace"),
]

_MASKED = [
    *call("masked_fill", _GRID, booleans(4, 5), 0.5, forms="t x inplace"),
    *call("masked_fill", _GRID, booleans(5), -float("inf"), forms="t x"),
    *call("masked_fill", _GRID, booleans(4, 1), 2, forms="t x"),
    *call("masked_fill", _GRID, booleans(4, 5), floats(), forms="t x"),
    *call("masked_fill", integers(4), booleans(4), 3),
    *call("masked_fill", floats(4, 1), booleans(4, 5), 1.0),
    *call("masked_select", _GRID, booleans(4, 5)),
    *call("masked_select", _GRID, booleans(5)),
    *call("masked_select", floats(5), booleans(4, 5)),
    *call("masked_select", integers(4), exactly([False] * 4, "bool")),
    *call("masked_scatter", _GRID, booleans(4, 5), floats(20), forms="t x inplace"),
]

_NONZERO = [
    *call("nonzero", integers(4, 5, high=2)),
    *call("nonzero", booleans(6)),
    *call("nonzero", exactly([0.0, 1.0, float("nan")], requires_grad=False)),
    *call("nonzero", integers(3, 4, high=2), as_tuple=True),
    *call("nonzero", floats(0, 3, requires_grad=False)),
    *call("nonzero", exactly(3, "int64")),
    *call("argwhere", integers(4, 5, high=2)),
]


def _scatter_one_hot(t: Any, target: Any) -> Any:
    return t.zeros(4, 6).scatter_(1, target.unsqueeze(1), 1.0)


def _gather_log_probability(t: Any, x: Any, target: Any) -> Any:
    return t.log_softmax(x, dim=1).gather(1, target[:, None]).squeeze(1)


_IDIOMS = [
    Case("one-hot by scatter_", _scatter_one_hot, (integers(4, high=6),)),
    Case("log probability by gather", _gather_log_probability, (floats(4, 6), integers(4, high=6))),
]

CASES = [*_SELECT, *_SCATTER, *_MASKED, *_NONZERO, *_IDIOMS]
