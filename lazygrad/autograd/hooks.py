"""Callbacks that can be taken back: what ``register_…_hook`` methods keep, and the handle they return."""

from __future__ import annotations

import itertools
import weakref
from collections import OrderedDict
from collections.abc import Sequence
from typing import Any, Self, TypeVar

Hook = TypeVar("Hook")

_next_id = itertools.count()


class HookRegistry(OrderedDict[int, Hook]):
    """Hooks in the order in which they are called."""

    def add(self, hook: Hook, prepend: bool = False) -> RemovableHandle:
        """Adds a hook at the end, or in front of all others, and returns the handle that removes it."""
        return add_hook(self, hook, prepend)


class RemovableHandle:
    """Removes one hook. As a context manager, when the block is left. Does not keep the hook's owner alive."""

    def __init__(self, hooks_dict: OrderedDict[int, Any], *, extra_dict: Any = None) -> None:
        """A handle with a number that no other has.

        Args:
            hooks_dict: where the hook is under that number.
            extra_dict: one more dictionary, or a list of them, in which what is said of the hook has that number.
        """
        self.id = next(_next_id)
        extra = extra_dict if isinstance(extra_dict, (list, tuple)) else [] if extra_dict is None else [extra_dict]
        self._dictionaries = [weakref.ref(each) for each in (hooks_dict, *extra)]

    def remove(self) -> None:
        """Removes the hook; a second call does nothing."""
        for dictionary in self._dictionaries:
            known = dictionary()
            if known is not None:
                known.pop(self.id, None)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.remove()


def add_hook(
    hooks: OrderedDict[int, Any], hook: Any, prepend: bool = False, options: Sequence[OrderedDict[int, bool]] = ()
) -> RemovableHandle:
    """`HookRegistry.add` for any dictionary, which a program may have put in a registry's place.

    Args:
        hooks: by their numbers.
        hook: the one to add.
        prepend: in front of all others.
        options: dictionaries in which its number is True; they forget it when the handle removes the hook.
    """
    handle = RemovableHandle(hooks, extra_dict=options)
    hooks[handle.id] = hook
    for option in options:
        option[handle.id] = True
    if prepend:
        hooks.move_to_end(handle.id, last=False)
    return handle
