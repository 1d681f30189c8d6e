"""``lazygrad.cuda.amp``: the former names of `lazygrad.amp`'s classes, for the CUDA device that is not there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lazygrad.amp.former_names import FormerAutocast, FormerGradScaler
from lazygrad.ir.dtype import DType, float16

__all__ = ["GradScaler", "autocast", "custom_bwd", "custom_fwd"]


class autocast(FormerAutocast):
    """``lazygrad.autocast("cuda", …)``, which is disabled, with a warning, as there is no CUDA device."""

    device_name, usual_dtype = "cuda", float16


class GradScaler(FormerGradScaler):
    """``lazygrad.amp.GradScaler("cuda", …)``, with a warning."""

    device_name = "cuda"


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
