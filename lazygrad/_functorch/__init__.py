"""``torch._functorch``: settings that programs assign. The transforms are `lazygrad.func`."""

from __future__ import annotations

from typing import Any

from lazygrad._functorch import config

__all__ = ["config"]


def __getattr__(name: str) -> Any:
    raise AttributeError(f"lazygrad has no torch._functorch.{name}: torch.func has the transforms of functions")
