"""``lazygrad.cuda``: answers whether CUDA can be used, which it cannot, so that programs that ask take the CPU."""

from __future__ import annotations

from typing import NoReturn


def is_available() -> bool:
    """Whether tensors can be placed on a CUDA device: False."""
    return False


def device_count() -> int:
    """How many CUDA devices there are to use: 0."""
    return 0


def manual_seed(seed: int) -> None:
    """Does nothing: there is no device to seed. `lazygrad.manual_seed` seeds the CPU."""


def manual_seed_all(seed: int) -> None:
    """Does nothing, like `manual_seed`."""


def __getattr__(name: str) -> NoReturn:
    if name.startswith("__"):
        raise AttributeError(f"module 'lazygrad.cuda' has no attribute {name!r}")
    raise RuntimeError(f"lazygrad has no CUDA backend yet, so there is no cuda.{name}; ask cuda.is_available() first")
