"""visdom draws tensors: its calls make arrays of PyTorch's tensors by a function that here knows ours, too."""

from __future__ import annotations

import sys
from typing import Any

from lazygrad.tensor import Tensor
from lazygrad.when_imported import when_imported


def register() -> None:
    """Let visdom make arrays of tensors; a visdom that has no such function is left alone."""
    visdom: Any = sys.modules["visdom"]
    of_others = getattr(visdom, "_to_numpy", None)
    if of_others is None:
        return

    def to_numpy(value: Any) -> Any:
        return value.numpy(force=True) if isinstance(value, Tensor) else of_others(value)

    visdom._to_numpy = to_numpy


when_imported("visdom", register)
