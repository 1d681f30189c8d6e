"""Hooks on patterns: what ``match`` asks of its subject, and the parts that it takes out of it."""

from __future__ import annotations

from typing import Any

from lazygrad.compiling.attributes import Attributes
from lazygrad.compiling.items import Items
from lazygrad.compiling.plain import DICTS, TUPLES, is_heap_type
from lazygrad.compiling.reads import Reads

# Of a type, in CPython: what patterns take it for.
_SEQUENCE, _MAPPING, _MATCHES_ITSELF = 1 << 5, 1 << 6, 1 << 22


class Matching:
    """Patterns that take their subject apart. Each hook returns the parts, or None where the subject does not match."""

    def __init__(self, reads: Reads, attributes: Attributes, items: Items) -> None:
        self._reads, self._attributes, self._items = reads, attributes, items

    def match_sequence(self, value: Any, before: int, after: int | None) -> tuple[Any, ...] | None:
        """``[…]`` of ``before`` items, with ``after`` ones behind a starred name unless that is None."""
        if not self._is_a(value, _SEQUENCE):
            return None
        items = [*self._items.iterate(value)]
        if after is None:
            return tuple(items) if len(items) == before else None
        end = len(items) - after
        return (*items[:before], self._reads.made(items[before:end]), *items[end:]) if before <= end else None

    def match_mapping(self, value: Any, keys: tuple[Any, ...], takes_rest: bool) -> tuple[Any, ...] | None:
        """``{…}`` with these keys, and what else there is as a dictionary."""
        if not self._is_a(value, _MAPPING):
            return None
        if type(value) not in DICTS:
            self._reads.refuse(f"takes a {type(value).__qualname__} apart")
        parts = []
        for key in map(self._items.key, keys):
            if key not in value:
                if not self._reads.is_own(value):
                    self._reads.entry(value, key, f"a key of a {type(value).__name__}")
                return None
            parts.append(self._items.item(value, key))
        if takes_rest:
            rest = {key: item for key, item in self._items.mapping(value).items() if key not in keys}
            parts.append(self._reads.made(rest))
        return tuple(parts)

    def match_class(self, value: Any, cls: Any, count: int, named: tuple[str, ...]) -> tuple[Any, ...] | None:
        """``Class(…)`` with ``count`` patterns by position, and some by name."""
        if not self._attributes.isinstance(value, cls):
            return None
        parts, order = [], ()
        if count:
            order = self._attributes.getattr(cls, "__match_args__", None)
            if order is None:
                order = ()
                if cls.__flags__ & _MATCHES_ITSELF:
                    parts, count = [value], count - 1
            if len(order) < count:
                raise TypeError(f"{cls.__name__}() accepts {len(order)} positional sub-patterns ({count} given)")
        names = *order[:count], *named
        for number, name in enumerate(names):
            if name in names[:number]:
                raise TypeError(f"{cls.__name__}() got multiple sub-patterns for attribute {name!r}")
            part = self._attributes.getattr(value, name, _MISSING)
            if part is _MISSING:
                return None
            parts.append(part)
        return tuple(parts)

    def _is_a(self, value: Any, kind: int) -> bool:
        """Whether patterns take a value for one; registering a class changes the answer."""
        if is_heap_type(type(value)) and type(value) not in (*DICTS, *TUPLES):
            self._reads.refuse(f"matches a {type(value).__qualname__} with the pattern of a sequence or mapping")
        return bool(type(value).__flags__ & kind)


_MISSING = object()
