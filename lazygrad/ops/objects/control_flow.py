"""Branches and loops as functions. Python's own statements do the same here: what runs is what is recorded."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from lazygrad.tensor import Tensor

__all__ = ["cond", "while_loop"]


def cond(
    pred: bool | Tensor, true_fn: Callable[..., Any], false_fn: Callable[..., Any], operands: Sequence[Any] = ()
) -> Any:
    """``true_fn(*operands)`` if ``pred`` holds, otherwise ``false_fn(*operands)``. A tensor is computed to know.

    Raises:
        RuntimeError: ``pred`` is neither a bool nor a tensor of one element; the branches cannot be called.
    """
    if not isinstance(pred, bool | Tensor) or (isinstance(pred, Tensor) and pred.numel() != 1):
        raise RuntimeError(f"cond: expected pred to be a bool or a tensor of one element, but got {pred!r}")
    if not callable(true_fn) or not callable(false_fn):
        raise RuntimeError("cond: expected both branches to be callable")
    return (true_fn if bool(pred) else false_fn)(*operands)


def while_loop(
    cond_fn: Callable[..., Any], body_fn: Callable[..., Any], carried_inputs: Sequence[Any]
) -> tuple[Any, ...]:
    """``body_fn`` applied to the carried values as long as ``cond_fn`` holds of them; the last values.

    Each test computes a tensor's value, so that a long loop runs piece by piece.

    Raises:
        RuntimeError: the functions cannot be called.
    """
    if not callable(cond_fn) or not callable(body_fn):
        raise RuntimeError("while_loop: expected cond_fn and body_fn to be callable")
    carried = tuple(carried_inputs)
    while bool(cond_fn(*carried)):
        result = body_fn(*carried)
        carried = tuple(result) if isinstance(result, tuple | list) else (result,)
    return carried


def _assert(condition: Any, message: str) -> None:
    """Python's ``assert`` as a function, which a tracer can record."""
    assert condition, message
