"""Cutting a differentiated program at its copies between devices, into parts that each run on one device.

The level of a value is the number of copies that come before it. What has one device and one level is one part.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from lazygrad.ir.device import Device
from lazygrad.ir.graph import Graph, topological_order
from lazygrad.ir.node import Node
from lazygrad.ir.op import Kind
from lazygrad.ir.primitives.leaf import buffer
from lazygrad.ir.primitives.transfer import copy


@dataclass(slots=True)
class Part:
    """What is computed on one device at one level.

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
    """Cut ``graph``, whose gradients are spelled out."""
    order = topological_order(graph.roots, _value_inputs)
    read_as: dict[Node, Node] = {}
    for node in order:
        read_as[node] = read_as[node.inputs[0]] if node.op.kind is Kind.IDENTITY else node
    values = [node for node in order if read_as[node] is node]
    sources = {node: [read_as[source] for source in node.inputs] for node in values}
    roots = [read_as[root] for root in graph.roots]
    steps = _in_order(_levels(values, sources, roots), sources, roots)
    watched = [read_as.get(node) if node is not None else None for node in graph.watched]
    return Partition(steps, roots, watched, read_as)


def _value_inputs(node: Node) -> tuple[Node, ...]:
    """What a node's value is computed from; the other inputs of markers are for differentiation."""
    return node.inputs[:1] if node.op.kind is Kind.IDENTITY else node.inputs


def _levels(values: list[Node], sources: dict[Node, list[Node]], roots: list[Node]) -> dict[Node, int]:
    """The level of each value. What only later levels of its device read sinks there, to be a part of theirs."""
    levels: dict[Node, int] = {}
    for node in values:
        levels[node] = max([levels[source] for source in sources[node]], default=0) + (node.op is copy)
    read_at: dict[Node, int] = {root: levels[root] for root in roots}
    for node in reversed(values):
        if node.op is not copy:
            levels[node] = read_at[node]
        before = levels[node] - (node.op is copy)
        for source in sources[node]:
            read_at[source] = min(before, read_at.get(source, before))
    return levels


def _in_order(levels: dict[Node, int], sources: dict[Node, list[Node]], roots: list[Node]) -> list[Part | Node]:
    """Level by level, the copies that lead to it and then its parts. What no other part reads stays inside its own."""
    parts: dict[tuple[int, Device], Part] = {}
    copies: dict[int, list[Node]] = {}

    def part_of(node: Node) -> Part:
        return parts.setdefault((levels[node], node.device), Part(node.device))

    def want(source: Node) -> None:
        if source.op not in (buffer, copy):
            part_of(source).wanted[source] = None

    for node in levels:
        if node.op is copy:
            copies.setdefault(levels[node], []).append(node)
            want(sources[node][0])
        elif node.inputs:
            part_of(node).nodes.append(node)
            for source in sources[node]:
                if source.inputs and part_of(source) is not part_of(node):
                    want(source)
    for root in roots:
        want(root)
    steps: list[Part | Node] = []
    for level in range(max(levels.values(), default=0) + 1):
        steps += copies.get(level, [])
        steps += [part for (its_level, _), part in parts.items() if its_level == level and part.wanted]
    return steps
