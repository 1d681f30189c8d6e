"""Callbacks that can be taken back: what ``register_…_hook`` methods keep, and the handle they return."""

from __future__ import annotations

import itertools
import weakref
from collections import OrderedDict
from typing import Any, Self, TypeVar

Hook = TypeVar("Hook")

_next_id = itertools.count()


class HookRegistry(OrderedDict[int, Hook]):
    """Hooks in the order in which they are called."""

    def add(self, hook: Hook, prepend: bool = False) -> RemovableHandle:
        """Adds a hook at the end, or in front of all others, and returns the handle that removes it."""
        handle = RemovableHandle(self)
        self[handle.id] = hook
        if prepend:
            self.move_to_end(handle.id, last=False)
        return handle


class RemovableHandle:
    """Removes one hook. As a context manager, when the block is left. Does not keep the hook's owner alive."""

    def __init__(self, hooks_dict: OrderedDict[int, Any]) -> None:
        self.id = next(_next_id)
        self._hooks = weakref.ref(hooks_dict)

    def remove(self) -> None:
        """Removes the hook; a second call does nothing."""
        hooks = self._hooks()
        if hooks is not None:
            hooks.pop(self.id, None)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.remove()
