"""``torch._logging``: what PyTorch's compilers tell of their work. There are none here, so nothing is told."""

from __future__ import annotations

from typing import Any

from lazygrad.host.warn_once import warn_once

__all__ = ["set_logs"]


def set_logs(**chosen: Any) -> None:
    """Takes what a program wants to be told, and warns once that nothing is.

    Args:
        chosen: PyTorch's names of logs and artifacts.
    """
    if any(chosen.values()):
        warn_once(
            "_logging.set_logs",
            "torch._logging.set_logs shows nothing here: lazygrad.stages(x) shows what a program becomes, "
            "lazygrad.explain(x) why, and lazygrad.explain_cache_miss() what was planned anew",
        )
