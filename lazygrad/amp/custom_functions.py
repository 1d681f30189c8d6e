"""Custom autograd functions under autocast: their backward runs as their forward did."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from lazygrad.autocast_mode import autocast, get_autocast_dtype, is_autocast_enabled
from lazygrad.ir.dtype import DType, float64
from lazygrad.tensor import Tensor


def custom_fwd(
    fwd: Callable[..., Any] | None = None, *, device_type: str, cast_inputs: DType | None = None
) -> Callable[..., Any]:
    """Decorates ``forward`` of a custom function; see `custom_bwd`.

    Args:
        fwd: the function; without it, a decorator is returned.
        device_type: whose autocast is meant, ``"cpu"`` or ``"cuda"``.
        cast_inputs: under autocast, floating tensors are cast to it and ``fwd`` runs without autocast.

    Raises:
        ValueError: a device type that is no text.
    """
    _require_text(device_type)
    if fwd is None:
        return functools.partial(custom_fwd, device_type=device_type, cast_inputs=cast_inputs)

    @functools.wraps(fwd)
    def decorated(ctx: Any, *args: Any, **kwargs: Any) -> Any:
        ctx._dtype, is_enabled = get_autocast_dtype(device_type), is_autocast_enabled(device_type)
        ctx._fwd_used_autocast = is_enabled and cast_inputs is None
        if not is_enabled or cast_inputs is None:
            return fwd(ctx, *args, **kwargs)
        with autocast(device_type, enabled=False):
            return fwd(ctx, *_cast(args, device_type, cast_inputs), **_cast(kwargs, device_type, cast_inputs))

    return decorated


def custom_bwd(bwd: Callable[..., Any] | None = None, *, device_type: str) -> Callable[..., Any]:
    """Decorates ``backward`` of a custom function: autocast is then as it was in `custom_fwd`'s function.

    Args:
        bwd: the function; without it, a decorator is returned.
        device_type: as in `custom_fwd`.

    Raises:
        ValueError: a device type that is no text.
    """
    _require_text(device_type)
    if bwd is None:
        return functools.partial(custom_bwd, device_type=device_type)

    @functools.wraps(bwd)
    def decorated(ctx: Any, *args: Any, **kwargs: Any) -> Any:
        with autocast(device_type, enabled=ctx._fwd_used_autocast, dtype=ctx._dtype):
            return bwd(ctx, *args, **kwargs)

    return decorated


def _require_text(device_type: Any) -> None:
    if not isinstance(device_type, str):
        raise ValueError(f"Expected `device_type` of type `str`, got: `{type(device_type)}`")


def _cast(value: Any, device_type: str, dtype: DType) -> Any:
    if isinstance(value, Tensor):
        is_meant = value.is_floating_point() and value.device.type == device_type and value.dtype is not float64
        return value.to(dtype) if is_meant else value
    if isinstance(value, dict):
        return {_cast(key, device_type, dtype): _cast(item, device_type, dtype) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)([_cast(item, device_type, dtype) for item in value])
    return value
