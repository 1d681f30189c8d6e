"""What a function requires of the values of an operand, which shows when its result is computed."""

from __future__ import annotations

from lazygrad.ir.primitives.elementwise import require
from lazygrad.tensor import Tensor
from lazygrad.tensor_base import record


def required(value: Tensor, holds: Tensor, complaint: str, error: str = "RuntimeError") -> Tensor:
    """``value``, whose computation raises where a condition does not hold.

    Args:
        value: what is returned.
        holds: bools of its shape.
        complaint: what is wrong; ``{}`` stands for an element for which the condition does not hold.
        error: the name of the exception.
    """
    return record(require, (holds.node(), value.node()), (error, complaint))
