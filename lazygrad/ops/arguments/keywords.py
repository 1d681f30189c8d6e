"""Other names of keywords that PyTorch's functions accept beside those that are documented."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any, TypeVar, cast

Function = TypeVar("Function", bound=Callable[..., Any])

_NUMPYS = {"axis": "dim", "keepdims": "keepdim"}


def numpy_keywords(function: Function) -> Function:
    """Let ``function`` also be called with NumPy's names: ``axis`` for ``dim`` and ``keepdims`` for ``keepdim``.

    Raises:
        TypeError: when called with both names of one parameter.
    """

    @functools.wraps(function)
    def renamed(*args: Any, **kwargs: Any) -> Any:
        if "axis" in kwargs or "keepdims" in kwargs:
            _rename(function.__name__, _NUMPYS, kwargs)
            if kwargs.get("out", kwargs) is None:
                del kwargs["out"]  # numpy's functions pass it on to methods of their own names
        return function(*args, **kwargs)

    return cast(Function, renamed)


def other_keywords(**names: str) -> Callable[[Function], Function]:
    """Let a function also be called with other names of its parameters.

    PyTorch's overloads of one function may name the same parameter differently, and a method other than its function.

    Args:
        names: of the function's own parameter, by the other name.

    Raises:
        TypeError: when the function is called with both names of one parameter.
    """

    def decorate(function: Function) -> Function:
        @functools.wraps(function)
        def renamed(*args: Any, **kwargs: Any) -> Any:
            if kwargs:
                _rename(function.__name__, names, kwargs)
            return function(*args, **kwargs)

        return cast(Function, renamed)

    return decorate


def _rename(function: str, names: Mapping[str, str], kwargs: dict[str, Any]) -> None:
    for theirs, ours in names.items():
        if theirs in kwargs:
            if ours in kwargs:
                raise TypeError(f"{function}() got both '{ours}' and '{theirs}', which mean the same")
            kwargs[ours] = kwargs.pop(theirs)
