"""The difference of two graphs as text, with one number for what is the same node in both."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import SequenceMatcher, unified_diff
from itertools import count
from typing import Any

from lazygrad.ir.graph import Graph
from lazygrad.ir.node import Node
from lazygrad.ir.printing import print_graph


class Difference(str):
    """Lines of text; a prompt shows them as they are. Empty, and so false, where nothing differs."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def difference(before: Graph, after: Graph, same: Mapping[Node, Node] | None = None) -> Difference:
    """The lines of ``before`` that are gone, with a minus, and those of ``after`` that are new, with a plus.

    Args:
        before, after: two programs.
        same: from nodes of ``before`` to those of ``after`` that stand for them; default: nodes of equal op, attributes
            and type, in an order that both graphs have. Where op and attributes are others, it is another node.

    Returns:
        Lines of the graphs' text form, each change with the line before and after it. Numbers are those of ``before``;
        what is new counts on from there. A line that only comes from another place in the program is the same.
    """
    pairs = _alike(before, after) if same is None else same.items()
    numbers = {node: f"%{i}" for i, node in enumerate(before.nodes)}
    theirs = {node: numbers[node] for node in after.nodes if node in numbers}
    for old, new in pairs:
        if old in numbers and _does_the_same(old, new):
            theirs.setdefault(new, numbers[old])
    fresh = count(len(numbers))
    for node in after.nodes:
        if node not in theirs:
            theirs[node] = f"%{next(fresh)}"
    (lines, bare), (theirs_lines, theirs_bare) = _texts(before, numbers), _texts(after, theirs)
    kept = dict(zip(bare, lines, strict=True))
    changes = _changes(lines, [kept.get(key, line) for key, line in zip(theirs_bare, theirs_lines, strict=True)])
    return Difference("\n".join(["…" if line.startswith("@@") else line for line in changes]))


def _texts(graph: Graph, numbers: Mapping[Node, str]) -> tuple[list[str], list[str]]:
    """The lines of a graph, with the places in the program that they come from, and without."""
    with_places, without = (
        print_graph(graph.nodes, graph.roots, graph.names, numbers, places).splitlines() for places in (True, False)
    )
    return with_places, without


def _changes(before: list[str], after: list[str]) -> list[str]:
    return list(unified_diff(before, after, n=1, lineterm=""))[2:]  # behind the names of files


def _alike(before: Graph, after: Graph) -> Iterable[tuple[Node, Node]]:
    first, second = ([_key(node) for node in graph.nodes] for graph in (before, after))
    for block in SequenceMatcher(None, first, second, autojunk=False).get_matching_blocks():
        for i in range(block.size):
            yield before.nodes[block.a + i], after.nodes[block.b + i]


def _key(node: Node) -> tuple[Any, ...]:
    return node.op, node.attrs, node.type


def _does_the_same(first: Node, second: Node) -> bool:
    return first.op is second.op and first.attrs == second.attrs
