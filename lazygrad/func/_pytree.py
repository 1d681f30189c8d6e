"""Nested containers of tensors: taken apart into a list of leaves and a structure, and put together again."""

from __future__ import annotations

from collections import OrderedDict, defaultdict, deque
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Structure:
    """The shape of a nested container. Structures of equal containers are equal; ``str`` shows leaves as ``*``.

    Attributes:
        kind: the container's class; None for a leaf.
        keys: of a dictionary, its keys; of a defaultdict, preceded by its factory.
        children: the structures inside.
    """

    kind: type | None = None
    keys: tuple[Any, ...] = ()
    children: tuple[Structure, ...] = ()

    def unflatten(self, leaves: Iterable[Any]) -> Any:
        """The container with these leaves, in the order in which `flatten` gives them."""
        return self._take(iter(leaves))

    def _take(self, leaves: Any) -> Any:
        if self.kind is None:
            return next(leaves)
        items = [child._take(leaves) for child in self.children]
        if issubclass(self.kind, defaultdict):
            return self.kind(self.keys[0], zip(self.keys[1:], items, strict=True))
        if issubclass(self.kind, dict):
            return self.kind(zip(self.keys, items, strict=True))
        kind: Any = self.kind
        return kind(*items) if hasattr(kind, "_fields") else kind(items)

    def __len__(self) -> int:
        """How many leaves there are."""
        return 1 if self.kind is None else sum(len(child) for child in self.children)

    def __str__(self) -> str:
        if self.kind is None:
            return "*"
        if issubclass(self.kind, dict):
            names = self.keys[1:] if issubclass(self.kind, defaultdict) else self.keys
            inside = ", ".join(f"{key!r}: {child}" for key, child in zip(names, self.children, strict=True))
            return "{" + inside + "}"
        inside = ", ".join(map(str, self.children))
        if self.kind is list:
            return f"[{inside}]"
        return f"({inside}{',' if len(self.children) == 1 else ''})"


LEAF = Structure()


def flatten(tree: Any) -> tuple[list[Any], Structure]:
    """The leaves of nested dictionaries, lists, tuples, named tuples and deques, and what holds them.

    Anything else is a leaf, None included.
    """
    if _is_leaf(tree):
        return [tree], LEAF
    keys: tuple[Any, ...] = tuple(tree) if isinstance(tree, dict) else ()
    parts = [flatten(item) for item in (tree.values() if isinstance(tree, dict) else tree)]
    if isinstance(tree, defaultdict):
        keys = (tree.default_factory, *keys)
    children = tuple(structure for _, structure in parts)
    return [leaf for leaves, _ in parts for leaf in leaves], Structure(type(tree), keys, children)


def _is_leaf(tree: Any) -> bool:
    kind = type(tree)
    return kind not in (dict, OrderedDict, defaultdict, list, tuple, deque) and not (
        isinstance(tree, tuple) and hasattr(kind, "_fields")
    )


def leaves_of(tree: Any) -> list[Any]:
    """The leaves alone."""
    return flatten(tree)[0]


def broadcast(prefix: Any, structure: Structure) -> list[Any] | None:
    """One item per leaf of ``structure`` from a container whose leaves stand for whole parts; None if it misfits."""
    if _is_leaf(prefix):
        return [prefix] * len(structure)
    given = Structure(type(prefix), flatten(prefix)[1].keys)
    if (given.kind, given.keys) != (structure.kind, structure.keys) or len(prefix) != len(structure.children):
        return None
    result: list[Any] = []
    for item, child in zip(prefix.values() if isinstance(prefix, dict) else prefix, structure.children, strict=True):
        part = broadcast(item, child)
        if part is None:
            return None
        result += part
    return result
