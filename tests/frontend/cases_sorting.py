"""sort, argsort, topk, one_hot, embedding and dropout."""

from __future__ import annotations

from typing import Any

from tests.oracle.cases import Case
from tests.oracle.recipes import distinct, exactly, floats, integers

from .calls import call

_GRID = floats(3, 5)
_NAN = exactly([2.0, float("nan"), -1.0, float("inf")])

_ORDER = [
    *call("sort", _GRID),
    *call("sort", _GRID, dim=0),
    *call("sort", _GRID, descending=True),
    *call("sort", _GRID, 1, True),
    *call("sort", distinct(2, 3, 4), dim=1),
    *call("sort", integers(12, high=3), stable=True),
    *call("sort", integers(12, high=3), stable=True, descending=True),
    *call("sort", floats()),
    *call("sort", floats(0)),
    *call("sort", _NAN),
    *call("sort", exactly([True, False, True], "bool"), stable=True),
    *call("argsort", _GRID),
    *call("argsort", _GRID, dim=0, descending=True),
    *call("argsort", integers(12, high=3), stable=True),
    *call("topk", _GRID, 2),
    *call("topk", _GRID, 3, dim=0),
    *call("topk", _GRID, 2, largest=False),
    *call("topk", _GRID, k=5, dim=-1, largest=True, sorted=True),
    *call("topk", distinct(7), 3),
    *call("topk", _GRID, 0),
    Case("sort namedtuple", lambda t, x: [x.sort().values, x.sort().indices], (_GRID,)),
    Case("topk namedtuple", lambda t, x: [x.topk(2).values, x.topk(2).indices], (_GRID,)),
    Case("sort of a transposed view", lambda t, x: x.t().sort(dim=0), (_GRID,)),
]

_ONE_HOT = [
    *call("one_hot", integers(5, high=4), 4, forms="F"),
    *call("one_hot", integers(2, 3, high=4), num_classes=6, forms="F"),
    *call("one_hot", exactly([0, 3, 1], "int64"), forms="F"),
    *call("one_hot", exactly(2, "int64"), 5, forms="F"),
]

_EMBEDDING = [
    *call("embedding", integers(4, high=6), floats(6, 3), forms="F"),
    *call("embedding", integers(2, 3, high=6), floats(6, 3), forms="F", floating="float64"),
    *call("embedding", exactly([0, 2, 2, 2], "int64"), floats(3, 2), forms="F"),
    *call("embedding", exactly([0, 2, 2, 1], "int64"), floats(3, 2), padding_idx=2, forms="F"),
    *call("embedding", exactly([0, 1], "int32"), floats(3, 2), forms="F"),
    *call("embedding", integers(0), floats(3, 2), forms="F"),
    *call("embedding", exactly(1, "int64"), floats(3, 2), forms="F"),
]


def _dropout_statistics(t: Any) -> list[Any]:
    """The share of zeros, and the one value that all others have."""
    dropped = t.nn.functional.dropout(t.ones(20000), p=0.25)
    kept = dropped[dropped != 0]
    return [abs((dropped == 0).double().mean().item() - 0.25) < 0.02, kept.max(), kept.min()]


def _dropout_gradient(t: Any) -> list[Any]:
    """The gradient has the same mask and the same scale as the output."""
    x = t.ones(100, requires_grad=True)
    dropped = t.nn.functional.dropout(x, p=0.5)
    dropped.sum().backward()
    return [bool((x.grad == dropped).all()), abs(int((x.grad == 0).sum()) - 50) < 40]


def _dropout_differs(t: Any) -> list[Any]:
    x = t.ones(100)
    first, second = t.nn.functional.dropout(x), t.nn.functional.dropout(x)
    return [bool((first == second).all())]


_DROPOUT = [
    *call("dropout", floats(3, 4), p=0.0, forms="F"),
    *call("dropout", floats(3, 4), p=0.5, training=False, forms="F"),
    *call("dropout", floats(3, 4), p=1.0, forms="F"),
    *call("dropout", floats(3, 4), 0.5, False, forms="F"),
    Case("dropout statistics", _dropout_statistics),
    Case("dropout gradient", _dropout_gradient),
    Case("dropout differs each time", _dropout_differs),
]

CASES = [*_ORDER, *_ONE_HOT, *_EMBEDDING, *_DROPOUT]
