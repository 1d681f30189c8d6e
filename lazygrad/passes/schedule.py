"""Scheduling: the order of steps, which values are stored, and which of those lie inside others.

Where stored values lie is decided after lowering (`lazygrad.memory`), when it is known what a kernel may write over.
Which values lie inside another one is decided here: a concatenation whose parts all do is no step, and a kernel that
makes a part writes it with the strides that it has there.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from types import MappingProxyType

from lazygrad.ir.node import Node
from lazygrad.ir.primitives.indexing import concat
from lazygrad.ir.primitives.leaf import buffer
from lazygrad.ir.view import View
from lazygrad.passes.destinations import Destinations, find_destinations, runs_elsewhere
from lazygrad.passes.fuse import FusedGraph, Group
from lazygrad.passes.views import is_whole, view_of


@dataclass(frozen=True, slots=True)
class Schedule:
    """The fourth form: what runs, in which order, and what is stored.

    Attributes:
        fused: the groups, in execution order.
        steps: those that have something to do: a concatenation whose parts are all made in place has not.
        stored: the buffer leaves that are read, and the computed values that are written to memory.
        destinations: those of them that lie inside another one.
        inputs: the buffer leaves.
        outputs: stored nodes by output number.
        roots: for each root of the graph, the stored node or input buffer that holds it.
        watched: output number of each watched node, or None where it is not stored.
        alone: numbers of outputs that hold one root and nothing else.
    """

    fused: FusedGraph
    steps: tuple[Group, ...]
    stored: frozenset[Node]
    destinations: Destinations
    inputs: tuple[Node, ...]
    outputs: tuple[Node, ...]
    roots: tuple[Node, ...]
    watched: tuple[int | None, ...]
    alone: frozenset[int]

    def memory_of(self, node: Node) -> tuple[Node, View]:
        """The value with memory of its own in which a stored value lies, and where in it."""
        destination = self.destinations.get(node)
        return (destination.root, destination.view) if destination else (node, View.contiguous(node.shape))


def schedule(fused: FusedGraph) -> Schedule:
    """Decide what of ``fused`` is stored: roots and watched stored values are outputs, the rest is scratch."""
    graph = fused.graph
    roots = [view_of(root)[0] for root in graph.roots]
    computed = _stored_values(fused, roots)
    inputs = [node for node in graph.nodes if node.op is buffer]
    outputs = list(dict.fromkeys(root for root in roots if root.op is not buffer))
    watched_bases = [_whole_base(node) if node is not None else None for node in graph.watched]
    outputs += [
        node for node in dict.fromkeys(watched_bases) if node is not None and node in computed and node not in outputs
    ]
    output_number = {node: i for i, node in enumerate(outputs)}
    destinations = find_destinations(fused, set(outputs))
    watched = [output_number.get(node) if node is not None else None for node in watched_bases]
    holds = Counter([*(output_number.get(root) for root in roots), *watched])
    return Schedule(
        fused,
        steps=tuple([group for group in fused.groups if _has_work(group, destinations)]),
        stored=frozenset([*inputs, *computed]),
        destinations=MappingProxyType(destinations),
        inputs=tuple(inputs),
        outputs=tuple(outputs),
        roots=tuple(roots),
        watched=tuple(watched),
        alone=frozenset(number for number, count in holds.items() if number is not None and count == 1),
    )


def _whole_base(node: Node) -> Node | None:
    """The stored value that holds all of ``node`` in order, if there is one."""
    base, view = view_of(node)
    return base if is_whole(view, base) else None


def _stored_values(fused: FusedGraph, roots: list[Node]) -> set[Node]:
    """Computed values that a root or another group needs."""
    stored = {root for root in roots if root in fused.group_of}
    for group in fused.groups:
        stored.update(node for node in group.reads if node in fused.group_of)
        if group.is_library:
            stored.update(group.nodes)
    return stored


def _has_work(group: Group, destinations: Destinations) -> bool:
    node = group.nodes[0]
    return node.op is not concat or bool(runs_elsewhere(node, destinations))
