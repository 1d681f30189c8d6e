"""Calls that another implementation answers: an argument is a sparse tensor, or of a class that answers for itself.

Nobody asks for either before a call. What has no memory cannot be used as a tensor with memory, so such a call fails;
the decorators that stand around functions anyway ask then, and programs without such arguments pay nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

Form = Callable[..., Any]  # is called with the arguments of the call that failed
Ask = Callable[[Callable[..., Any], Sequence[Any], Mapping[str, Any]], Form | None]

FAILED = (NotImplementedError, TypeError, AttributeError)  # what functions raise that get such an argument


# What decorators have made of functions. A local function that named itself would, compiled, keep what it records.
DECORATED: dict[Callable[..., Any], Callable[..., Any]] = {}


class Others:
    """Who is asked, in this order; layers above add themselves."""

    asked: ClassVar[list[Ask]] = []


def elsewhere(
    function: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any], error: BaseException
) -> Any:
    """What another implementation makes of a call of ``function`` that ended with ``error``.

    Raises:
        BaseException: ``error``, if there is no other implementation, and whatever that raises.
    """
    for ask in Others.asked:
        form = ask(function, args, kwargs)
        if form is not None:
            try:
                return form(*args, **kwargs)
            except Exception as refusal:
                raise refusal from None  # that the first attempt failed is no news
    raise error
