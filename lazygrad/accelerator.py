"""``lazygrad.accelerator``: answers that there is no accelerator, so that programs that ask take the CPU."""

from __future__ import annotations

from typing import Any, NoReturn

__all__ = [
    "current_accelerator",
    "current_device_index",
    "device_count",
    "is_available",
    "set_device_index",
    "synchronize",
]


def is_available() -> bool:
    """Whether tensors can be placed on an accelerator: False."""
    return False


def device_count() -> int:
    """How many accelerators there are: 0."""
    return 0


def current_accelerator(check_available: bool = False) -> None:
    """The device of the accelerator: None, there is none."""


def current_device_index() -> int:
    """The ordinal of the accelerator in use. RuntimeError: there is none."""
    _refuse("current_device_index")


def set_device_index(device: Any) -> None:
    """Choose the accelerator to use. RuntimeError: there is none."""
    _refuse("set_device_index")


def synchronize(device: Any = None) -> None:
    """Wait for an accelerator's work. RuntimeError: there is none."""
    _refuse("synchronize")


def _refuse(name: str) -> NoReturn:
    raise RuntimeError(f"accelerator.{name}: there is no accelerator; ask accelerator.is_available() first")
