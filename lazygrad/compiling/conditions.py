"""Kinds of guards: how each reads what it watches, and the one expression that asks them all.

One entry of a dictionary costs about 25 ns, an empty container inside one `any` 12 ns. So what must be empty is
asked at once, and so is what one owner lacks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from keyword import iskeyword
from typing import Any, NamedTuple
from weakref import ref

from lazygrad.compiling.plain import is_atom


class _Missing:
    def __repr__(self) -> str:
        return "MISSING"


MISSING: Any = _Missing()  # the value of an attribute that is not there


class WeakOwner(ref[Any]):
    """Stands for an owner that a guard does not keep alive."""


class Guard(NamedTuple):
    """Reading ``owner`` under ``key`` gave ``value``; ``path`` is for people."""

    owner: Any
    key: Any
    value: Any
    path: str


class _Names:
    """Variables of generated code."""

    def __init__(self) -> None:
        self.objects: dict[str, Any] = {}

    def of(self, value: Any) -> str:
        name = f"x{id(value)}"
        self.objects[name] = value  # which lives as long as the name, so that no other gets its address
        return name


class Kind(NamedTuple):
    """What is read of a guard's owner.

    Attributes:
        read: what an owner has under a key now. Raises LookupError, AttributeError or ValueError for nothing.
        conditions: says of some guards that they read the very same objects. What must be empty may join a list.
    """

    read: Callable[[Any, Any], Any]
    conditions: Callable[[Iterable[Guard], _Names, list[Any]], Iterable[str]]


def compiled(guards: Mapping[Kind, Iterable[Guard]]) -> Callable[[], bool]:
    """A function that says whether every guard reads the very same object."""
    names = _Names()
    empty: list[Any] = []
    conditions = [each for kind, some in guards.items() for each in kind.conditions(some, names, empty)]
    if empty:
        conditions.insert(0, f"not {names.of(any)}({names.of(empty)})")
    # As default values the objects become local variables, which are read faster than global ones.
    given = ", ".join(f"{name}={name}" for name in names.objects)
    source = f"def identical({given}):\n    return {' and '.join(conditions) or True}\n"
    exec(compile(source, "<lazygrad guards>", "exec"), names.objects)
    identical: Callable[[], bool] = names.objects["identical"]
    return identical


def _lengths(guards: Iterable[Guard], names: _Names, empty: list[Any]) -> Iterator[str]:
    for owner, _, length, _ in guards:
        kind = type(owner)
        is_false_if_empty = kind.__len__ in (dict.__len__, list.__len__, set.__len__) and not hasattr(kind, "__bool__")
        if is_false_if_empty and not length:
            empty.append(owner)
        else:
            yield f"len({names.of(owner)}) == {length}"


def _absences(guards: Iterable[Guard], names: _Names, _: Any) -> Iterator[str]:
    absent: dict[int, tuple[Any, list[Any]]] = {}
    for owner, key, *_ in guards:
        absent.setdefault(id(owner), (owner, []))[1].append(key)
    for owner, keys in absent.values():
        if len(keys) < 3:
            yield from [f"{names.of(key)} not in {names.of(owner)}" for key in keys]
        else:
            yield f"{names.of(owner.keys().isdisjoint)}({names.of(frozenset(keys))})"


def _keys(guards: Iterable[Guard], names: _Names, empty: list[Any]) -> Iterator[str]:
    """Objects are compared by identity: their own comparison may be anything."""
    for owner, _, keys, _ in guards:
        if not keys:
            empty.append(owner)
        elif all(map(is_atom, keys)):
            yield f"[*{names.of(owner)}] == {names.of([*keys])}"
        else:
            yield f"[*map({names.of(id)}, {names.of(owner)})] == {names.of([*map(id, keys)])} and {names.of(keys)}"


def _classes(guards: Iterable[Guard], names: _Names, _: Any) -> Iterator[str]:
    return (f"type({names.of(guard.owner)}) is {names.of(guard.value)}" for guard in guards)


def _entries(guards: Iterable[Guard], names: _Names, _: Any) -> Iterator[str]:
    for owner, key, value, _path in guards:
        holder, place = names.of(owner), _literal(key, names)
        adds_what_is_missing = hasattr(type(owner), "__missing__")
        read = f"{holder}.get({place}, {names.of(MISSING)})" if adds_what_is_missing else f"{holder}[{place}]"
        yield f"{read} is {names.of(value)}"


def _attributes(guards: Iterable[Guard], names: _Names, _: Any) -> Iterator[str]:
    for owner, name, value, _path in guards:
        holder = f"{names.of(owner)}()" if isinstance(owner, WeakOwner) else names.of(owner)
        read = f"{holder}.{name}"
        if value is MISSING:
            read = f"getattr({holder}, {_literal(name, names)}, {names.of(MISSING)})"
        elif not (name.isascii() and name.isidentifier() and not iskeyword(name)):
            read = f"getattr({holder}, {_literal(name, names)})"
        yield f"{read} is {names.of(value)}"


def _steps(guards: Iterable[Guard], names: _Names, _: Any) -> Iterator[str]:
    return (f"{names.of(follower)}['step'] == {names.of(leader)}['step']" for follower, leader, *_ in guards)


def _zeros(guards: Iterable[Guard], names: _Names, _: Any) -> Iterator[str]:
    return (f"({names.of(owner)}[{_literal(key, names)}] == 0) is {is_zero}" for owner, key, is_zero, _ in guards)


def _literal(key: Any, names: _Names) -> str:
    is_short = type(key) is str or (type(key) is int and key.bit_length() < 64)
    return repr(key) if is_short else names.of(key)


def _read_attribute(owner: Any, name: str) -> Any:
    return getattr(owner() if isinstance(owner, WeakOwner) else owner, name)


LENGTH = Kind(lambda owner, _: len(owner), _lengths)
WITHOUT = Kind(lambda owner, key: key in owner, _absences)
CLASS = Kind(lambda owner, _: type(owner), _classes)
KEYS = Kind(lambda owner, _: tuple(owner), _keys)
ENTRY = Kind(lambda owner, key: owner[key] if isinstance(owner, list) else owner.get(key, MISSING), _entries)
ATTRIBUTE = Kind(_read_attribute, _attributes)
STEPS = Kind(lambda follower, leader: follower["step"] == leader["step"], _steps)
ZERO = Kind(lambda owner, key: owner[key] == 0, _zeros)
# Lengths first, so that what is looked up is there.
KINDS = (LENGTH, WITHOUT, CLASS, KEYS, ENTRY, ATTRIBUTE, STEPS, ZERO)
