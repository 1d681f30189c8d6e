"""Expand the recorded `grad` nodes: one reverse sweep per output and cotangent, inner gradients first."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType

from lazygrad.autodiff.reverse import reverse_sweep
from lazygrad.ir.build import zeros_like
from lazygrad.ir.graph import Graph, topological_order
from lazygrad.ir.node import Node, make_node
from lazygrad.ir.primitives.gradient import grad
from lazygrad.ir.primitives.leaf import straight_through
from lazygrad.passes.rewrite import with_inputs


def differentiate(graph: Graph) -> Graph:
    """``graph`` with every `grad` node spelled out.

    Nodes are told apart by identity, never merged: two equal leaves are two variables. A node that no `grad` node
    lies upstream of stays the same object.
    """
    gradients = [node for node in graph.nodes if node.op is grad]
    return graph.replaced(_Differentiation(graph.nodes, gradients).run()) if gradients else graph


def spelled_out(roots: Sequence[Node], since: int, boundary: Collection[Node] = ()) -> list[Node]:
    """``roots`` with the gradients they are computed from spelled out; see `expansions`."""
    expanded = expansions(roots, since, boundary)
    return [expanded.get(root, root) for root in roots]


def expansions(roots: Sequence[Node], since: int, boundary: Collection[Node] = ()) -> dict[Node, Node]:
    """For each node below ``roots`` that is computed from gradients, what it is with these spelled out.

    Args:
        roots: any nodes.
        since: look into nodes of greater serials, and as far back as the gradients among them reach.
        boundary: nodes that are not looked into.
    """

    def inside(node: Node) -> tuple[Node, ...]:
        return node.inputs if node.serial > since and node not in boundary else ()

    while True:
        nodes = [node for node in topological_order(roots, inside) if inside(node)]
        gradients = [node for node in nodes if node.op is grad]
        reach = min((target.serial for *_, target in (node.inputs for node in gradients)), default=since)
        if reach >= since:
            break
        since = reach
    return _Differentiation(nodes, gradients).run() if gradients else {}


def differentiated(nodes: list[Node], leaves: Mapping[Node, Node]) -> dict[Node, Node]:
    """For each of ``nodes``, inputs first, what it is with the gradients among them spelled out.

    Args:
        leaves: what to take for some of the nodes, at which gradients end.
    """
    return _Differentiation(nodes, [node for node in nodes if node.op is grad and node not in leaves], leaves).run()


class _Differentiation:
    """Inputs of the nodes that are not among them stay as they are, and so do the keys of ``leaves``."""

    def __init__(
        self, nodes: list[Node], gradients: list[Node], leaves: Mapping[Node, Node] = MappingProxyType({})
    ) -> None:
        self.nodes = [node for node in nodes if node not in leaves]
        covered = set(self.nodes)
        self.expanded = {source: source for node in nodes for source in node.inputs if source not in covered}
        self.expanded.update(leaves)
        self.targets: dict[tuple[Node, Node], list[Node]] = defaultdict(list)
        for node in gradients:
            output, cotangent, target = node.inputs
            self.targets[output, cotangent].append(target)
        self.differentiated = {target for group in self.targets.values() for target in group}
        self.sweeps: dict[tuple[Node, Node], dict[Node, Node]] = {}

    def run(self) -> dict[Node, Node]:
        expanded = self.expanded
        for node in self.nodes:
            if node.op is grad:
                expanded[node] = self._gradient(node)
                continue
            expanded[node] = node
            for source in node.inputs:
                if expanded[source] is not source:
                    expanded[node] = self._rebuilt(node)
                    break
        return expanded

    def _rebuilt(self, node: Node) -> Node:
        rebuilt = with_inputs(node, tuple([self.expanded[source] for source in node.inputs]))
        rebuilt.value = node.value
        return rebuilt

    def _gradient(self, node: Node) -> Node:
        output, cotangent, target = node.inputs
        found = self.sweeps.get((output, cotangent))
        if found is None:
            found = self.sweeps[output, cotangent] = self._sweep(output, cotangent)
        gradient = found.get(self.expanded[target]) or zeros_like(target)
        if node not in self.differentiated and node.value is None:
            return gradient
        # Two gradients may be one node, or the cotangent itself; as variables, and as stored values, they are apart.
        alias = make_node(straight_through, (gradient, gradient), (), node.origin)
        alias.value = node.value
        return alias

    def _sweep(self, output: Node, cotangent: Node) -> dict[Node, Node]:
        # A target not expanded yet comes after the output, which therefore does not depend on it.
        targets = [self.expanded[target] for target in self.targets[output, cotangent] if target in self.expanded]
        return reverse_sweep(self.expanded[output], self.expanded[cotangent], targets)
