"""`torch.utils._pytree`: functions over the leaves of nested containers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from lazygrad.pytree import (
    CONTAINERS,
    LEAF,
    Container,
    IsLeaf,
    Structure,
    children_of,
    flatten,
    is_class_of_containers,
    is_single,
)

__all__ = [
    "GetAttrKey",
    "LeafSpec",
    "MappingKey",
    "NodeDef",
    "PyTree",
    "SUPPORTED_NODES",
    "SequenceKey",
    "TreeSpec",
    "keystr",
    "register_pytree_node",
    "tree_all",
    "tree_all_only",
    "tree_any",
    "tree_any_only",
    "tree_flatten",
    "tree_flatten_with_path",
    "tree_is_leaf",
    "tree_iter",
    "tree_leaves",
    "tree_leaves_with_path",
    "tree_map",
    "tree_map_",
    "tree_map_only",
    "tree_map_only_",
    "tree_map_with_path",
    "tree_structure",
    "tree_unflatten",
]

PyTree = Any
TreeSpec = Structure


def LeafSpec() -> Structure:
    """The structure of a leaf."""
    return LEAF


class SequenceKey(NamedTuple):
    """A place in a list or tuple."""

    idx: int

    def __str__(self) -> str:
        return f"[{self.idx!r}]"


class MappingKey(NamedTuple):
    """A key of a dictionary."""

    key: Any

    def __str__(self) -> str:
        return f"[{self.key!r}]"


class GetAttrKey(NamedTuple):
    """A field of a named tuple."""

    name: str

    def __str__(self) -> str:
        return f".{self.name}"


Path = tuple[SequenceKey | MappingKey | GetAttrKey, ...]


def register_pytree_node(
    cls: type,
    flatten_fn: Callable[[Any], tuple[Iterable[Any], Any]],
    unflatten_fn: Callable[[Iterable[Any], Any], Any],
    **more: Any,
) -> None:
    """Let a class be a container.

    Args:
        cls: the class itself; subclasses are not meant.
        flatten_fn: of a container, its items and a context that is compared by ``==``.
        unflatten_fn: of items and a context, the container.
        more: accepted; names for files that PyTorch's exporter writes.

    Raises:
        ValueError: it is one already.
    """
    if cls in CONTAINERS:
        raise ValueError(f"{cls} is already registered as pytree node.")
    CONTAINERS[cls] = Container(flatten_fn, unflatten_fn)


class NodeDef(NamedTuple):
    """How a class of containers is taken apart, as PyTorch's table has it.

    Attributes:
        type: the class.
        flatten_fn: of a container, its items, and what `TreeSpec` takes beside the class and the items' structures.
    """

    type: type
    flatten_fn: Callable[[Any], tuple[list[Any], Any]]


class _ContainersByClass:
    """The table of all classes of containers, to look one up."""

    def __contains__(self, kind: object) -> bool:
        return isinstance(kind, type) and is_class_of_containers(kind)

    def __getitem__(self, kind: type) -> NodeDef:
        if kind not in self:
            raise KeyError(kind)
        return NodeDef(kind, children_of)


SUPPORTED_NODES = _ContainersByClass()


def _get_node_type(tree: PyTree) -> type:
    """The class by which `SUPPORTED_NODES` knows a container."""
    return type(tree)


def tree_is_leaf(tree: PyTree, is_leaf: IsLeaf | None = None) -> bool:
    """Whether a value is no container."""
    return is_single(tree) or (is_leaf is not None and is_leaf(tree))


def tree_flatten(tree: PyTree, is_leaf: IsLeaf | None = None) -> tuple[list[Any], TreeSpec]:
    """The leaves, and the structure that `tree_unflatten` takes."""
    return flatten(tree, is_leaf)


def tree_unflatten(leaves: Iterable[Any], treespec: TreeSpec) -> PyTree:
    """Containers of this structure with other leaves.

    Raises:
        ValueError: there are more or fewer leaves.
    """
    found = list(leaves)
    if len(found) != len(treespec):
        raise ValueError(
            f"tree_unflatten(leaves, treespec): `leaves` has length {len(found)} but the spec refers to a pytree that "
            f"holds {len(treespec)} items ({treespec})."
        )
    return treespec.unflatten(found)


def tree_leaves(tree: PyTree, is_leaf: IsLeaf | None = None) -> list[Any]:
    """The leaves alone."""
    return flatten(tree, is_leaf)[0]


def tree_iter(tree: PyTree, is_leaf: IsLeaf | None = None) -> Iterator[Any]:
    """The leaves, one after another."""
    return iter(tree_leaves(tree, is_leaf))


def tree_structure(tree: PyTree, is_leaf: IsLeaf | None = None) -> TreeSpec:
    """The structure alone."""
    return flatten(tree, is_leaf)[1]


def tree_map(func: Callable[..., Any], tree: PyTree, *rests: PyTree, is_leaf: IsLeaf | None = None) -> PyTree:
    """The same containers with what a function gives of their leaves.

    Raises:
        ValueError: ``rests`` have other structures.
    """
    leaves, structure = flatten(tree, is_leaf)
    others = [flatten(rest, is_leaf) for rest in rests]
    if any(other != structure for _, other in others):
        raise ValueError(f"trees of different structures: {structure} and {', '.join(str(o) for _, o in others)}")
    return structure.unflatten(map(func, leaves, *[other for other, _ in others]))


def tree_map_(func: Callable[..., Any], tree: PyTree, *rests: PyTree, is_leaf: IsLeaf | None = None) -> PyTree:
    """Call a function with each leaf, for what it does; gives ``tree``."""
    tree_map(func, tree, *rests, is_leaf=is_leaf)
    return tree


def _only(kinds: Any, function: Callable[[Any], Any], otherwise: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """``function`` of leaves that are of ``kinds``: a class, classes, or a predicate."""
    is_meant = (lambda x: isinstance(x, kinds)) if isinstance(kinds, (type, tuple)) or not callable(kinds) else kinds
    return lambda leaf: function(leaf) if is_meant(leaf) else otherwise(leaf)


def tree_map_only(kinds: Any, func: Callable[[Any], Any], tree: PyTree, is_leaf: IsLeaf | None = None) -> PyTree:
    """`tree_map` of the leaves of some classes; the others stay as they are."""
    return tree_map(_only(kinds, func, lambda leaf: leaf), tree, is_leaf=is_leaf)


def tree_map_only_(kinds: Any, func: Callable[[Any], Any], tree: PyTree, is_leaf: IsLeaf | None = None) -> PyTree:
    """`tree_map_` of the leaves of some classes."""
    return tree_map_(_only(kinds, func, lambda leaf: leaf), tree, is_leaf=is_leaf)


def tree_all(pred: Callable[[Any], bool], tree: PyTree, is_leaf: IsLeaf | None = None) -> bool:
    """Whether it holds for all leaves."""
    return all(map(pred, tree_leaves(tree, is_leaf)))


def tree_any(pred: Callable[[Any], bool], tree: PyTree, is_leaf: IsLeaf | None = None) -> bool:
    """Whether it holds for a leaf."""
    return any(map(pred, tree_leaves(tree, is_leaf)))


def tree_all_only(kinds: Any, pred: Callable[[Any], bool], tree: PyTree, is_leaf: IsLeaf | None = None) -> bool:
    """Whether it holds for all leaves of some classes."""
    return tree_all(_only(kinds, pred, lambda leaf: True), tree, is_leaf)


def tree_any_only(kinds: Any, pred: Callable[[Any], bool], tree: PyTree, is_leaf: IsLeaf | None = None) -> bool:
    """Whether it holds for a leaf of some classes."""
    return tree_any(_only(kinds, pred, lambda leaf: False), tree, is_leaf)


def tree_flatten_with_path(tree: PyTree, is_leaf: IsLeaf | None = None) -> tuple[list[tuple[Path, Any]], TreeSpec]:
    """The leaves with the keys on the way to them, and the structure."""
    return list(_with_paths((), tree, is_leaf)), tree_structure(tree, is_leaf)


def tree_leaves_with_path(tree: PyTree, is_leaf: IsLeaf | None = None) -> list[tuple[Path, Any]]:
    """The leaves with the keys on the way to them."""
    return list(_with_paths((), tree, is_leaf))


def tree_map_with_path(func: Callable[..., Any], tree: PyTree, is_leaf: IsLeaf | None = None) -> PyTree:
    """`tree_map` of a function that is also given the keys on the way."""
    leaves, structure = tree_flatten_with_path(tree, is_leaf)
    return structure.unflatten(func(path, leaf) for path, leaf in leaves)


def _with_paths(path: Path, tree: PyTree, is_leaf: IsLeaf | None) -> Iterator[tuple[Path, Any]]:
    if tree_is_leaf(tree, is_leaf):
        yield path, tree
        return
    items, _ = children_of(tree)
    keys: list[Any]
    if isinstance(tree, dict):
        keys = [MappingKey(key) for key in tree]
    elif hasattr(tree, "_fields"):
        keys = [GetAttrKey(name) for name in tree._fields]
    else:
        keys = [SequenceKey(number) for number in range(len(items))]
    for key, item in zip(keys, items, strict=True):
        yield from _with_paths((*path, key), item, is_leaf)


def keystr(kp: Path) -> str:
    """A path as Python writes it: ``['layers'][0].weight``."""
    return "".join(map(str, kp))
