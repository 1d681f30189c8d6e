"""Which functions `autocast` computes in 16 bits."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar, cast

from lazygrad.autocast_mode import mode
from lazygrad.ir.dtype import bfloat16, float16, float32
from lazygrad.ops.arguments.elsewhere import DECORATED, FAILED, answered_elsewhere
from lazygrad.ops.arguments.operands import cast_node
from lazygrad.tensor import Tensor

Function = TypeVar("Function", bound=Callable[..., Any])

_CAST = (float16, bfloat16, float32)  # float64 is asked for by name, and stays


def lower_precision(function: Function) -> Function:
    """``function`` with its 16- and 32-bit floating operands cast to autocast's dtype, while autocast is on."""

    @functools.wraps(function)
    def variant(*args: Any, **kwargs: Any) -> Any:
        try:
            if not mode.is_on:
                return function(*args, **kwargs)
            lowered = {key: _lowered(value) for key, value in kwargs.items()}
            return function(*[_lowered(value) for value in args], **lowered)
        except FAILED:
            return answered_elsewhere(DECORATED[function], args, kwargs)

    DECORATED[function] = variant
    return cast(Function, variant)


def _lowered(value: Any) -> Any:
    if not isinstance(value, Tensor) or value.dtype not in _CAST:
        return value
    dtype = mode.dtype_on(value.device)
    if dtype is None or value.dtype is dtype:
        return value
    return Tensor.from_node(cast_node(value.node(), dtype))
