"""``torch._inductor``: the settings of PyTorch's code generator, which programs assign. Nothing else of it is there."""

from __future__ import annotations

from typing import Any

from lazygrad._inductor import config

__all__ = ["config"]


def __getattr__(name: str) -> Any:
    raise AttributeError(
        f"lazygrad has no torch._inductor.{name}: there is no Inductor; lazygrad.stages(x) shows the sources that "
        "lazygrad generates"
    )
