"""A part of a graph as a program of its own."""

from __future__ import annotations

from collections.abc import Container, Sequence

from lazygrad.ir.graph import Graph, topological_order
from lazygrad.ir.node import Node
from lazygrad.ir.primitives.leaf import buffer, leaf_node, scalar
from lazygrad.passes.rewrite import with_inputs


def cut(roots: Sequence[Node], leaves: Container[Node]) -> tuple[Graph, list[Node]]:
    """The graph of ``roots`` in which ``leaves`` are buffers; and which nodes these stand for, in slot order."""
    copies: dict[Node, Node] = {}
    buffers: list[Node] = []
    scalars = 0
    for node in topological_order(roots, lambda node: () if node in leaves else node.inputs):
        if node in leaves:
            copies[node] = leaf_node(buffer, (len(buffers),), node.type)
            buffers.append(node)
        elif node.op is scalar:
            copies[node] = leaf_node(scalar, (node["value"], scalars), node.type)
            scalars += 1
        else:
            copies[node] = with_inputs(node, tuple([copies[source] for source in node.inputs]))
    return Graph([copies[root] for root in roots]), buffers
