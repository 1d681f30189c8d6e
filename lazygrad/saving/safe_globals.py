"""Classes and functions that a program allows in files which it does not trust otherwise."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from lazygrad.saving.names import torch_name_of

Allowed = Callable[..., Any] | tuple[Callable[..., Any], str]

_allowed: list[Allowed] = []
_by_name: dict[str, Any] = {}


def add_safe_globals(safe_globals: Sequence[Allowed]) -> None:
    """Let `load` with ``weights_only`` call these functions, and make objects of these classes and set their state.

    Args:
        safe_globals: functions and classes, or pairs of one and the full name that files give it.

    Raises:
        TypeError: something else.
    """
    named = {name: entry for entry in safe_globals for name in _names(entry)}
    _allowed.extend([entry for entry in safe_globals if entry not in _allowed])
    _by_name.update({name: entry[0] if isinstance(entry, tuple) else entry for name, entry in named.items()})


def get_safe_globals() -> list[Allowed]:
    """What was allowed."""
    return list(_allowed)


def clear_safe_globals() -> None:
    """Allow nothing any more."""
    _allowed.clear()
    _by_name.clear()


class safe_globals:
    """A context in which `load` allows more than `add_safe_globals` did before.

    Args:
        safe_globals: see `add_safe_globals`.
    """

    def __init__(self, safe_globals: Sequence[Allowed]) -> None:
        self._more = safe_globals

    def __enter__(self) -> None:
        self._before = get_safe_globals()
        add_safe_globals(self._more)

    def __exit__(self, *_: object) -> None:
        clear_safe_globals()
        add_safe_globals(self._before)


def allowed(name: str) -> Any:
    """What was allowed by this full name; None if nothing was."""
    return _by_name.get(name)


def is_allowed(obj: Any) -> bool:
    """Whether an object, such as the class of one that a file has made, was allowed."""
    return any(obj is known for known in _by_name.values())


def _names(entry: Allowed) -> list[str]:
    if isinstance(entry, tuple):
        if len(entry) != 2 or not callable(entry[0]) or not isinstance(entry[1], str):
            raise TypeError(f"add_safe_globals: a pair is of a class or function and its name, not {entry!r:.200}")
        return [entry[1]]
    if not callable(entry):
        raise TypeError(f"add_safe_globals: expected a class or a function, not {type(entry).__name__}")
    theirs = torch_name_of(entry)
    own = f"{entry.__module__}.{entry.__qualname__}"
    return [own] if theirs is None else [own, ".".join(theirs)]
