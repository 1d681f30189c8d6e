"""The program that somebody asks about: what a pending tensor needs, or what a call returns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, is_dataclass
from typing import Any

from lazygrad.ops.arguments.operands import tensor_argument
from lazygrad.runtime.recording import Recording
from lazygrad.tensor import Tensor


def recording_of(x: Tensor | Callable[..., Any], args: tuple[Any, ...], function: str) -> Recording:
    """What computes a pending tensor, or all tensors that a call returns. They stay pending.

    Args:
        x: a tensor; or a function or a module, which is called with ``args``.
        args: of the call.
        function: the asking function, for messages.

    Raises:
        TypeError: ``x`` is neither, or the call returns no tensor.
        RuntimeError: nothing is pending, so there is nothing to run.
    """
    if isinstance(x, Tensor) or not callable(x):
        tensors = [tensor_argument(x, function, "x")]
    else:
        tensors = tensors_in(x(*args))
        if not tensors:
            raise TypeError(f"{function}: the function returns no tensor, so it says nothing about what is computed")
    recording = Recording([tensor.node() for tensor in tensors])
    if not recording.stored:
        if isinstance(x, Tensor):
            raise RuntimeError(f"{function}: this tensor is realized already; call it on a pending one")
        raise RuntimeError(
            f"{function}: all that the function returns is realized already; let it return what is pending, or look at "
            f"the programs that it computes inside with lg.explain, or python -m lazygrad {function} SCRIPT"
        )
    return recording


def tensors_in(value: Any) -> list[Tensor]:
    """The tensors in nested lists, tuples, dictionaries and dataclasses."""
    if isinstance(value, Tensor):
        return [value]
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        return [tensor for item in value for tensor in tensors_in(item)]
    if is_dataclass(value) and not isinstance(value, type):
        return tensors_in([getattr(value, each.name) for each in fields(value)])
    return []
