"""Rows of a table whose gradient is wanted as the rows that were looked up."""

from __future__ import annotations

from typing import Any

from lazygrad.ir.composites.define import Result, composite
from lazygrad.ir.node import Node, TensorType
from lazygrad.ir.primitives.indexing import take


def _lookup(table: Node, index: Node, *, padding: int | None) -> Node:
    return take(table, index)


def _infer(attrs: tuple[Any, ...], table: TensorType, index: TensorType) -> Result:
    return take.infer((), table, index)


lookup = composite(
    "lookup",
    _lookup,
    _infer,
    ("padding",),
    "rows of a table; `backward` may give its gradient as those rows, without those of an index that is padding",
    widened=False,
)
