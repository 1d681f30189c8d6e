"""Reads the values an earlier run stored. Comes after differentiation, which needs their history."""

from __future__ import annotations

from lazygrad.ir.graph import Graph
from lazygrad.ir.node import Node
from lazygrad.ir.watching import applied
from lazygrad.passes.rewrite import with_inputs


def reuse_realized(graph: Graph) -> Graph:
    """Replace every node of ``graph.realized`` by its buffer, so that nothing is computed twice."""
    if not graph.realized:
        return graph
    replaced: dict[Node, Node] = {}
    for node in graph.nodes:
        leaf = graph.realized.get(node)
        if leaf is not None:
            replaced[node] = leaf
            applied(f"read the stored {node.op.name}")
        else:
            replaced[node] = with_inputs(node, tuple([replaced[source] for source in node.inputs]))
    result = graph.replaced(replaced)
    return Graph(result.roots, result.names, result.watched)
