"""The rewriter every local pass uses: rules see a node whose inputs are already rewritten."""

from __future__ import annotations

from collections.abc import Callable

from lazygrad.ir.graph import Graph, topological_order
from lazygrad.ir.node import Node, deriving_from

RewriteRule = Callable[[Node], Node | None]


def with_inputs(node: Node, inputs: tuple[Node, ...]) -> Node:
    """``node`` computing from ``inputs`` instead; itself when nothing changes."""
    if inputs == node.inputs:  # nodes are equal only to themselves
        return node
    copy = Node(node.op, inputs, node.attrs, node.type)
    copy.origin = node.origin
    return copy


class Rewriter:
    """Applies ``rule`` bottom-up until no node changes.

    A rule returns None to leave a node alone, or a replacement that may contain new nodes; those are rewritten
    too, and inherit the origin of the node they replace.
    """

    def __init__(self, rule: RewriteRule) -> None:
        self.rule = rule
        self.replaced: dict[Node, Node] = {}

    def run(self, graph: Graph) -> Graph:
        for node in graph.nodes:
            self.settle(node)
        return graph.replaced(self.replaced)

    def settle(self, node: Node) -> Node:
        """The final form of ``node``; its inputs must be settled already."""
        done = self.replaced.get(node)
        if done is not None:
            return done
        current = with_inputs(node, tuple([self.replaced[source] for source in node.inputs]))
        while True:
            with deriving_from(current.origin):
                replacement = self.rule(current)
            if replacement is None:
                break
            for fresh in topological_order([replacement], self._unsettled_inputs):
                if fresh is not replacement:
                    self.settle(fresh)
            if replacement in self.replaced:
                current = self.replaced[replacement]
                break
            current = with_inputs(replacement, tuple([self.replaced[source] for source in replacement.inputs]))
        self.replaced[node] = current
        self.replaced[current] = current
        return current

    def _unsettled_inputs(self, node: Node) -> tuple[Node, ...]:
        return () if node in self.replaced else node.inputs


def rewrite(graph: Graph, rule: RewriteRule) -> Graph:
    """``graph`` with ``rule`` applied everywhere, see `Rewriter`."""
    return Rewriter(rule).run(graph)
