"""``torch.overrides``: functions that ask their arguments' classes, or a mode, for another implementation.

A program without such classes calls ordinary functions. Once it has made a tensor of a class whose results are its own,
or entered a mode, functions that ask first take their places (`lazygrad.overrides.placing`). Of arguments that
are no tensors, functions ask once a call has failed because of them (`lazygrad.ops.arguments.elsewhere`); some cannot,
such as `nn.functional.dropout`, before another function has met such an object.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Any

from lazygrad.ops.arguments.elsewhere import overriding_arguments
from lazygrad.overrides.dispatching import ask, no_implementation
from lazygrad.overrides.lists import (
    get_default_nowrap_functions,
    get_overridable_functions,
    is_tensor_method_or_property,
    resolve_name,
)
from lazygrad.overrides.modes import BaseTorchFunctionMode, TorchFunctionMode
from lazygrad.tensor import Tensor
from lazygrad.torch_function import asking

__all__ = [
    "BaseTorchFunctionMode",
    "TorchFunctionMode",
    "get_default_nowrap_functions",
    "get_overridable_functions",
    "handle_torch_function",
    "has_torch_function",
    "has_torch_function_unary",
    "has_torch_function_variadic",
    "is_tensor_like",
    "is_tensor_method_or_property",
    "resolve_name",
    "wrap_torch_function",
]


def is_tensor_like(inp: Any) -> bool:
    """Whether this is a tensor, or of a class that implements PyTorch's functions in its own way."""
    return isinstance(inp, Tensor) or hasattr(inp, "__torch_function__")


def has_torch_function(relevant_args: Iterable[Any]) -> bool:
    """Whether the class of any of these has ``__torch_function__``, or a mode is entered."""
    return bool(asking.modes and asking.asks_modes) or bool(overriding_arguments(relevant_args))


def has_torch_function_unary(arg: Any) -> bool:
    """`has_torch_function` of one argument."""
    return has_torch_function((arg,))


def has_torch_function_variadic(*args: Any) -> bool:
    """`has_torch_function` of several arguments."""
    return has_torch_function(args)


def wrap_torch_function(dispatcher: Callable[..., Iterable[Any]]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """A decorator of functions that ask first; ``dispatcher`` tells which of the arguments' classes."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def wrapped(*args: Any, **kwargs: Any) -> Any:
            relevant = tuple(dispatcher(*args, **kwargs))
            if has_torch_function(relevant):
                return handle_torch_function(wrapped, relevant, *args, **kwargs)
            return function(*args, **kwargs)

        return wrapped

    return decorate


def handle_torch_function(
    public_api: Callable[..., Any], relevant_args: Iterable[Any], *args: Any, **kwargs: Any
) -> Any:
    """What the innermost mode, or the first of the classes that does not answer NotImplemented, makes of a call.

    Args:
        public_api: the function that was called.
        relevant_args: those of its arguments whose classes are asked, subclasses first.
        *args, **kwargs: all its arguments.

    Raises:
        TypeError: no class implements the function.
    """
    overriding = overriding_arguments(relevant_args)
    result = ask(public_api, overriding, args, kwargs)
    if result is NotImplemented:
        raise no_implementation(public_api, overriding)
    return result
