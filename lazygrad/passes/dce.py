"""Dead code elimination: what no root needs is not part of the graph."""

from __future__ import annotations

from lazygrad.ir.graph import Graph


def dce(graph: Graph) -> Graph:
    """The nodes reachable from the roots, and only their names."""
    kept = set(graph.nodes)
    names = {node: name for node, name in graph.names.items() if node in kept}
    watched = [node if node in kept else None for node in graph.watched]
    return Graph(graph.roots, names, watched, nodes=graph.nodes)
