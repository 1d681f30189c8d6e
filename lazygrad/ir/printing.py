"""Printing a graph: one typed line per node. `lazygrad.ir.text` describes the form and reads it back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lazygrad.ir.attribute_text import print_attribute
from lazygrad.ir.node import Node
from lazygrad.ir.printable import printable, quoted


def print_graph(
    nodes: Sequence[Node],
    roots: Sequence[Node],
    names: Mapping[Node, str],
    numbers: Mapping[Node, str] | None = None,
    places: bool = True,
) -> str:
    """A graph as text; `parse` gives an equal graph back.

    Args:
        nodes: all nodes, inputs first.
        roots: those that the graph returns.
        names: what some of them are called.
        numbers: what each is written as; default ``%0``, ``%1``, ….
        places: whether each line ends with the place in the program that it comes from.
    """
    numbers = numbers or {node: f"%{i}" for i, node in enumerate(nodes)}
    heads = [f"{numbers[node]}: {node.type}" for node in nodes]
    width = min(max((len(head) for head in heads), default=0), 32)
    lines = []
    for node, head in zip(nodes, heads, strict=True):
        words = [node.op.name, *(numbers[source] for source in node.inputs)]
        words += [f"{name}={print_attribute(value)}" for name, value in node.named_attrs() if value is not None]
        line = f"{head:<{width}}  = {' '.join(words)}"
        if node in names:
            line = f"{line:<60} {quoted(names[node])}"
        note = printable(str(node.origin)).strip() if places and node.origin is not None else ""
        if note:
            line = f"{line:<72} # {note}"
        lines.append(line)
    lines.append("return " + " ".join(numbers[root] for root in roots))
    return "\n".join(lines)
