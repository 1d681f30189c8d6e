"""Guards: the Python values a recorded call depended on, and the quick question whether they are the same still.

Values are compared by identity, in one expression that is compiled for the purpose: about 20 ns each. Only when that
fails are they compared one by one, where an equal number or string that is another object passes too.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator, Set
from keyword import iskeyword
from operator import getitem
from typing import Any

from lazygrad.compiling.values import same

_missing = object()


class _Slots:
    """Places that hold one value each, all read by the same function.

    Attributes:
        read: of an owner and a key.
        owners, keys, values, paths: parallel lists; paths are for people.
    """

    __slots__ = ("keys", "owners", "paths", "read", "values")

    def __init__(self, read: Callable[[Any, Any], Any]) -> None:
        self.read = read
        self.owners: list[Any] = []
        self.keys: list[Any] = []
        self.values: list[Any] = []
        self.paths: list[str] = []

    def add(self, owner: Any, key: Any, value: Any, path: str) -> None:
        self.owners.append(owner)
        self.keys.append(key)
        self.values.append(value)
        self.paths.append(path)

    def changes(self) -> Iterator[str]:
        """Paths of the values that are no longer the same. Those that are, but in other objects, are renewed."""
        for i, (owner, key, value) in enumerate(zip(self.owners, self.keys, self.values, strict=True)):
            now = self._read(owner, key)
            if same(now, value):
                self.values[i] = now
            else:
                yield self.paths[i]

    def _read(self, owner: Any, key: Any) -> Any:
        try:
            return self.read(owner, key)
        except (AttributeError, LookupError, ValueError):  # ValueError: an unset closure variable
            return _missing


class Guards:
    """Conditions under which a recorded call would be recorded the same way again."""

    def __init__(self) -> None:
        self._entries = _Slots(dict.get)
        self._elements = _Slots(getitem)
        self._attributes = _Slots(getattr)
        self._slots = (self._entries, self._elements, self._attributes)
        self._containers: list[Any] = []
        self._container_paths: list[str] = []
        self._lengths: list[int] = []
        self._sets: list[tuple[Set[Any], frozenset[Any], str]] = []
        self._lacking: list[Any] = []
        self._lacked: list[Any] = []
        self._lacking_paths: list[str] = []
        self._identical: Callable[[], bool] | None = None
        self._counters: list[tuple[dict[str, Any], dict[str, Any]]] = []

    def __len__(self) -> int:
        return sum(len(slots.keys) for slots in self._slots) + len(self._lengths) + len(self._lacked)

    def entry(self, owner: dict[Any, Any], key: Any, value: Any, path: str) -> None:
        """``owner[key]`` is ``value``."""
        self._entries.add(owner, key, value, path)

    def element(self, owner: Any, index: int, value: Any, path: str) -> None:
        """``owner[index]`` of a sequence is ``value``."""
        self._elements.add(owner, index, value, path)

    def attribute(self, owner: Any, name: str, value: Any, path: str) -> None:
        """``owner.name`` is ``value``."""
        self._attributes.add(owner, name, value, path)

    def length(self, container: Any, path: str) -> None:
        """``container`` has as many items as now."""
        self._containers.append(container)
        self._container_paths.append(path)
        self._lengths.append(len(container))

    def equal(self, items: Set[Any], path: str) -> None:
        """A set of plain values has the same items."""
        self._sets.append((items, frozenset(items), path))

    def without(self, owner: Any, key: Any, path: str) -> None:
        """``key`` is not in ``owner``."""
        self._lacking.append(owner)
        self._lacked.append(key)
        self._lacking_paths.append(path)

    def equal_steps(self, follower: dict[str, Any], leader: dict[str, Any]) -> None:
        """Two optimizer states stand at the same step."""
        self._counters.append((follower, leader))

    def hold(self) -> bool:
        """Whether nothing has changed."""
        if self._identical is None:
            self._identical = self._compiled()
        try:
            if self._identical():
                return True
        except (AttributeError, LookupError, ValueError):
            return False  # `first_change` says what is missing
        if self.first_change() is not None:
            return False
        self._identical = None  # some values are equal, but other objects
        return True

    def _compiled(self) -> Callable[[], bool]:
        """One expression of all conditions. Lengths come first, so that what is looked up is there."""
        names = _Names()
        lengths = zip(self._containers, self._lengths, strict=True)
        conditions = [_of_length(names.of(owner), owner, length) for owner, length in lengths]
        for owner, key in zip(self._lacking, self._lacked, strict=True):
            conditions.append(f"{names.of(key)} not in {names.of(owner)}")
        conditions += [f"{names.of(items)} == {names.of(before)}" for items, before, _ in self._sets]
        for slots in self._slots:
            for owner, key, value in zip(slots.owners, slots.keys, slots.values, strict=True):
                conditions.append(f"{_reading(slots, owner, key, names)} is {names.of(value)}")
        for follower, leader in self._counters:
            conditions.append(f"{names.of(follower)}['step'] == {names.of(leader)}['step']")
        source = f"def identical():\n    return {' and '.join(conditions) or True}\n"
        exec(compile(source, "<lazygrad guards>", "exec"), names.objects)
        identical: Callable[[], bool] = names.objects["identical"]
        return identical

    def first_change(self) -> str | None:
        """What is not as it was, in words; None if everything is."""
        for container, length, path in zip(self._containers, self._lengths, self._container_paths, strict=True):
            if len(container) != length:
                return f"the number of items in {path}"
        for owner, key, path in zip(self._lacking, self._lacked, self._lacking_paths, strict=True):
            if key in owner:
                return path
        for items, before, path in self._sets:
            if items != before:
                return path
        for slots in self._slots:
            for path in slots.changes():
                return path
        if any(follower["step"] != leader["step"] for follower, leader in self._counters):
            return "the step count of some of the optimizer's parameters"
        return None


class _Names:
    """Variables of generated code."""

    def __init__(self) -> None:
        self.objects: dict[str, Any] = {}

    def of(self, value: Any) -> str:
        name = f"x{id(value)}"
        self.objects[name] = value
        return name


def _of_length(name: str, container: Any, length: int) -> str:
    """A condition; that of empty built-in containers takes half the time of the others."""
    kind = type(container)
    is_false_if_empty = kind.__len__ in (dict.__len__, list.__len__, set.__len__) and not hasattr(kind, "__bool__")
    return f"not {name}" if is_false_if_empty and not length else f"len({name}) == {length}"


def _reading(slots: _Slots, owner: Any, key: Any, names: _Names) -> str:
    if slots.read is getattr and key.isascii() and key.isidentifier() and not iskeyword(key):
        return f"{names.of(owner)}.{key}"
    key = repr(key) if type(key) is str or (type(key) is int and key.bit_length() < 64) else names.of(key)
    if slots.read is getattr:
        return f"getattr({names.of(owner)}, {key})"
    if slots.read is getitem or type(owner) in (dict, OrderedDict):
        return f"{names.of(owner)}[{key}]"
    return f"{names.of(owner)}.get({key})"  # a defaultdict would add what is missing
