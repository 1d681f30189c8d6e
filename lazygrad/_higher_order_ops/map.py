"""``torch._higher_order_ops.map``: a function of each slice along the first dimension."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lazygrad._higher_order_ops._slices import length_of, slice_of, stacked

__all__ = ["map"]


def map(f: Callable[..., Any], xs: Any, *args: Any) -> Any:
    """``f(x, *args)`` for every slice ``x`` along the first dimension, stacked along a new first one.

    Args:
        f: given one slice of ``xs``; its results have one structure.
        xs: a tensor, or nested containers of tensors of the same first size.
        args: handed on as they are.

    Raises:
        RuntimeError: ``xs`` has nothing to go through.
    """
    count = length_of(xs, 0, "map")
    return stacked([f(slice_of(xs, 0, position), *args) for position in range(count)], 0)
