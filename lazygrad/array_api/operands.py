"""Operands of several functions: the standard's promotion, which looks at dtypes only and never at ranks."""

from __future__ import annotations

from typing import Any

from lazygrad.array_api.dtypes import result_type
from lazygrad.ops.arguments.operands import as_scalar, scalar_node
from lazygrad.tensor import Tensor


def promoted(name: str, *operands: Any) -> tuple[Tensor, ...]:
    """The operands as tensors of their common dtype; a Python number takes part with its kind only.

    PyTorch lets a tensor with dimensions outvote one without; the standard does not. So dtypes are made equal here.

    Args:
        name: of the function, for errors.
        operands: tensors and numbers, at least one tensor.

    Raises:
        TypeError: no operand is a tensor, or one is neither a tensor nor a number.
    """
    dtypes = [operand.dtype for operand in operands if isinstance(operand, Tensor)]
    if len(dtypes) == len(operands) and dtypes.count(dtypes[0]) == len(dtypes):
        return operands
    if not dtypes:
        kinds = ", ".join(type(operand).__name__ for operand in operands)
        raise TypeError(f"{name}(): one of its arguments must be an array, but they are: {kinds}")
    checked = [operand if isinstance(operand, Tensor) else as_scalar(operand, name) for operand in operands]
    dtype = result_type(*checked)
    device = next(operand.device for operand in checked if isinstance(operand, Tensor))
    return tuple(
        converted(operand, dtype)
        if isinstance(operand, Tensor)
        else Tensor.from_node(scalar_node(operand, dtype, device))
        for operand in checked
    )


def converted(x: Any, dtype: Any) -> Tensor:
    """``x`` with ``dtype``."""
    found: Tensor = x if x.dtype is dtype else x.to(dtype)
    return found
