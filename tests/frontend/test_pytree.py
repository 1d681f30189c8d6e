"""`utils._pytree`: PyTorch's functions over nested containers, beside PyTorch's own."""

from __future__ import annotations

from collections import OrderedDict, defaultdict, deque, namedtuple
from typing import Any

import pytest

from lazygrad.utils import _pytree as ours

Pair = namedtuple("Pair", "first second")
TREES = [
    5,
    None,
    [1, (2, None), {"b": 3, "a": [4]}],
    Pair([1, 2], {"x": ()}),
    OrderedDict(z=1, a=(2, 3)),
    defaultdict(list, k=[1, 2]),
    deque([1, [2]]),
    {"empty": [], "deep": [[[7]]]},
]


class Box:
    """A container of a user's own."""

    def __init__(self, items: list[Any], label: str) -> None:
        self.items, self.label = items, label

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Box) and (self.items, self.label) == (other.items, other.label)

    __hash__ = None  # type: ignore[assignment]


@pytest.fixture(scope="module")
def theirs() -> Any:
    return pytest.importorskip("torch.utils._pytree", reason="torch is the oracle, and is not installed")


def _is_int(leaf: Any) -> bool:
    return isinstance(leaf, int)


@pytest.mark.parametrize("tree", TREES, ids=repr)
def test_agrees_with_torch(theirs: Any, tree: Any) -> None:
    def texts(library: Any) -> list[Any]:
        leaves, structure = library.tree_flatten(tree)
        with_path = library.tree_flatten_with_path(tree)[0]
        return [
            leaves,
            library.tree_unflatten([f"<{leaf}>" for leaf in leaves], structure),
            library.tree_map(repr, tree),
            library.tree_map(lambda a, b: (a, b), tree, tree),
            library.tree_map_only(int, lambda number: number + 1, tree),
            library.tree_map(lambda part: 0, tree, is_leaf=lambda part: isinstance(part, (list, Pair))),
            library.tree_leaves(tree) == list(library.tree_iter(tree)),
            (library.tree_all(_is_int, tree), library.tree_any(_is_int, tree)),
            (library.tree_all_only(int, bool, tree), library.tree_any_only(int, lambda n: n > 3, tree)),
            [(library.keystr(path), leaf) for path, leaf in with_path],
            library.tree_structure(tree) == library.tree_structure(tree),
        ]

    assert texts(ours) == texts(theirs)


def test_a_class_of_a_user_is_a_container(theirs: Any) -> None:
    for library in (ours, theirs):
        library.register_pytree_node(Box, lambda box: (box.items, box.label), lambda items, label: Box([*items], label))
        tree = {"box": Box([1, (2, 3)], "of ints")}
        assert library.tree_leaves(tree) == [1, 2, 3]
        assert library.tree_map(str, tree) == {"box": Box(["1", ("2", "3")], "of ints")}
        assert library.tree_structure(tree) != library.tree_structure({"box": Box([1, (2, 3)], "other")})
        with pytest.raises(ValueError, match="already registered"):
            library.register_pytree_node(Box, list, list)


def test_other_structures_are_refused() -> None:
    with pytest.raises(ValueError, match="different structures"):
        ours.tree_map(max, [1, 2], [1])
    with pytest.raises(ValueError, match="`leaves` has length 1"):
        ours.tree_unflatten([1], ours.tree_structure([1, 2]))


def test_containers_are_taken_apart_by_a_librarys_own_rule(theirs: Any) -> None:
    """As a library does that wants lists of numbers left whole."""

    def flatten(pytree: Any, tree: Any) -> tuple[list[Any], Any]:
        kind = pytree._get_node_type(tree)
        if kind not in pytree.SUPPORTED_NODES:
            return [tree], pytree.LeafSpec()
        items, context = pytree.SUPPORTED_NODES[kind].flatten_fn(tree)
        if all(isinstance(item, int) for item in items):
            return [tree], pytree.LeafSpec()
        parts = [flatten(pytree, item) for item in items]
        leaves = [leaf for found, _ in parts for leaf in found]
        return leaves, pytree.TreeSpec(kind, context, [structure for _, structure in parts])

    tree = {"a": [1, 2], "b": (Pair("x", [3]), OrderedDict(c=None)), "d": defaultdict(list, e=["y", [4]])}
    found = []
    for pytree in (ours, theirs):
        leaves, structure = flatten(pytree, tree)
        found.append((leaves, pytree.tree_unflatten([str(leaf) for leaf in leaves], structure)))
    assert found[0] == found[1] and type(found[0][1]["b"][0]) is Pair
    with pytest.raises(KeyError):
        _ = ours.SUPPORTED_NODES[int]
