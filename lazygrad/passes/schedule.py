"""Scheduling: the order of kernels, which values are stored, and where in the arena each temporary lives."""

from __future__ import annotations

from bisect import bisect_left, insort
from dataclasses import dataclass, field
from enum import Enum

from lazygrad.ir.node import Node
from lazygrad.ir.primitives.leaf import buffer
from lazygrad.passes.fuse import FusedGraph, Group
from lazygrad.passes.fusion_cost import bytes_of
from lazygrad.passes.views import is_whole, view_of

ALIGNMENT = 64


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


@dataclass(frozen=True, slots=True)
class Temporary:
    """A value in the arena: ``offset`` in bytes, alive from step ``first`` to step ``last`` inclusive."""

    node: Node
    offset: int
    first: int
    last: int


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

    @property
    def unshared_bytes(self) -> int:
        """What the temporaries would take if none shared memory."""
        return sum(_aligned(bytes_of(temporary.node)) for temporary in self.temporaries)


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
    temporaries, arena_bytes = _plan_arena(fused, stored - set(outputs), last_read)
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


def _aligned(size: int) -> int:
    return -(-size // ALIGNMENT) * ALIGNMENT


def _plan_arena(fused: FusedGraph, stored: set[Node], last_read: dict[Node, int]) -> tuple[list[Temporary], int]:
    """Best-fit offsets in execution order: a value takes the smallest free range that holds it."""
    arena = _FreeList()
    temporaries: list[Temporary] = []
    ending: dict[int, list[tuple[int, int]]] = {}
    for step, group in enumerate(fused.groups):
        for node in group.nodes:
            if node in stored:
                size = _aligned(max(bytes_of(node), 1))
                offset = arena.take(size)
                last = last_read.get(node, step)
                temporaries.append(Temporary(node, offset, step, last))
                ending.setdefault(last, []).append((offset, size))
        for offset, size in ending.pop(step, []):
            arena.give(offset, size)
    return temporaries, arena.extent


class _FreeList:
    """Free byte ranges below a growing end, coalesced, sorted by offset."""

    def __init__(self) -> None:
        self.extent = 0
        self._ranges: list[tuple[int, int]] = []

    def take(self, size: int) -> int:
        fitting = [(length, offset) for offset, length in self._ranges if length >= size]
        if fitting:
            length, offset = min(fitting)
            self._ranges.remove((offset, length))
            if length > size:
                insort(self._ranges, (offset + size, length - size))
            return offset
        if self._ranges and sum(self._ranges[-1]) == self.extent:
            offset, _ = self._ranges.pop()
        else:
            offset = self.extent
        self.extent = offset + size
        return offset

    def give(self, offset: int, size: int) -> None:
        position = bisect_left(self._ranges, (offset, size))
        if position < len(self._ranges) and self._ranges[position][0] == offset + size:
            size += self._ranges.pop(position)[1]
        if position and sum(self._ranges[position - 1]) == offset:
            before_offset, before_size = self._ranges.pop(position - 1)
            offset, size = before_offset, before_size + size
            position -= 1
        self._ranges.insert(position, (offset, size))
