"""Scheduling: the order of kernels, which values are stored, and where in the arena each temporary lives."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from enum import Enum

from lazygrad.ir.node import Node
from lazygrad.ir.primitives.indexing import concat
from lazygrad.ir.primitives.leaf import buffer
from lazygrad.ir.view import View
from lazygrad.passes.arena import Temporary, aligned, plan_arena
from lazygrad.passes.destinations import Destinations, find_destinations, runs_elsewhere
from lazygrad.passes.fuse import FusedGraph, Group
from lazygrad.passes.fusion_cost import bytes_of
from lazygrad.passes.views import is_whole, view_of


class Place(Enum):
    """Where a stored value lives."""

    INPUT = "input"  # a buffer handed over at each run
    OUTPUT = "output"  # a buffer that outlives the run
    ARENA = "arena"  # scratch memory of the plan, shared by values whose lifetimes do not overlap


@dataclass(frozen=True, slots=True)
class Slot:
    """The place of one stored value; ``index`` counts within its kind of place."""

    place: Place
    index: int


@dataclass(slots=True)
class Schedule:
    """The fourth form: what runs, in which order, over which memory.

    Attributes:
        fused: the groups, in execution order.
        steps: those that have something to do: a concatenation whose parts are all made in place has not.
        slots: the place of every input buffer, and of every stored value that has memory of its own.
        destinations: the other stored values, which lie inside one of those.
        inputs: the buffer leaves that are read.
        outputs: stored nodes by output number.
        roots: for each root of the graph, the stored node or input buffer that holds it.
        watched: output number of each watched node, or None where it is not stored.
        alone: numbers of outputs that hold one root and nothing else.
        temporaries: the arena's contents.
        arena_bytes: its size.
        last_read: the last step that reads a stored value or anything inside it.
    """

    fused: FusedGraph
    steps: list[Group]
    slots: dict[Node, Slot]
    destinations: Destinations
    inputs: list[Node]
    outputs: list[Node]
    roots: list[Node]
    watched: list[int | None]
    alone: frozenset[int]
    temporaries: list[Temporary]
    arena_bytes: int
    last_read: dict[Node, int] = field(default_factory=dict)

    @property
    def stored(self) -> set[Node]:
        return {*self.slots, *self.destinations}

    def place_of(self, node: Node) -> Place | None:
        """The place of a value with memory of its own, None for any other one."""
        slot = self.slots.get(node)
        return slot.place if slot else None

    def memory_of(self, node: Node) -> tuple[Node, View]:
        """The value with a slot in whose memory a stored value lies, and where in it."""
        destination = self.destinations.get(node)
        return (destination.root, destination.view) if destination else (node, View.contiguous(node.shape))

    def overwrite(self, overwrites: dict[Node, Node]) -> None:
        """Place the arena's contents anew, with some values over others that end where they begin; see `plan_arena`."""
        stored = {temporary.node for temporary in self.temporaries}
        writes = _writes(self.steps, stored, self.destinations)
        self.temporaries, self.arena_bytes = plan_arena(writes, self.last_read, overwrites)

    @property
    def unshared_bytes(self) -> int:
        """What the temporaries would take if none shared memory."""
        return sum(aligned(bytes_of(temporary.node)) for temporary in self.temporaries)


def schedule(fused: FusedGraph) -> Schedule:
    """Decide storage for ``fused``: roots and watched stored values are outputs, the rest shares an arena."""
    graph = fused.graph
    roots = [view_of(root)[0] for root in graph.roots]
    stored = _stored_values(fused, roots)
    inputs = [node for node in graph.nodes if node.op is buffer]
    outputs = list(dict.fromkeys(root for root in roots if root.op is not buffer))
    watched_bases = [_whole_base(node) if node is not None else None for node in graph.watched]
    outputs += [
        node for node in dict.fromkeys(watched_bases) if node is not None and node in stored and node not in outputs
    ]
    output_number = {node: i for i, node in enumerate(outputs)}
    slots = {node: Slot(Place.INPUT, node["slot"]) for node in inputs}
    slots |= {node: Slot(Place.OUTPUT, i) for node, i in output_number.items()}
    destinations = find_destinations(fused, set(outputs))
    steps = [group for group in fused.groups if _has_work(group, destinations)]
    last_read = _last_reads(steps, destinations)
    writes = _writes(steps, stored - set(outputs) - destinations.keys(), destinations)
    temporaries, arena_bytes = plan_arena(writes, last_read)
    slots |= {temporary.node: Slot(Place.ARENA, i) for i, temporary in enumerate(temporaries)}
    watched = [output_number.get(node) if node is not None else None for node in watched_bases]
    holds = Counter([*(output_number.get(root) for root in roots), *watched])
    alone = frozenset(number for number, count in holds.items() if number is not None and count == 1)
    return Schedule(
        fused, steps, slots, destinations, inputs, outputs, roots, watched, alone, temporaries, arena_bytes, last_read
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


def _root(node: Node, destinations: Destinations) -> Node:
    return destinations[node].root if node in destinations else node


def _last_reads(steps: list[Group], destinations: Destinations) -> dict[Node, int]:
    last: dict[Node, int] = {}
    for step, group in enumerate(steps):
        for node in group.reads:
            last[node] = last[_root(node, destinations)] = step
    return last


def _writes(steps: list[Group], kept: set[Node], destinations: Destinations) -> list[list[Node]]:
    """Per step, the values with memory of their own, among ``kept``, that it writes at least a part of."""
    roots = [dict.fromkeys([_root(node, destinations) for node in group.nodes]) for group in steps]
    return [[node for node in nodes if node in kept] for nodes in roots]
