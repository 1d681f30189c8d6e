"""Functions that are one step of PyTorch's backward pass: what ``grad_fn`` calls them, whatever they record."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar, cast

from lazygrad.autograd_meta import Call, is_tracked, own_meta
from lazygrad.ir.node import next_serial
from lazygrad.tensor import Tensor

Function = TypeVar("Function", bound=Callable[..., Any])


def one_step(step: str) -> Callable[[Function], Function]:
    """Decorates a function whose result is known by it.

    Args:
        step: PyTorch's name of the step, without what all names end in.
    """

    return lambda function: _known_by(step, function)


def _known_by(step: str, function: Function) -> Function:
    @functools.wraps(function)
    def variant(*args: Any, **kwargs: Any) -> Any:
        since = next_serial()
        return as_one_step(function(*args, **kwargs), step, since)

    return cast(Function, variant)


def as_one_step(result: Tensor, step: str, since: int) -> Tensor:
    """``result``, known by the function that began at the serial ``since``; see `one_step`."""
    node = result.node()
    if node.serial > since and is_tracked(node):
        own_meta(node).call = Call(step, node.serial - since)
    return result
