"""`autocast`: matrix products and convolutions in a 16-bit dtype, without a word of it in the model."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from typing import Any, Self, TypeVar

from lazygrad.host.allocator import why_unavailable
from lazygrad.ir.device import KNOWN_TYPES, Device
from lazygrad.ir.dtype import DType, bfloat16, float16
from lazygrad.ir.settings import Settings
from lazygrad.ir.user_warning import warn_user

Function = TypeVar("Function", bound=Callable[..., Any])


class _Mode(Settings, threading.local):
    """What autocast is set to on this thread.

    Attributes:
        is_on: whether autocast is on anywhere.
        dtype: the 16-bit dtype to compute in on all devices but CUDA's; None when autocast is off there.
        preferred: the dtype an autocast that names none uses.
        cuda_dtype, cuda_preferred: the same on CUDA devices.
    """

    is_on = False

    dtype: DType | None = None
    preferred: DType = bfloat16
    cuda_dtype: DType | None = None
    cuda_preferred: DType = float16

    def set(self, dtype: DType | None, cuda_dtype: DType | None) -> None:
        """Switch autocast on or off."""
        self.dtype, self.cuda_dtype = dtype, cuda_dtype
        self.is_on = dtype is not None or cuda_dtype is not None

    def dtype_on(self, device: Device) -> DType | None:
        """The dtype to compute in on a device."""
        return self.cuda_dtype if device.type == "cuda" else self.dtype


mode = _Mode()


class autocast:
    """Inside, products and convolutions of float32 tensors are computed in a 16-bit dtype.

    A context manager and a decorator. Losses, products of elements, distances and what LAPACK and Fourier transforms
    compute have float32 for 16-bit operands, in which they would lose too much. The decorators of
    `lazygrad.ops.arguments.precision` say which functions are cast; all others compute in their operands' dtype.

    Args:
        device_type: ``"cpu"`` or ``"cuda"``, whose tensors it is about. Where CUDA cannot be used, it warns and does
            nothing.
        dtype: float16 or bfloat16; by default bfloat16 on the CPU and float16 on CUDA.
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
        preferred = mode.cuda_preferred if device_type == "cuda" else mode.preferred
        self.device, self.fast_dtype = device_type, preferred if dtype is None else dtype
        if device_type == "cuda" and enabled and why_unavailable(Device("cuda", 0)) is not None:
            warn_user("autocast: there is no CUDA device, so it is disabled")
            enabled = False
        if enabled and self.fast_dtype not in (float16, bfloat16):
            warn_user(
                f"autocast: {self.fast_dtype} is not one of float16 and bfloat16, so it is disabled",
            )
            enabled = False
        self._enabled = enabled
        self._outer: list[tuple[DType | None, DType | None]] = []

    def __enter__(self) -> Self:
        self._outer.append((mode.dtype, mode.cuda_dtype))
        dtype = self.fast_dtype if self._enabled else None
        if self.device == "cpu":
            mode.set(dtype, mode.cuda_dtype)
        elif self.device == "cuda":
            mode.set(mode.dtype, dtype)
        return self

    def __exit__(self, *_: object) -> None:
        mode.set(*self._outer.pop())

    def __call__(self, function: Function) -> Function:
        @functools.wraps(function)
        def inside(*args: Any, **kwargs: Any) -> Any:
            with self:
                return function(*args, **kwargs)

        return inside  # type: ignore[return-value]


def is_autocast_enabled(device_type: str = "cuda") -> bool:
    """Whether autocast is on for a type of device on this thread."""
    return {"cpu": mode.dtype, "cuda": mode.cuda_dtype}.get(device_type) is not None


def is_autocast_cpu_enabled() -> bool:
    """PyTorch's former word for ``is_autocast_enabled("cpu")``."""
    return is_autocast_enabled("cpu")


def get_autocast_dtype(device_type: str) -> DType:
    """The dtype autocast computes in on a type of device, when nothing else is asked for."""
    return mode.cuda_dtype or mode.cuda_preferred if device_type == "cuda" else mode.dtype or mode.preferred


def set_autocast_dtype(device_type: str, dtype: DType) -> None:
    """Choose the dtype of every autocast on this thread that names none."""
    if device_type == "cpu":
        mode.preferred = dtype
    elif device_type == "cuda":
        mode.cuda_preferred = dtype


def set_autocast_enabled(device_type: str, enabled: bool) -> None:
    """Switch autocast on or off on this thread until it is switched again."""
    if device_type == "cpu":
        mode.set(mode.preferred if enabled else None, mode.cuda_dtype)
    elif device_type == "cuda":
        mode.set(mode.dtype, mode.cuda_preferred if enabled else None)
