"""Guards: the Python values a recorded call depended on, and the quick question whether they are the same still.

Values are compared by identity, in one expression that is compiled for the purpose (`lazygrad.compiling.conditions`).
Only when that fails are they compared one by one, where an equal number or string that is another object passes too.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from contextlib import suppress
from types import MappingProxyType
from typing import Any

from lazygrad.compiling import conditions
from lazygrad.compiling.conditions import MISSING, Guard, Kind, WeakOwner
from lazygrad.compiling.plain import is_heap_type, same


class Guards:
    """Conditions under which a recorded call would be recorded the same way again."""

    def __init__(self) -> None:
        self._guards: dict[Kind, list[Guard]] = {kind: [] for kind in conditions.KINDS}
        self._identical: Callable[[], bool] | None = None
        self._weak: dict[int, WeakOwner] = {}
        self._members: dict[type, MappingProxyType[str, Any]] = {}  # live views of classes' dictionaries
        self._known: set[tuple[Kind, int, Any]] = set()

    def _add(self, kind: Kind, owner: Any, key: Any, value: Any, path: str) -> None:
        """Owners are referred to, so that their addresses stay theirs."""
        found = kind, id(owner), key
        if found not in self._known:
            self._known.add(found)
            self._guards[kind].append(Guard(owner, key, value, path))

    def keys(self, owner: Collection[Any], path: str) -> None:
        """A dictionary or set has the same keys in the same order."""
        self._add(conditions.KEYS, owner, None, tuple(owner), path)

    def length(self, container: Any, path: str) -> None:
        """``container`` has as many items as now."""
        self._add(conditions.LENGTH, container, None, len(container), f"the number of items in {path}")

    def entry(self, owner: Any, key: Any, value: Any, path: str) -> None:
        """``owner[key]`` of a dictionary or list is ``value``."""
        self._add(conditions.ENTRY, owner, key, value, path)

    def without(self, owner: Any, key: Any, path: str) -> None:
        """``key`` is not in ``owner``."""
        self._add(conditions.WITHOUT, owner, key, False, path)

    def instance(self, value: Any, path: str) -> None:
        """``value`` is of the same class."""
        if is_heap_type(type(value)):
            self._add(conditions.CLASS, value, None, type(value), path)

    def attribute(self, owner: Any, name: str, value: Any, path: str) -> None:
        """``owner.name`` is ``value``; `MISSING`, if it is not there."""
        self._add(conditions.ATTRIBUTE, self._weak.get(id(owner), owner), name, value, path)

    def lookup(self, cls: type, name: str, path: str) -> None:
        """``cls`` and its bases hold under ``name`` what they hold now."""
        if not is_heap_type(cls):  # such classes never change
            return
        found = next((vars(base)[name] for base in cls.__mro__ if name in vars(base)), MISSING)
        if found is not MISSING and getattr(cls, name, MISSING) is found:  # what Python looks up faster than we do
            self.attribute(cls, name, found, path)
            return
        self.attribute(cls, "__mro__", cls.__mro__, f"the bases of {cls.__name__}")
        for base in cls.__mro__:
            members = self._members.setdefault(base, vars(base))
            if is_heap_type(base) and name not in members:
                self.without(members, name, path)
            elif name in members:
                self.entry(members, name, members[name], path)
                return

    def refer_weakly(self, owner: Any) -> None:
        """Do not keep ``owner`` alive: an object among the arguments, which a call's key names."""
        with suppress(TypeError):
            self._weak[id(owner)] = WeakOwner(owner)

    def zero(self, owner: dict[str, Any], key: str, path: str) -> None:
        """The number ``owner[key]`` is 0, or it is not, as now."""
        self._add(conditions.ZERO, owner, key, owner[key] == 0, f"whether {path} is 0")

    def equal_steps(self, follower: dict[str, Any], leader: dict[str, Any]) -> None:
        """Two optimizer states stand at the same step."""
        path = "the step count of some of the optimizer's parameters"
        self._guards[conditions.STEPS].append(Guard(follower, leader, True, path))

    def condition(self) -> Callable[[], bool]:
        """A function that says whether the values are the very same objects.

        It raises AttributeError, LookupError or ValueError where some are missing.
        """
        if self._identical is None:
            self._identical = conditions.compiled(self._guards)
        return self._identical

    def hold(self) -> bool:
        """Whether nothing has changed."""
        try:
            if self.condition()():
                return True
        except (AttributeError, LookupError, ValueError):
            return False  # `first_change` says what is missing
        if self.first_change() is not None:
            return False
        self._identical = None  # some values are equal, but other objects
        return True

    def first_change(self) -> str | None:
        """What is not as it was, in words; None if everything is. Equal values in other objects take their places."""
        for kind, guards in self._guards.items():
            for position, guard in enumerate(guards):
                try:
                    now = kind.read(guard.owner, guard.key)
                except (AttributeError, LookupError, ValueError):  # ValueError: an unset closure variable
                    now = MISSING
                if not same(now, guard.value):
                    return guard.path
                if now is not guard.value:
                    guards[position] = guard._replace(value=now)
        return None
