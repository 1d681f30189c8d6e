"""``lazygrad.compiler``: PyTorch's words around `lazygrad.compile`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from lazygrad.compiling import compile
from lazygrad.compiling.questions import is_compiling, is_exporting
from lazygrad.compiling.stance import set_stance

__all__ = [
    "allow_in_graph",
    "assume_constant_result",
    "compile",
    "cudagraph_mark_step_begin",
    "disable",
    "is_compiling",
    "is_dynamo_compiling",
    "is_exporting",
    "list_backends",
    "reset",
    "set_stance",
]

Function = TypeVar("Function", bound=Callable[..., Any])


is_dynamo_compiling = is_compiling


def list_backends(exclude_tags: Any = ()) -> list[str]:
    """What ``backend=`` of `lazygrad.compile` may name besides its own: nothing."""
    return []


def reset() -> None:
    """Does nothing: what a compiled function has recorded belongs to it and goes with it."""


def cudagraph_mark_step_begin() -> None:
    """Does nothing: there are no graphs of a CUDA device."""


# Marks for PyTorch's tracer. A call is recorded here by running it, whatever functions it is made of, so there is
# nothing that a tracer would have to leave out, take in whole, or assume.


def disable(fn: Function | None = None, recursive: bool = True, *, reason: str | None = None) -> Any:
    """``fn`` itself, or a decorator that gives it back: its operations are recorded like all others.

    Args:
        fn: a function, class or module.
        recursive, reason: accepted as PyTorch does.
    """
    return (lambda function: function) if fn is None else fn


def allow_in_graph(fn: Any) -> Any:
    """``fn`` itself."""
    return fn


def assume_constant_result(fn: Any) -> Any:
    """``fn`` itself: it is called whenever a call is recorded."""
    return fn
