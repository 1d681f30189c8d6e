"""The classes by their names of before PyTorch 2.4, when each device had a module of its own for them."""

from __future__ import annotations

from typing import ClassVar

from lazygrad.amp.grad_scaler import GradScaler
from lazygrad.autocast_mode import autocast
from lazygrad.ir.dtype import DType
from lazygrad.ir.user_warning import warn_user

__all__ = ["FormerAutocast", "FormerGradScaler"]


class FormerAutocast(autocast):
    """`autocast` for the device of a subclass, with a warning.

    Attributes:
        device_name: the device.
        usual_dtype: the dtype where none is given.
    """

    device_name: ClassVar[str]
    usual_dtype: ClassVar[DType]

    def __init__(self, enabled: bool = True, dtype: DType | None = None, cache_enabled: bool = True) -> None:
        _warn("autocast", self.device_name)
        super().__init__(self.device_name, self.usual_dtype if dtype is None else dtype, enabled, cache_enabled)


class FormerGradScaler(GradScaler):
    """`GradScaler` for the device of a subclass, with a warning; see `FormerAutocast`."""

    device_name: ClassVar[str]

    def __init__(
        self,
        init_scale: float = 2.0**16,
        growth_factor: float = 2.0,
        backoff_factor: float = 0.5,
        growth_interval: int = 2000,
        enabled: bool = True,
    ) -> None:
        _warn("GradScaler", self.device_name)
        super().__init__(self.device_name, init_scale, growth_factor, backoff_factor, growth_interval, enabled)


def _warn(name: str, device: str) -> None:
    warn_user(
        f"`lazygrad.{device}.amp.{name}(args...)` is deprecated. Please use `lazygrad.amp.{name}('{device}', args...)` "
        "instead.",
        FutureWarning,
    )
