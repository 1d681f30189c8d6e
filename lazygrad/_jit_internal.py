"""`torch._jit_internal`: names of types and notes to TorchScript's compiler, which programs import from PyTorch's own
file; nothing is compiled, so each note leaves what it decorates as it is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Dict, Final, List, Optional, Tuple, TypeVar, Union  # noqa: UP035, the names are what is asked for

from lazygrad.futures import Future
from lazygrad.jit import _overload, _overload_method, export, ignore, is_scripting, unused
from lazygrad.jit import isinstance as _isinstance

__all__ = [
    "Any",
    "BroadcastingList1",
    "BroadcastingList2",
    "BroadcastingList3",
    "BroadcastingList4",
    "BroadcastingList5",
    "BroadcastingList6",
    "Callable",
    "Dict",
    "Final",
    "Future",
    "List",
    "Optional",
    "Tuple",
    "Union",
    "_copy_to_script_wrapper",
    "_isinstance",
    "_overload",
    "_overload_method",
    "boolean_dispatch",
    "export",
    "ignore",
    "is_scripting",
    "unused",
]

Value = TypeVar("Value")


class _BroadcastingList:
    """Names a type in annotations: a list, or a number that stands for all its items."""

    def __getitem__(self, types: Any) -> None:
        return None


BroadcastingList1 = _BroadcastingList()
BroadcastingList2 = _BroadcastingList()
BroadcastingList3 = _BroadcastingList()
BroadcastingList4 = _BroadcastingList()
BroadcastingList5 = _BroadcastingList()
BroadcastingList6 = _BroadcastingList()


def _copy_to_script_wrapper(fn: Value) -> Value:
    """``fn`` itself."""
    return fn


def boolean_dispatch(
    arg_name: str,
    arg_index: int,
    default: bool,
    if_true: Callable[..., Any],
    if_false: Callable[..., Any],
    module_name: str | None,
    func_name: str | None,
) -> Callable[..., Any]:
    """A function that calls one of two, by an argument that is a bool.

    Args:
        arg_name: the argument's name.
        arg_index: its position.
        default: what it is where it is left out.
        if_true, if_false: called with all arguments.
        module_name, func_name: of the function, where not None.
    """

    def dispatched(*args: Any, **kwargs: Any) -> Any:
        flag = kwargs[arg_name] if arg_name in kwargs else args[arg_index] if arg_index < len(args) else default
        return (if_true if flag else if_false)(*args, **kwargs)

    dispatched.__doc__ = if_true.__doc__ or if_false.__doc__
    dispatched.__module__ = module_name or dispatched.__module__
    dispatched.__name__ = func_name or dispatched.__name__
    return dispatched
