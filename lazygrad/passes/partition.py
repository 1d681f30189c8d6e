"""Cutting a differentiated program at its copies between devices, into parts that each run on one device."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field

from lazygrad.ir.device import Device
from lazygrad.ir.graph import Graph, topological_order
from lazygrad.ir.node import Kind, Node
from lazygrad.ir.primitives.leaf import buffer
from lazygrad.ir.primitives.transfer import copy


@dataclass(slots=True)
class Part:
    """What is computed on one device after the same number of copies.

    Attributes:
        device: where.
        nodes: what it computes, inputs first.
        wanted: those of them, or leaves, that others read: other parts, copies and the roots.
    """

    device: Device
    nodes: list[Node] = field(default_factory=list)
    wanted: dict[Node, None] = field(default_factory=dict)


@dataclass(slots=True)
class Partition:
    """A program in parts.

    Attributes:
        steps: parts, and `copy` nodes between them, in an order in which they can be done.
        roots: the roots of the program as values of parts.
        watched: likewise; None for one that no part computes.
        read_as: for a node that only differentiation looks at, the value it stands for; for others themselves.
    """

    steps: list[Part | Node]
    roots: list[Node]
    watched: list[Node | None]
    read_as: dict[Node, Node]


def is_on_one_device(graph: Graph) -> bool:
    """Whether one plan can compute all of it."""
    if any(node.op is copy for node in graph.nodes):
        return False
    computed = [node.device for node in graph.nodes if node.inputs and node.op.kind is not Kind.CALLBACK]
    return len({*computed, *[root.device for root in graph.roots]}) <= 1


def partition(graph: Graph) -> Partition:
    """Cut ``graph``, whose gradients are spelled out. Values pass from part to part only if somebody reads them."""
    order = topological_order(graph.roots, _value_inputs)
    read_as: dict[Node, Node] = {}
    for node in order:
        read_as[node] = read_as[node.inputs[0]] if node.op.kind is Kind.IDENTITY else node
    parts: dict[tuple[int, Device], Part] = {}
    copies: dict[int, list[Node]] = defaultdict(list)
    level: dict[Node, int] = {}

    def part_of(node: Node) -> Part:
        return parts.setdefault((level[node], node.device), Part(node.device))

    for node in order:
        if read_as[node] is not node:
            continue
        sources = [read_as[source] for source in node.inputs]
        level[node] = max([level[source] for source in sources], default=0) + (node.op is copy)
        if node.op is copy:
            copies[level[node]].append(node)
        elif node.inputs:
            part_of(node).nodes.append(node)
        for source in sources:
            if source.op not in (buffer, copy):
                is_inside = node.op is not copy and (not source.inputs or part_of(source) is part_of(node))
                if not is_inside:
                    part_of(source).wanted[source] = None
    roots = [read_as[root] for root in graph.roots]
    for root in roots:
        if root.op not in (buffer, copy):
            part_of(root).wanted[root] = None
    steps: list[Part | Node] = []
    for number in range(max((*copies, *[number for number, _ in parts]), default=0) + 1):
        steps += copies[number]
        steps += [part for (its_level, _), part in parts.items() if its_level == number and part.wanted]
    watched = [read_as.get(node) if node is not None else None for node in graph.watched]
    return Partition(steps, roots, watched, read_as)


def _value_inputs(node: Node) -> tuple[Node, ...]:
    """What a node's value is computed from; the other inputs of markers are for differentiation."""
    return node.inputs[:1] if node.op.kind is Kind.IDENTITY else node.inputs
