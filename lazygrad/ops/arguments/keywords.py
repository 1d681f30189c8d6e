"""Further names of parameters: NumPy's, which PyTorch's functions accept beside their own, and those of its methods."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any, TypeVar, cast

from lazygrad.ops.arguments.elsewhere import DECORATED, FAILED, answered_elsewhere

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
            kwargs = _renamed(function.__name__, kwargs, _NUMPYS)
            if kwargs.get("out", kwargs) is None:
                del kwargs["out"]  # numpy's functions pass it on to methods of their own names
        try:
            return function(*args, **kwargs)
        except FAILED:
            return answered_elsewhere(DECORATED[function], args, kwargs)

    DECORATED[function] = renamed
    return cast(Function, renamed)


def also_named(**ours: str) -> Callable[[Function], Function]:
    """Let a function also be called with other keywords: ``also_named(split_size="split_size_or_sections")``.

    PyTorch has names of their own for a parameter in a function and in the method, or for each kind of argument.

    Raises (when called):
        TypeError: with two names of one parameter.
    """

    return functools.partial(_also_named, ours)


def _also_named(ours: Mapping[str, str], function: Function) -> Function:
    @functools.wraps(function)
    def renamed(*args: Any, **kwargs: Any) -> Any:
        if kwargs:
            kwargs = _renamed(function.__name__, kwargs, ours)
        try:
            return function(*args, **kwargs)
        except FAILED:
            return answered_elsewhere(DECORATED[function], args, kwargs)

    DECORATED[function] = renamed
    return cast(Function, renamed)


def _renamed(function: str, given: Mapping[str, Any], ours: Mapping[str, str]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in given.items():
        name = ours.get(name, name)
        if name in found:
            raise TypeError(f"{function}() got '{name}' by two names, which mean the same")
        found[name] = value
    return found
