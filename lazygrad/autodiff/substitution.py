"""A computation repeated with other inputs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lazygrad.ir.graph import topological_order
from lazygrad.ir.node import Node


def substituted(roots: Sequence[Node], replacements: Mapping[Node, Node], shares: bool = True) -> list[Node]:
    """``roots`` computed with some nodes replaced.

    Args:
        roots: any nodes.
        replacements: what takes the place of some of the nodes that they are computed from.
        shares: whether what does not depend on those stays the same node; otherwise it is computed anew, too.
    """

    def inputs_of(node: Node) -> tuple[Node, ...]:
        return () if node in replacements else node.inputs

    copies = dict(replacements)
    for node in topological_order(roots, inputs_of):
        if node in copies:
            continue
        inputs = tuple([copies[source] for source in node.inputs])
        if inputs == node.inputs and (shares or not inputs):
            copies[node] = node
            continue
        copy = copies[node] = Node(node.op, inputs, node.attrs, node.type)
        copy.origin = node.origin
    return [copies[root] for root in roots]
