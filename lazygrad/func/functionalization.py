"""`functionalize`: what every recorded graph is anyway."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any


def functionalize(func: Callable[..., Any], *, remove: str = "mutations") -> Callable[..., Any]:
    """A function that computes what ``func`` does: recorded graphs have neither writes nor views that share memory.

    A write makes a new value, and a view is a movement in the graph; ``lazygrad.dump`` shows as much. PyTorch's
    transform gets there by rewriting.

    Args:
        func: any function.
        remove: ``"mutations"`` or ``"mutations_and_views"``.

    Raises:
        RuntimeError: another ``remove``.
    """
    if remove not in ("mutations", "mutations_and_views"):
        raise RuntimeError(
            "functionalize(f, remove=...): Expected remove to be either 'mutations' or 'mutations_and_views', got "
            f"{remove!r}."
        )

    @functools.wraps(func)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        return func(*args, **kwargs)

    return wrapped
