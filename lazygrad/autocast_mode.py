"""`autocast`: matrix products and convolutions in a 16-bit dtype, without a word of it in the model."""

from __future__ import annotations

import functools
import threading
import warnings
from collections.abc import Callable
from typing import Any, Self, TypeVar

from lazygrad.ir.device import KNOWN_TYPES
from lazygrad.ir.dtype import DType, bfloat16, float16
from lazygrad.ir.settings import Settings

Function = TypeVar("Function", bound=Callable[..., Any])


class _Mode(Settings, threading.local):
    """What autocast is set to on this thread.

    Attributes:
        dtype: the 16-bit dtype to compute in; None when autocast is off.
        preferred: the dtype an autocast that names none uses.
    """

    dtype: DType | None = None
    preferred: DType = bfloat16


mode = _Mode()


class autocast:
    """Inside, products and convolutions of float32 tensors are computed in a 16-bit dtype.

    A context manager and a decorator. What loses too much in 16 bits (sums, norms, losses) stays in float32: only the
    functions marked with `lazygrad.ops.arguments.precision.lower_precision` cast their operands.

    Args:
        device_type: ``"cpu"``; with ``"cuda"``, which is not there, it warns and does nothing.
        dtype: float16 or bfloat16; bfloat16 by default.
        enabled: False switches an outer autocast off.
        cache_enabled: accepted for PyTorch's sake: equal casts are one node of the graph anyway.

    Raises:
        RuntimeError: an unknown device type.
    """

    def __init__(
        self, device_type: str, dtype: DType | None = None, enabled: bool = True, cache_enabled: bool | None = None
    ) -> None:
        if not isinstance(device_type, str):
            raise ValueError(f"Expected `device_type` of type `str`, got: `{type(device_type)}`")
        if device_type not in KNOWN_TYPES:
            raise RuntimeError(f"User specified an unsupported autocast device_type '{device_type}'; use 'cpu'")
        self.device, self.fast_dtype = device_type, mode.preferred if dtype is None else dtype
        if device_type == "cuda" and enabled:
            warnings.warn("autocast: there is no CUDA device, so it is disabled", UserWarning, stacklevel=2)
            enabled = False
        if enabled and self.fast_dtype not in (float16, bfloat16):
            warnings.warn(
                f"autocast: {self.fast_dtype} is not one of float16 and bfloat16, so it is disabled",
                UserWarning,
                stacklevel=2,
            )
            enabled = False
        self._enabled = enabled
        self._outer: list[DType | None] = []

    def __enter__(self) -> Self:
        self._outer.append(mode.dtype)
        if self.device == "cpu":
            mode.dtype = self.fast_dtype if self._enabled else None
        return self

    def __exit__(self, *_: object) -> None:
        mode.dtype = self._outer.pop()

    def __call__(self, function: Function) -> Function:
        @functools.wraps(function)
        def inside(*args: Any, **kwargs: Any) -> Any:
            with self:
                return function(*args, **kwargs)

        return inside  # type: ignore[return-value]


def is_autocast_enabled(device_type: str = "cuda") -> bool:
    """Whether autocast is on for a type of device on this thread."""
    return device_type == "cpu" and mode.dtype is not None


def get_autocast_dtype(device_type: str) -> DType:
    """The dtype autocast computes in on a type of device, when nothing else is asked for."""
    return float16 if device_type == "cuda" else mode.dtype or mode.preferred


def set_autocast_dtype(device_type: str, dtype: DType) -> None:
    """Choose the dtype of every autocast on this thread that names none."""
    if device_type == "cpu":
        mode.preferred = dtype


def set_autocast_enabled(device_type: str, enabled: bool) -> None:
    """Switch autocast on or off on this thread until it is switched again."""
    if device_type == "cpu":
        mode.dtype = mode.preferred if enabled else None
