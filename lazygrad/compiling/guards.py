"""Guards: the Python values a recorded call depended on, and the quick question whether they are the same still.

Values are compared by identity, in one expression that is compiled for the purpose: about 20 ns each. Only when that
fails are they compared one by one, where an equal number or string that is another object passes too.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator, Set
from contextlib import suppress
from keyword import iskeyword
from operator import getitem
from types import MappingProxyType
from typing import Any
from weakref import ref

from lazygrad.compiling.values import is_atom, same


class _Missing:
    def __repr__(self) -> str:
        return "MISSING"


_HEAP_TYPE = 1 << 9  # Py_TPFLAGS_HEAPTYPE: the class was made by a class statement
MISSING: Any = _Missing()  # the value of an attribute that is not there


def _entry(owner: Any, key: Any) -> Any:
    return owner.get(key, MISSING)


def _weak_attribute(owner: ref[Any], name: str) -> Any:
    return getattr(owner(), name)


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
            return MISSING


class Guards:
    """Conditions under which a recorded call would be recorded the same way again."""

    def __init__(self) -> None:
        self._entries = _Slots(_entry)
        self._elements = _Slots(getitem)
        self._attributes = _Slots(getattr)
        self._weak_attributes = _Slots(_weak_attribute)
        self._slots = (self._entries, self._elements, self._attributes, self._weak_attributes)
        self._containers: list[Any] = []
        self._container_paths: list[str] = []
        self._lengths: list[int] = []
        self._sets: list[tuple[Set[Any], frozenset[Any], str]] = []
        self._lacking: list[Any] = []
        self._lacked: list[Any] = []
        self._lacking_paths: list[str] = []
        self._identical: Callable[[], bool] | None = None
        self._orders: list[tuple[dict[Any, Any], list[Any], str]] = []
        self._dictionaries: list[tuple[Any, list[str], str]] = []
        self._types: list[tuple[Any, type, str]] = []
        self._weak: dict[int, ref[Any]] = {}
        # Per class: a live view of its dictionary, and the names that it lacks.
        self._classes: dict[type, tuple[MappingProxyType[str, Any], set[str]]] = {}
        self._class_paths: dict[tuple[type, str], str] = {}
        self._known: set[tuple[str, int, Any]] = set()
        self._counters: list[tuple[dict[str, Any], dict[str, Any]]] = []

    def _is_new(self, kind: str, owner: Any, key: Any = None) -> bool:
        """Whether there is no such guard yet. Owners are referred to, so that their addresses stay theirs."""
        found = kind, id(owner), key
        if found in self._known:
            return False
        self._known.add(found)
        return True

    def keys(self, owner: dict[Any, Any], path: str) -> None:
        """``owner`` has the same keys in the same order."""
        if self._is_new("keys", owner):
            self._orders.append((owner, list(owner), path))

    def attributes(self, owner: Any, path: str) -> None:
        """``owner`` has the same attributes in its dictionary, whatever their values."""
        if self._is_new("attributes", owner):
            self._dictionaries.append((owner, list(vars(owner)), path))

    def instance(self, value: Any, path: str) -> None:
        """``value`` is of the same class."""
        if type(value).__flags__ & _HEAP_TYPE and self._is_new("instance", value):
            self._types.append((value, type(value), path))

    def entry(self, owner: dict[Any, Any], key: Any, value: Any, path: str) -> None:
        """``owner[key]`` is ``value``."""
        if self._is_new("entry", owner, key):
            self._entries.add(owner, key, value, path)

    def element(self, owner: Any, index: int, value: Any, path: str) -> None:
        """``owner[index]`` of a sequence is ``value``."""
        if self._is_new("element", owner, index):
            self._elements.add(owner, index, value, path)

    def attribute(self, owner: Any, name: str, value: Any, path: str) -> None:
        """``owner.name`` is ``value``; `MISSING`, if it is not there."""
        if self._is_new("attribute", owner, name):
            weakly = self._weak.get(id(owner))
            slots, holder = (self._attributes, owner) if weakly is None else (self._weak_attributes, weakly)
            slots.add(holder, name, value, path)

    def lookup(self, cls: type, name: str, path: str) -> None:
        """``cls`` and its bases hold under ``name`` what they hold now."""
        if not cls.__flags__ & _HEAP_TYPE:
            return
        self.attribute(cls, "__mro__", cls.__mro__, f"the bases of {cls.__name__}")
        for base in cls.__mro__:
            if not base.__flags__ & _HEAP_TYPE:  # such classes never change
                if name in vars(base):
                    return
                continue
            members, lacking = self._classes.setdefault(base, (vars(base), set()))
            if name in members:
                self.entry(members, name, members[name], path)  # type: ignore[arg-type]
                return
            lacking.add(name)
            self._class_paths.setdefault((base, name), path)

    def refer_weakly(self, owner: Any) -> None:
        """Do not keep ``owner`` alive: an object among the arguments, which a call's key names."""
        with suppress(TypeError):
            self._weak[id(owner)] = ref(owner)

    def length(self, container: Any, path: str) -> None:
        """``container`` has as many items as now."""
        if not self._is_new("length", container):
            return
        self._containers.append(container)
        self._container_paths.append(path)
        self._lengths.append(len(container))

    def equal(self, items: Set[Any], path: str) -> None:
        """A set of plain values has the same items."""
        self._sets.append((items, frozenset(items), path))

    def without(self, owner: Any, key: Any, path: str) -> None:
        """``key`` is not in ``owner``."""
        if not self._is_new("without", owner, key):
            return
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
        for members, lacking in self._classes.values():
            if lacking:
                conditions.append(f"{names.of(members.keys().isdisjoint)}({names.of(lacking)})")
        for value, kind, _ in self._types:
            conditions.append(f"type({names.of(value)}) is {names.of(kind)}")
        for owner, keys, _ in self._dictionaries:
            held = f"{names.of(owner)}.__dict__"
            conditions.append(f"[*{held}] == {names.of(keys)}" if keys else f"not {held}")
        for owner, keys, _ in self._orders:
            conditions.append(_of_keys(names, owner, keys))
        conditions += [f"{names.of(items)} == {names.of(before)}" for items, before, _ in self._sets]
        for slots in self._slots:
            for owner, key, value in zip(slots.owners, slots.keys, slots.values, strict=True):
                if value is MISSING and slots.read is _weak_attribute:
                    place = f"{names.of(owner)}(), {names.of(key)}, {names.of(value)}"
                    conditions.append(f"getattr({place}) is {names.of(value)}")
                elif value is MISSING:
                    conditions.append(
                        f"getattr({names.of(owner)}, {names.of(key)}, {names.of(value)}) is {names.of(value)}"
                    )
                else:
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
        for base, (members, lacking) in self._classes.items():
            for name in lacking & members.keys():
                return self._class_paths[base, name]
        for value, kind, path in self._types:
            if type(value) is not kind:
                return path
        for owner, keys, path in self._dictionaries:
            if list(owner.__dict__) != keys:
                return path
        for owner, keys, path in self._orders:
            if len(owner) != len(keys) or not all(map(same, owner, keys)):
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
        self.objects[name] = value  # which lives as long as the name, so that no other gets its address
        return name


def _of_keys(names: _Names, owner: Any, keys: list[Any]) -> str:
    """A condition. Objects are compared by identity: their own comparison may be anything."""
    if all(map(is_atom, keys)):
        return f"[*{names.of(owner)}] == {names.of(keys)}" if keys else f"not {names.of(owner)}"
    return f"[*map({names.of(id)}, {names.of(owner)})] == {names.of([*map(id, keys)])} and {names.of(keys)}"


def _of_length(name: str, container: Any, length: int) -> str:
    """A condition; that of empty built-in containers takes half the time of the others."""
    kind = type(container)
    is_false_if_empty = kind.__len__ in (dict.__len__, list.__len__, set.__len__) and not hasattr(kind, "__bool__")
    return f"not {name}" if is_false_if_empty and not length else f"len({name}) == {length}"


def _reading(slots: _Slots, owner: Any, key: Any, names: _Names) -> str:
    if slots.read is _weak_attribute:
        return f"{names.of(_weak_attribute)}({names.of(owner)}, {names.of(key)})"
    if slots.read is getattr and key.isascii() and key.isidentifier() and not iskeyword(key):
        return f"{names.of(owner)}.{key}"
    key = repr(key) if type(key) is str or (type(key) is int and key.bit_length() < 64) else names.of(key)
    if slots.read is getattr:
        return f"getattr({names.of(owner)}, {key})"
    if slots.read is getitem or type(owner) in (dict, OrderedDict):
        return f"{names.of(owner)}[{key}]"
    return f"{names.of(owner)}.get({key}, {names.of(MISSING)})"  # a defaultdict would add what is missing
