"""Names of ``torch._dynamo`` that programs use around ``torch.compile``: there is no Dynamo, so most change nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lazygrad._dynamo import config, eval_frame
from lazygrad._dynamo.eval_frame import OptimizedModule
from lazygrad.compiler import allow_in_graph, disable, is_compiling, reset
from lazygrad.compiling import mark_dynamic

__all__ = [
    "OptimizedModule",
    "allow_in_graph",
    "config",
    "disable",
    "eval_frame",
    "graph_break",
    "is_compiling",
    "mark_dynamic",
    "mark_static",
    "reset",
]


def graph_break(msg: str = "") -> None:
    """Does nothing: a call is recorded by running it, so there is no graph that could be broken."""


def mark_static(tensor: Any, index: int | tuple[int, ...] | None = None) -> None:
    """Does nothing: sizes are static where they are not marked as dynamic."""


def is_dynamo_supported() -> bool:
    """False."""
    return False


def forbid_in_graph(fn: Callable[..., Any]) -> Callable[..., Any]:
    """``fn`` itself."""
    return fn
