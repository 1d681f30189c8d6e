"""Printing a graph: one typed line per node. `lazygrad.ir.text` describes the form and reads it back."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lazygrad.ir.graph import Graph


def print_graph(graph: Graph) -> str:
    """``graph`` as text; `parse` gives an equal graph back."""
    numbers = {node: f"%{i}" for i, node in enumerate(graph.nodes)}
    heads = [f"{numbers[node]}: {node.type}" for node in graph.nodes]
    width = min(max((len(head) for head in heads), default=0), 32)
    lines = []
    for node, head in zip(graph.nodes, heads, strict=True):
        words = [node.op.name, *(numbers[source] for source in node.inputs)]
        words += [f"{name}={print_attribute(value)}" for name, value in node.named_attrs() if value is not None]
        line = f"{head:<{width}}  = {' '.join(words)}"
        if node in graph.names:
            line = f"{line:<60} {json.dumps(graph.names[node])}"
        if node.origin is not None and str(node.origin):
            line = f"{line:<72} # {node.origin}"
        lines.append(line)
    lines.append("return " + " ".join(numbers[root] for root in graph.roots))
    return "\n".join(lines)


def print_attribute(value: Any) -> str:
    if isinstance(value, tuple):
        return "(" + ",".join(print_attribute(item) for item in value) + ("," if len(value) == 1 else "") + ")"
    return repr(value)
