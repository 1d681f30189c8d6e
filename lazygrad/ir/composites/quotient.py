"""A quotient rounded towards zero."""

from __future__ import annotations

from typing import Any

from lazygrad.ir.composites.define import Result, composite
from lazygrad.ir.dtype import Category
from lazygrad.ir.node import Node, TensorType
from lazygrad.ir.primitives import elementwise as ew
from lazygrad.ir.shape import broadcast_shapes


def _truncated(x: Node, y: Node) -> Node:
    if x.dtype.is_floating_point:
        return ew.trunc(x / y)
    return ew.floor_div(x - ew.fmod(x, y), y)


def _infer(attrs: tuple[Any, ...], x: TensorType, y: TensorType) -> Result:
    if x.dtype is not y.dtype:
        raise RuntimeError(f"truncated_quotient: operands {x} and {y} have different dtypes; cast one")
    if x.dtype.category not in (Category.INTEGER, Category.FLOAT):
        raise RuntimeError(f"truncated_quotient is not implemented for {x.dtype.name}; cast the operand first")
    return broadcast_shapes("truncated_quotient", x.shape, y.shape), x.dtype


truncated_quotient = composite(
    "truncated_quotient", _truncated, _infer, doc="trunc(x / y), whose derivative is 0 everywhere", widened=False
)
