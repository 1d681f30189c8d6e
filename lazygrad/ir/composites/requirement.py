"""What some operations require of their operands' data: each requirement is its operand, once it is known to hold."""

from __future__ import annotations

from typing import Any

from lazygrad.ir.build import reshape
from lazygrad.ir.composites.define import Result, composite
from lazygrad.ir.node import Node, TensorType
from lazygrad.ir.primitives import elementwise as ew


def _between(x: Node, low: int, high: int) -> Node:
    if (low, high) == (0, 1) and x.dtype.is_floating_point:
        # Its sign is exact for all floats, NaN fails too, and one comparison costs a kernel less than two.
        return ew.ge((1 - x) * x, x.like(0))
    return ew.bitwise_and(ew.ge(x, x.like(low)), ew.le(x, x.like(high)))


def class_message(name: str, classes: int, ignore_index: int) -> str:
    """What a target that is no class is told; {} is that target."""
    return (
        f"{name}: Target {{}} is out of bounds. There are {classes} classes, from 0 on, and ignore_index is "
        f"{ignore_index}"
    )


def _class_index(target: Node, *, name: str, axis: int, classes: int, ignore_index: int) -> Node:
    # With an axis of size 1 where the input has its classes: so it shares a kernel with what reads it there.
    aligned = reshape(target, (*target.shape[:axis], 1, *target.shape[axis:]))
    allowed = ew.bitwise_or(_between(aligned, 0, classes - 1), ew.eq(aligned, aligned.like(ignore_index)))
    message = class_message(name, classes, ignore_index)
    return reshape(ew.require(allowed, aligned, error="IndexError", message=message), target.shape)


def _in_range(x: Node, *, low: int, high: int, error: str, message: str) -> Node:
    return ew.require(_between(x, low, high), x, error=error, message=message)


def _not_negative(x: Node, *, error: str, message: str) -> Node:
    return ew.require(ew.invert(ew.lt(x, x.like(0))), x, error=error, message=message)


def _like_first(attrs: tuple[Any, ...], x: TensorType) -> Result:
    return x.shape, x.dtype


class_index = composite(
    "class_index",
    _class_index,
    _like_first,
    ("name", "axis", "classes", "ignore_index"),
    "the target, if every element names a class or is ignored",
    widened=False,
)
in_range = composite(
    "in_range",
    _in_range,
    _like_first,
    ("low", "high", "error", "message"),
    "x, if every element lies between low and high; see require",
    widened=False,
)
not_negative = composite(
    "not_negative",
    _not_negative,
    _like_first,
    ("error", "message"),
    "x, if no element lies below 0; see require",
    widened=False,
)
