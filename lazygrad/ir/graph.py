"""Graph: the values reachable from some roots, in an order where inputs come first. All walks are iterative."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from math import inf
from operator import attrgetter
from typing import TYPE_CHECKING

from lazygrad.ir.network import AsNetwork, network
from lazygrad.ir.node import Node
from lazygrad.ir.printing import print_graph
from lazygrad.ir.watching import replaced

if TYPE_CHECKING:
    import networkx


def topological_order(roots: Iterable[Node], inputs_of: Callable[[Node], tuple[Node, ...]] | None = None) -> list[Node]:
    """Every node reachable from ``roots``, each after its inputs, deterministically.

    Args:
        roots: where to start.
        inputs_of: which inputs to follow; default all.
    """
    order: list[Node] = []
    seen: set[Node] = set()
    waiting: list[Node] = []  # for their inputs; a None on the stack lies below those of the last
    stack: list[Node | None] = list(roots)
    stack.reverse()
    while stack:
        node = stack.pop()
        if node is None:
            order.append(waiting.pop())
        elif node not in seen:
            seen.add(node)
            inputs = inputs_of(node) if inputs_of else node.inputs
            if inputs:
                waiting.append(node)
                stack.append(None)
                stack += inputs[::-1]
            else:
                order.append(node)
    return order


def latest_first(nodes: Iterable[Node], inputs_of: Callable[[Node], tuple[Node, ...]]) -> list[Node]:
    """The order in which PyTorch's backward pass comes by: what was recorded last first, a leaf when it is complete.

    Args:
        nodes: in any order.
        inputs_of: what gradients flow on to from each of them; a leaf is one from which they flow no further.
    """
    nodes = list(nodes)
    sources = {node: inputs_of(node) for node in nodes}
    last_reader = {source: node.serial for node in sorted(nodes, key=_serial, reverse=True) for source in sources[node]}

    def place(node: Node) -> tuple[float, bool]:
        return (node.serial, True) if sources[node] else (last_reader.get(node, inf), False)

    return sorted(nodes, key=place, reverse=True)


_serial = attrgetter("serial")


class Graph(AsNetwork):
    """A program: ``roots`` are its results.

    Attributes:
        roots: the results, in order; a node may occur twice.
        names: names of leaves, such as parameter paths.
        watched: nodes whose buffers are worth keeping if they get one; None where a pass made one superfluous.
        realized: for nodes computed by an earlier run, the buffer leaf that holds their value.
        nodes: all nodes, inputs first; found by a walk from the roots unless the caller knows them.
    """

    __slots__ = ("names", "nodes", "realized", "roots", "watched")

    def __init__(
        self,
        roots: Iterable[Node],
        names: dict[Node, str] | None = None,
        watched: Iterable[Node | None] = (),
        realized: dict[Node, Node] | None = None,
        nodes: list[Node] | None = None,
    ) -> None:
        self.roots = tuple(roots)
        self.names = names or {}
        self.watched = tuple(watched)
        self.realized = realized or {}
        self.nodes = topological_order(self.roots) if nodes is None else nodes

    def __len__(self) -> int:
        return len(self.nodes)

    def replaced(self, mapping: dict[Node, Node]) -> Graph:
        """The graph after a pass: roots, names and watched nodes follow ``mapping`` from old to new nodes."""
        if all([mapping[node] is node for node in self.nodes]):
            return self
        replaced(mapping)
        names = {mapping.get(node, node): name for node, name in self.names.items()}
        watched = [mapping.get(node) if node is not None else None for node in self.watched]
        realized = {mapping[node]: leaf for node, leaf in self.realized.items() if node in mapping}
        return Graph([mapping[root] for root in self.roots], names, watched, realized)

    def to_networkx(self) -> networkx.MultiDiGraph:
        """The graph as ``networkx.MultiDiGraph``; vertices are numbers as in the text, edges carry ``position``."""
        return network(self.nodes, self.roots, self.names)

    def __str__(self) -> str:
        return print_graph(self.nodes, self.roots, self.names)

    __repr__ = __str__
