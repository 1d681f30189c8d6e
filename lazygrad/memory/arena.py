"""The arena: where in one block of scratch memory each temporary of a plan lives."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lazygrad.ir.node import Node
from lazygrad.passes.fusion_cost import bytes_of

ALIGNMENT = 64


@dataclass(frozen=True, slots=True)
class Temporary:
    """A value in the arena: ``offset`` in bytes, alive from step ``first`` to step ``last`` inclusive."""

    node: Node
    offset: int
    first: int
    last: int


def aligned(size: int) -> int:
    """``size`` rounded up to whole cache lines."""
    return -(-size // ALIGNMENT) * ALIGNMENT


def plan_arena(
    writes: Sequence[Sequence[Node]], last_read: Mapping[Node, int], overwrites: Mapping[Node, Node]
) -> tuple[list[Temporary], int]:
    """Best-fit offsets in execution order: a value takes the smallest free range that holds it.

    Args:
        writes: per step, the values of the arena that it writes, or a part of them.
        last_read: the last step that reads a value, or a part of it.
        overwrites: values that may be written over another one of their size, which ends with the step that does so.

    Returns:
        The arena's contents in the order of their first steps, and its size in bytes.
    """
    arena = _FreeList()
    temporaries: list[Temporary] = []
    places: dict[Node, tuple[int, int]] = {}
    ending: dict[int, list[Node]] = {}
    for step, written in enumerate(writes):
        for node in written:
            if node not in places:
                old = overwrites.get(node)
                size = aligned(max(bytes_of(node), 1))
                places[node] = places.pop(old) if old is not None else (arena.take(size), size)
                last = last_read.get(node, step)
                temporaries.append(Temporary(node, places[node][0], step, last))
                ending.setdefault(last, []).append(node)
        for node in ending.pop(step, []):
            if node in places:  # otherwise another value lives there now
                arena.give(*places.pop(node))
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
