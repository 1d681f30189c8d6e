"""The few names of PyTorch's own library that programs reach past its public ones; none does more than answer."""

from __future__ import annotations

from typing import Any

from lazygrad.levels import levels
from lazygrad.linalg import LinAlgError as _LinAlgError
from lazygrad.ops.random.generator import Generator
from lazygrad.tensor import Tensor

_TensorMeta = type(Tensor)

__all__ = ["Generator", "_LinAlgError", "_are_functorch_transforms_active", "_get_tracing_state", "_log_api_usage_once"]


def _log_api_usage_once(event: str) -> None:
    """Nothing is logged."""


def _get_tracing_state() -> None:
    """No module is traced."""


def _are_functorch_transforms_active() -> bool:
    """Whether a function transform runs."""
    return bool(levels.active)


def __getattr__(name: str) -> Any:
    raise AttributeError(
        f"lazygrad has no torch._C.{name}: it is PyTorch's own library; lazygrad's public functions are those of torch"
    )
