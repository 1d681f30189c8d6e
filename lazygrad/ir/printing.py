"""Printing a graph: one typed line per node. `lazygrad.ir.text` describes the form and reads it back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lazygrad.ir.attribute_text import print_attribute
from lazygrad.ir.printable import printable, quoted

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
            line = f"{line:<60} {quoted(graph.names[node])}"
        note = printable(str(node.origin)).strip() if node.origin is not None else ""
        if note:
            line = f"{line:<72} # {note}"
        lines.append(line)
    lines.append("return " + " ".join(numbers[root] for root in graph.roots))
    return "\n".join(lines)
