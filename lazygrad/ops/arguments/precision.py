"""Which functions `autocast` computes in 16 bits, and which never."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar, cast

from lazygrad.autocast_mode import mode
from lazygrad.ir.device import Device
from lazygrad.ir.dtype import DType, bfloat16, float16, float32
from lazygrad.ir.node import Node
from lazygrad.ops.arguments.elsewhere import DECORATED, FAILED, answered_elsewhere
from lazygrad.ops.arguments.operands import cast_node
from lazygrad.tensor import Tensor

Function = TypeVar("Function", bound=Callable[..., Any])

_CAST = (float16, bfloat16, float32)  # float64 is asked for by name, and stays


def lower_precision(function: Function) -> Function:
    """``function`` with its 16- and 32-bit floating operands cast to autocast's dtype, while autocast is on."""
    return _recast(function, mode.dtype_on)


def single_precision(function: Function) -> Function:
    """``function`` with its 16-bit floating operands cast to float32, while autocast is on: it loses too much in 16."""
    return _recast(function, lambda device: None if mode.dtype_on(device) is None else float32)


def single_precision_on_cpu(function: Function) -> Function:
    """`single_precision`, but for CUDA, where PyTorch has the function in 16 bits."""
    return _recast(function, lambda device: None if device.type == "cuda" or mode.dtype is None else float32)


def in_single_precision(node: Node) -> Node:
    """A 16-bit floating operand on the CPU in float32 while autocast is on; any other as it is."""
    return cast_node(node, float32) if node.dtype.is_half and mode.dtype and node.device.type != "cuda" else node


def _recast(function: Function, dtype_on: Callable[[Device], DType | None]) -> Function:
    @functools.wraps(function)
    def variant(*args: Any, **kwargs: Any) -> Any:
        try:
            if not mode.is_on:
                return function(*args, **kwargs)
            keywords = {key: _cast(value, dtype_on) for key, value in kwargs.items()}
            return function(*[_cast(value, dtype_on) for value in args], **keywords)
        except FAILED:
            return answered_elsewhere(DECORATED[function], args, kwargs)

    DECORATED[function] = variant
    return cast(Function, variant)


def _cast(value: Any, dtype_on: Callable[[Device], DType | None]) -> Any:
    if type(value) in (list, tuple):
        return type(value)([_cast(part, dtype_on) for part in value])
    if not isinstance(value, Tensor) or value.dtype not in _CAST:
        return value
    dtype = dtype_on(value.device)
    if dtype is None or value.dtype is dtype:
        return value
    return Tensor.from_node(cast_node(value.node(), dtype))
