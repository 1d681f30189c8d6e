"""Expand the recorded `grad` nodes: one reverse sweep per output and cotangent or chain of stages, inner ones first."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from lazygrad.autodiff.reverse import reverse_sweep
from lazygrad.ir.build import zeros_like
from lazygrad.ir.graph import Graph, topological_order
from lazygrad.ir.node import Node, make_node
from lazygrad.ir.op import Kind
from lazygrad.ir.primitives.gradient import STAGES, grad, gradient_path
from lazygrad.ir.primitives.leaf import detach, straight_through
from lazygrad.passes.gradient_stages import Chains
from lazygrad.passes.rewrite import with_inputs


def differentiate(graph: Graph) -> Graph:
    """``graph`` with every `grad` node spelled out.

    Nodes are told apart by identity, never merged: two equal leaves are two variables. A node that no `grad` node
    lies upstream of stays the same object.

    Raises:
        RuntimeError: a gradient for a node that its output is not computed from.
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


class SpelledOut(NamedTuple):
    """What gradients are.

    Attributes:
        replaced: of `grad` nodes, and of some nodes that are computed from them, what takes their place.
        outdated: other nodes that are computed from gradients. They read what takes the place of their inputs.
    """

    replaced: dict[Node, Node]
    outdated: set[Node]


def gradients_spelled_out(nodes: list[Node], leaves: Mapping[Node, Node]) -> SpelledOut:
    """What the `grad` nodes among ``nodes`` are, spelled out.

    Args:
        nodes: inputs first.
        leaves: what to take for some of the nodes, at which gradients end.
    """
    gradients = [node for node in nodes if node.op is grad and node not in leaves]
    differentiation = _Differentiation(nodes, gradients, leaves)
    return SpelledOut(differentiation.spelled_out(), differentiation.outdated)


class _Differentiation:
    """Inputs of the nodes that are not among them stay as they are, and so do the keys of ``leaves``.

    A node that reads what was replaced is made again only when that is asked for: most read gradients to update what
    nobody differentiates.
    """

    def __init__(
        self, nodes: list[Node], gradients: list[Node], leaves: Mapping[Node, Node] = MappingProxyType({})
    ) -> None:
        self.nodes = nodes
        self.leaves = leaves
        self.replaced: dict[Node, Node] = dict(leaves)
        self.outdated: set[Node] = set()  # nodes below which something was replaced, and that were not made again
        self.gradients = dict.fromkeys(gradients)
        self.targets: dict[tuple[Node, Node], list[Node]] = defaultdict(list)
        self.chains = Chains()
        for node in gradients:
            output, cotangent, target = node.inputs
            if output.op in STAGES:
                self.chains.add(node)
            else:
                self.targets[output, cotangent].append(target)
        self.differentiated = {node.inputs[2] for node in gradients}
        self.sweeps: dict[tuple[Node, Node], dict[Node, Node]] = {}

    def run(self) -> dict[Node, Node]:
        """What each node is, and each input of one."""
        self.spelled_out()
        everything = {source: source for node in self.nodes for source in node.inputs}
        everything.update(self.leaves)
        for node in self.nodes:
            everything[node] = self._expanded(node)
        return everything

    def spelled_out(self) -> dict[Node, Node]:
        """What those nodes are that something else takes the place of."""
        replaced, outdated, gradients = self.replaced, self.outdated, self.gradients
        for node in self.nodes:
            if node in replaced or node in gradients:
                continue
            for source in node.inputs:
                if source in replaced or source in outdated or source in gradients:
                    outdated.add(node)
                    break
        for node in gradients:
            self._spell_out(node)
        return replaced

    def _spell_out(self, node: Node) -> None:
        if node not in self.replaced:
            gradient = self._gradient(node)
            if node not in self.replaced:
                self._answer(node, gradient)

    def _answer(self, node: Node, gradient: Node) -> None:
        """Let ``gradient`` take the place of a `grad` node."""
        if node in self.differentiated or node.value is not None:
            # Two gradients may be one node, or the cotangent itself; as variables and stored values they are apart.
            alias = make_node(straight_through, (gradient, gradient), (), node.origin)
            alias.value = node.value
            gradient = alias
        self.replaced[node] = gradient

    def _expanded(self, node: Node) -> Node:
        """``node`` with the gradients that it is computed from spelled out."""
        if node in self.gradients:
            self._spell_out(node)
        elif node in self.outdated:
            for below in topological_order([node], self._outdated_inputs):
                if below in self.gradients:
                    self._spell_out(below)
                elif below in self.outdated:
                    self.replaced[below] = self._rebuilt(below)
                    self.outdated.remove(below)
        return self.replaced.get(node, node)

    def _outdated_inputs(self, node: Node) -> tuple[Node, ...]:
        return node.inputs if node in self.outdated else ()

    def _rebuilt(self, node: Node) -> Node:
        rebuilt = with_inputs(node, tuple([self.replaced.get(source, source) for source in node.inputs]))
        rebuilt.value = node.value
        return rebuilt

    def _gradient(self, node: Node) -> Node:
        output, cotangent, target = node.inputs
        if output.op in STAGES:
            self.chains.sweep(output, self._expanded, self._answer)
            return self.replaced.get(node) or _zeros(output, target)
        found = self.sweeps.get((output, cotangent))
        if found is None:
            found = self.sweeps[output, cotangent] = self._sweep(output, cotangent)
        return found.get(self._expanded(target)) or _zeros(output, target)

    def _sweep(self, output: Node, cotangent: Node) -> dict[Node, Node]:
        # What was made after the output is nothing that it depends on; it may be computed from these very gradients.
        targets = [
            self._expanded(target) for target in self.targets[output, cotangent] if target.serial <= output.serial
        ]
        return reverse_sweep(self._expanded(output), self._expanded(cotangent), targets)


def _zeros(output: Node, target: Node) -> Node:
    """The gradient of a target at which none arrives, although the output is computed from it, as in ``x.sign()``.

    Raises:
        RuntimeError: the output is not computed from it, as far as its history still says. Gradients are recorded only
            for what the output was computed from, so that this history was lost.
    """
    if not is_computed_from(output, target):
        raise RuntimeError(
            f"the gradient of a {output.op.name} {output.type} for a value {target.type} cannot be computed: the "
            f"history between them is gone ({target.origin or 'origin unknown'}); this is a fault of lazygrad"
        )
    return zeros_like(target)


def is_computed_from(output: Node, target: Node) -> bool:
    """Whether the history of ``output``, as far as gradients go back, holds ``target``."""

    def sources(node: Node) -> tuple[Node, ...]:
        if node.op is detach:
            return ()
        return gradient_path(node) if node.op.kind is Kind.CALLBACK else node.inputs

    return target in topological_order([output], sources)
