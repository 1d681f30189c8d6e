"""Batches in page-locked memory, from which an accelerator copies while the program goes on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lazygrad.tensor import Tensor


def pinned(batch: Any) -> Any:
    """``batch`` with its tensors in page-locked memory, in containers of the same kinds; an object of another kind
    answers itself, by its method ``pin_memory``, if it has one."""
    if isinstance(batch, (str, bytes)):
        return batch
    if isinstance(batch, Tensor) or hasattr(batch, "pin_memory"):
        return batch.pin_memory()
    if isinstance(batch, Mapping):
        return type(batch)({key: pinned(value) for key, value in batch.items()})  # type: ignore[call-arg]
    if isinstance(batch, tuple) and hasattr(batch, "_fields"):
        return type(batch)(*map(pinned, batch))
    if isinstance(batch, Sequence):
        return type(batch)(list(map(pinned, batch)))  # type: ignore[call-arg]
    return batch
