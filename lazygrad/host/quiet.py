"""numpy without its warnings: an overflow or a division by zero is a value here, and no news.

`numpy.errstate` takes as long to enter and leave as a small operation. What it sets belongs to a context of Python's
`contextvars`; so contexts in which it is set once are kept, and a function runs inside one of them.
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import Context
from typing import ParamSpec, TypeVar

import numpy as np

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")
Argument = TypeVar("Argument")

_contexts: list[Context] = []  # that nobody is in; a list is safe to take from in several threads


def quietly(
    function: Callable[Parameters, Result], *arguments: Parameters.args, **options: Parameters.kwargs
) -> Result:
    """``function(*arguments, **options)``, which calls no code of the user, while numpy warns of nothing."""
    try:
        context = _contexts.pop()
    except IndexError:
        context = Context()
        context.run(_ignore_all)
    try:
        return context.run(function, *arguments, **options)
    finally:
        _contexts.append(context)


def quietly_of(function: Callable[[Argument], Result], argument: Argument) -> Result:
    """`quietly` of one argument, in half the time: the smallest programs come by."""
    try:
        context = _contexts.pop()
    except IndexError:
        return quietly(function, argument)
    try:
        return context.run(function, argument)
    finally:
        _contexts.append(context)


def _ignore_all() -> None:
    np.seterr(all="ignore")
