"""Common subexpression elimination: equal computations become one node."""

from __future__ import annotations

from typing import Any

from lazygrad.ir.graph import Graph
from lazygrad.ir.node import Node
from lazygrad.ir.primitives.leaf import buffer, scalar
from lazygrad.ir.watching import applied
from lazygrad.passes.rewrite import with_inputs


def cse(graph: Graph) -> Graph:
    """Share nodes of equal op, attributes, type and inputs; the first one's provenance stays.

    Buffers and runtime scalars are told apart by their slots; ones without a slot stay as they are.
    """
    shared: dict[tuple[Any, ...], Node] = {}
    replaced: dict[Node, Node] = {}
    for node in graph.nodes:
        current = with_inputs(node, tuple([replaced[source] for source in node.inputs]))
        if current.op in (buffer, scalar) and current["slot"] is None:
            replaced[node] = current
            continue
        key = (current.op, current.attrs, current.type, current.inputs)
        first = replaced[node] = shared.setdefault(key, current)
        if first is not current:
            applied(f"share {node.op.name}")
    return graph.replaced(replaced)
