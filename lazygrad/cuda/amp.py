"""``lazygrad.cuda.amp``: the former names of `lazygrad.amp`'s classes, for the CUDA device that is not there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lazygrad import amp
from lazygrad.ir.dtype import DType, float16
from lazygrad.ir.user_warning import warn_user

__all__ = ["GradScaler", "autocast", "custom_bwd", "custom_fwd"]


class autocast(amp.autocast):
    """``lazygrad.autocast("cuda", …)``, which is disabled, with a warning, as there is no CUDA device."""

    def __init__(self, enabled: bool = True, dtype: DType = float16, cache_enabled: bool = True) -> None:
        _warn("autocast", "autocast('cuda', args...)")
        super().__init__("cuda", dtype, enabled, cache_enabled)


class GradScaler(amp.GradScaler):
    """``lazygrad.amp.GradScaler("cuda", …)``."""

    def __init__(
        self,
        init_scale: float = 2.0**16,
        growth_factor: float = 2.0,
        backoff_factor: float = 0.5,
        growth_interval: int = 2000,
        enabled: bool = True,
    ) -> None:
        _warn("GradScaler", "GradScaler('cuda', args...)")
        super().__init__("cuda", init_scale, growth_factor, backoff_factor, growth_interval, enabled)


def custom_fwd(fwd: Callable[..., Any] | None = None, *, cast_inputs: DType | None = None) -> Any:
    """``fwd`` itself, or a decorator that gives it back: autocast for CUDA, which it would heed, is never enabled.

    Args:
        fwd: ``forward`` of a custom function.
        cast_inputs: the dtype that inputs would be cast to under autocast.
    """
    return (lambda function: function) if fwd is None else fwd


def custom_bwd(bwd: Callable[..., Any]) -> Callable[..., Any]:
    """``bwd`` itself; see `custom_fwd`."""
    return bwd


def _warn(name: str, instead: str) -> None:
    warn_user(
        f"`lazygrad.cuda.amp.{name}(args...)` is deprecated. Please use `lazygrad.amp.{instead}` instead.",
        FutureWarning,
    )
