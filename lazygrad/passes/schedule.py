"""Scheduling: the order of kernels, which values are stored, and where in the arena each temporary lives."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

from lazygrad.ir.node import Node
from lazygrad.ir.primitives.leaf import buffer
from lazygrad.passes.arena import Temporary, aligned, plan_arena
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
        slots: the place of every stored value and every input buffer.
        inputs: the buffer leaves that are read.
        outputs: stored nodes by output number.
        roots: for each root of the graph, the stored node or input buffer that holds it.
        watched: output number of each watched node, or None where it is not stored.
        temporaries: the arena's contents.
        arena_bytes: its size.
        last_read: the last step that reads an input buffer.
    """

    fused: FusedGraph
    slots: dict[Node, Slot]
    inputs: list[Node]
    outputs: list[Node]
    roots: list[Node]
    watched: list[int | None]
    temporaries: list[Temporary]
    arena_bytes: int
    last_read: dict[Node, int] = field(default_factory=dict)

    @property
    def stored(self) -> set[Node]:
        return set(self.slots)

    @property
    def steps(self) -> list[Group]:
        return self.fused.groups

    def overwrite(self, overwrites: dict[Node, Node]) -> None:
        """Place the arena's contents anew, with some values over others that end where they begin; see `plan_arena`."""
        stored = {temporary.node for temporary in self.temporaries}
        self.temporaries, self.arena_bytes = plan_arena(self.fused, stored, self.last_read, overwrites)

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
    last_read = _last_reads(fused)
    temporaries, arena_bytes = plan_arena(fused, stored - set(outputs), last_read)
    slots |= {temporary.node: Slot(Place.ARENA, i) for i, temporary in enumerate(temporaries)}
    watched = [output_number.get(node) if node is not None else None for node in watched_bases]
    return Schedule(fused, slots, inputs, outputs, roots, watched, temporaries, arena_bytes, last_read)


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


def _last_reads(fused: FusedGraph) -> dict[Node, int]:
    return {node: step for step, group in enumerate(fused.groups) for node in group.reads}
