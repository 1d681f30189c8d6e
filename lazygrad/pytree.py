"""Nested containers of tensors: taken apart into a list of leaves and a structure, and put together again."""

from __future__ import annotations

from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple


class Container(NamedTuple):
    """How a class of containers is taken apart and put together.

    Attributes:
        flatten: of a container, its items and a context, which is compared by ``==``.
        unflatten: of items and a context, the container.
    """

    flatten: Callable[[Any], tuple[Iterable[Any], Any]]
    unflatten: Callable[[Iterable[Any], Any], Any]


CONTAINERS: dict[type, Container] = {}
"""Classes of users, beside Python's own containers."""


@dataclass(frozen=True, slots=True)
class Structure:
    """The shape of a nested container. Structures of equal containers are equal; ``str`` shows leaves as ``*``.

    Attributes:
        kind: the container's class; None for a leaf.
        keys: of a dictionary, its keys; of a defaultdict, preceded by its factory; of a user's container, its context.
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
        if self.kind in CONTAINERS:
            return CONTAINERS[self.kind].unflatten(items, self.keys[0])
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


IsLeaf = Callable[[Any], bool]


def flatten(tree: Any, is_leaf: IsLeaf | None = None) -> tuple[list[Any], Structure]:
    """The leaves of nested dictionaries, lists, tuples, named tuples, deques and users' containers; the structure.

    Anything else is a leaf, None included, and what ``is_leaf`` says is one.
    """
    if is_single(tree) or (is_leaf is not None and is_leaf(tree)):
        return [tree], LEAF
    items, keys = children_of(tree)
    parts = [flatten(item, is_leaf) for item in items]
    children = tuple(structure for _, structure in parts)
    return [leaf for leaves, _ in parts for leaf in leaves], Structure(type(tree), keys, children)


def children_of(tree: Any) -> tuple[list[Any], tuple[Any, ...]]:
    """What a container holds, and the keys of its `Structure`."""
    if type(tree) in CONTAINERS:
        items, context = CONTAINERS[type(tree)].flatten(tree)
        return list(items), (context,)
    if not isinstance(tree, dict):
        return list(tree), ()
    factory = (tree.default_factory,) if isinstance(tree, defaultdict) else ()
    return list(tree.values()), (*factory, *tree)


def is_single(tree: Any) -> bool:
    """Whether something is no container."""
    return not is_class_of_containers(type(tree))


def is_class_of_containers(kind: type) -> bool:
    """Whether what is of this class is a container: Python's own classes, named tuples, and users' classes."""
    is_known = kind in (dict, OrderedDict, defaultdict, list, tuple, deque) or kind in CONTAINERS
    return is_known or (issubclass(kind, tuple) and hasattr(kind, "_fields"))


def leaves_of(tree: Any) -> list[Any]:
    """The leaves alone."""
    return flatten(tree)[0]


def broadcast(prefix: Any, structure: Structure) -> list[Any] | None:
    """One item per leaf of ``structure`` from a container whose leaves stand for whole parts; None if it misfits."""
    if is_single(prefix):
        return [prefix] * len(structure)
    items, keys = children_of(prefix)
    if (type(prefix), keys) != (structure.kind, structure.keys) or len(items) != len(structure.children):
        return None
    result: list[Any] = []
    for item, child in zip(items, structure.children, strict=True):
        part = broadcast(item, child)
        if part is None:
            return None
        result += part
    return result
