"""PyTorch's names that lazygrad leaves out on purpose, each with what to use instead.

Asking for one gives a function that raises NotImplementedError with this text, so that a program that merely mentions
the name still runs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

LEFT_OUT = {
    "set_num_interop_threads": "plans run one after another; lazygrad.set_num_threads says how many threads one uses",
}


def stand_in(name: str) -> Callable[..., NoReturn]:
    """A function that says why ``name`` is not there.

    Args:
        name: a key of `LEFT_OUT`.
    """

    def absent(*args: Any, **kwargs: Any) -> NoReturn:
        raise NotImplementedError(f"lazygrad has no {name}: {LEFT_OUT[name]}")

    absent.__name__ = absent.__qualname__ = name
    absent.__doc__ = f"Not there: {LEFT_OUT[name]}."
    return absent
