"""``lazygrad.cpu.amp``: the former names of `lazygrad.amp`'s classes for the CPU."""

from __future__ import annotations

from lazygrad import amp
from lazygrad.ir.dtype import DType, bfloat16
from lazygrad.ir.user_warning import warn_user

__all__ = ["GradScaler", "autocast"]


class autocast(amp.autocast):
    """``lazygrad.autocast("cpu", …)``, with a warning."""

    def __init__(self, enabled: bool = True, dtype: DType = bfloat16, cache_enabled: bool = True) -> None:
        _warn("autocast")
        super().__init__("cpu", dtype, enabled, cache_enabled)


class GradScaler(amp.GradScaler):
    """``lazygrad.amp.GradScaler("cpu", …)``, with a warning."""

    def __init__(
        self,
        init_scale: float = 2.0**16,
        growth_factor: float = 2.0,
        backoff_factor: float = 0.5,
        growth_interval: int = 2000,
        enabled: bool = True,
    ) -> None:
        _warn("GradScaler")
        super().__init__("cpu", init_scale, growth_factor, backoff_factor, growth_interval, enabled)


def _warn(name: str) -> None:
    warn_user(
        f"`lazygrad.cpu.amp.{name}(args...)` is deprecated. Please use `lazygrad.amp.{name}('cpu', args...)` instead.",
        FutureWarning,
    )
