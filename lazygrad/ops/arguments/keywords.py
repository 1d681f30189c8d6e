"""NumPy's keyword names, which PyTorch's functions accept beside their own."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar, cast

Function = TypeVar("Function", bound=Callable[..., Any])

_OURS = {"axis": "dim", "keepdims": "keepdim"}


def numpy_keywords(function: Function) -> Function:
    """Let ``function`` also be called with ``axis`` for ``dim`` and ``keepdims`` for ``keepdim``.

    Raises:
        TypeError: when called with both names of one parameter.
    """

    @functools.wraps(function)
    def renamed(*args: Any, **kwargs: Any) -> Any:
        if "axis" in kwargs or "keepdims" in kwargs:
            for theirs, ours in _OURS.items():
                if theirs in kwargs:
                    if ours in kwargs:
                        raise TypeError(f"{function.__name__}() got both '{ours}' and '{theirs}', which mean the same")
                    kwargs[ours] = kwargs.pop(theirs)
            if kwargs.get("out", kwargs) is None:
                del kwargs["out"]  # numpy's functions pass it on to methods of their own names
        return function(*args, **kwargs)

    return cast(Function, renamed)
