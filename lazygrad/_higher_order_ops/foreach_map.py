"""``torch._higher_order_ops.foreach_map``: a function of the tensors at the same places of lists."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = ["foreach_map"]


def foreach_map(op: Callable[..., Any], *operands: Any, **kwargs: Any) -> list[Any]:
    """``op`` of the first elements of all lists, of the second ones, and so on.

    Args:
        op: called as ``op(*elements, **kwargs)``.
        operands: lists and tuples of one length; anything else is given to each call.
        kwargs: the same for all calls.

    Raises:
        ValueError: there is no list, or lengths differ.
    """
    lengths = {len(operand) for operand in operands if isinstance(operand, (list, tuple))}
    if len(lengths) != 1:
        raise ValueError(f"foreach_map: expected lists of one length, but got lengths {sorted(lengths)}")
    (count,) = lengths
    columns = [operand if isinstance(operand, (list, tuple)) else [operand] * count for operand in operands]
    return [op(*elements, **kwargs) for elements in zip(*columns, strict=True)]
