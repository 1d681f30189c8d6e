"""The first tier: a program that is new is computed node by node, without a plan.

Nothing is fused, scheduled or rendered. A value lives until its last reader is done; the values that a later gradient
may ask for are kept, as eager frameworks keep them.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from lazygrad.host.blas import serial_blas
from lazygrad.host.buffer import POOLED, Buffer, host_view, layout_of
from lazygrad.ir.node import Node
from lazygrad.ir.primitives.leaf import buffer
from lazygrad.runtime.blame import add_place
from lazygrad.runtime.executor import forget, reshaped
from lazygrad.runtime.ownership import is_sole_owner
from lazygrad.runtime.recording import Recording
from lazygrad.runtime.seen_memory import own_value
from lazygrad.runtime.tape import NOTHING, Step, Tape, value_alone
from lazygrad.targets.evaluator import Computation, Evaluator

_SMALL = 1 << 12  # bytes; below, new memory costs less than finding out whose may be overwritten


class Interpretation:
    """One recording, computed node by node as its tape says.

    Attributes:
        overwritten: for steps, by their slots, that may lie in the memory of a leaf that nobody needs afterwards, that
            leaf.
    """

    def __init__(self, recording: Recording, tape: Tape, evaluator: Evaluator) -> None:
        self._recording, self._tape, self._evaluator = recording, tape, evaluator
        order = recording.order
        self._nodes = [order[place] if isinstance(place, int) else place for place in tape.places]  # by slot
        self._arrays: list[Any] = [None] * len(self._nodes)
        self._looked_at = tape.looked_at
        self._buffers: dict[int, Buffer] = {}  # the memory of computed values, where it is not numpy's
        nodes, arrays = self._nodes, self._arrays
        for slot in tape.numbers:
            arrays[slot] = evaluator.number(nodes[slot])
        for slot, position in tape.valued:
            node = nodes[slot] if position == NOTHING else order[position]
            if nodes[slot] is not node:
                nodes[slot] = value_alone(node)
            arrays[slot] = host_view(node.value)
        self.overwritten = self._overwritable()

    @property
    def count(self) -> int:
        """How many steps there are."""
        return len(self._tape.steps)

    def _overwritable(self) -> dict[int, Node]:
        recording = self._recording
        if not any(recording.donatable):
            return {}
        lost = {node for node, is_lost in zip(recording.buffers, recording.donatable, strict=True) if is_lost}
        nodes, steps = self._nodes, self._tape.steps
        for i in range(len(steps) - 1, 0, -1):
            if self._may_refuse(steps[i]):  # what refuses leaves the inputs as they were
                steps = steps[i:]
                break
        return {
            slot: nodes[sources[position]]
            for slot, sources, computation in steps
            if computation is not None
            for position in computation.over
            if position < len(sources) and nodes[sources[position]] in lost
        }

    def _may_refuse(self, step: Step) -> bool:
        if step.computation is not None and step.computation.refuses:
            return True
        node = self._nodes[step.slot]
        return node.op.refuses is not None and node.op.may_refuse(node.attrs, node.dtype)

    # One step after another.

    def run(self) -> None:
        """Compute, and hand the values to their nodes.

        Raises:
            Exception: what an operation refuses, with the line that recorded it. The inputs are then as they were.
        """
        arrays, buffers, moved, nodes = self._arrays, self._buffers, self._evaluator.moved, self._nodes
        with np.errstate(all="ignore"), serial_blas:
            for (slot, sources, computation), last in zip(self._tape.steps, self._tape.ends, strict=True):
                node = nodes[slot]
                try:
                    if computation is None:
                        arrays[slot] = moved(node, arrays[sources[0]])
                    else:
                        type = node.type
                        dtype, size = layout_of(type)
                        if size <= _SMALL and not computation.starts_from_first:
                            out = np.empty(type.shape, dtype)
                        else:
                            out = self._memory_for(node, slot, sources, computation, last)
                        computation.compute(node, out, [arrays[source] for source in sources])
                        arrays[slot] = out
                except Exception as error:
                    add_place(error, node.origin)
                    raise
                for source in last:
                    arrays[source] = None
                    if buffers:
                        buffers.pop(source, None)
        self._commit()

    def _memory_for(
        self, node: Node, slot: int, sources: tuple[int, ...], computation: Computation, last: tuple[int, ...]
    ) -> np.ndarray:
        """New memory, or that of an input which nobody else reads and which the op may write over."""
        type = node.type
        for position in computation.over:
            if position < len(sources) and sources[position] in last:
                source = sources[position]
                if self._nodes[source].type is type and [*map(self._base, sources)].count(source) == 1:
                    memory = self._taken_from(source, slot)
                    if memory is not None:
                        return memory
        dtype, size = layout_of(type)
        if size < POOLED:
            return np.empty(type.shape, dtype)
        self._buffers[slot] = made = Buffer.empty(type)
        return host_view(made)

    def _taken_from(self, slot: int, reader: int) -> np.ndarray | None:
        """The memory of a value that the step of the slot ``reader`` is the last to need, unless others need it too."""
        source, array = self._nodes[slot], self._arrays[slot]
        if source.op.is_view:
            return None
        if source.value is None:
            if slot in self._buffers:
                self._buffers[reader] = self._buffers[slot]
            return array if isinstance(array, np.ndarray) else None
        if self.overwritten.get(reader) is not source or not is_sole_owner(source):
            return None
        self._buffers[reader] = source.value
        return host_view(source.value)

    def _base(self, slot: int) -> int:
        """The slot of what a view looks at in the end; of any other value its own."""
        while self._looked_at[slot] != NOTHING:
            slot = self._looked_at[slot]
        return slot

    # Results.

    def _commit(self) -> None:
        recording = self._recording
        roots = self._tape.roots
        memories = [self._memory_of(root) for root in roots]
        held = Counter(map(id, [*memories, *[node.value for node in recording.buffers]]))
        values = [
            self._value(root, node, memory, held[id(memory)] == 1)
            for root, node, memory in zip(roots, recording.stored, memories, strict=True)
        ]
        for slot, donor in self.overwritten.items():
            if self._buffers.get(slot) is donor.value:
                donor.value = None
                donor.seal(buffer)
        for node, value in zip(recording.stored, values, strict=True):
            node.value = own_value(value, node)
        for position, computed in self._tape.watched:
            node, kept = recording.order[position], self._memory_of(computed)
            if kept is not None and node.value is None and self._arrays[computed] is kept.array:
                node.value = kept
        forget(recording)

    def _memory_of(self, slot: int) -> Buffer | None:
        """The buffer in which what a value sees lies; None for a number."""
        slot = self._base(slot)
        node = self._nodes[slot]
        if node.value is None and slot not in self._buffers and isinstance(self._arrays[slot], np.ndarray):
            self._buffers[slot] = Buffer(self._arrays[slot])
        memory: Buffer | None = self._buffers.get(slot) if node.value is None else node.value
        return memory

    def _value(self, slot: int, node: Node, memory: Buffer | None, is_alone: bool) -> Buffer:
        """The buffer for a result: the one it lies in if it is all of it, in order, else a copy."""
        array = np.asarray(self._arrays[slot])
        if memory is not None:
            whole = host_view(memory)
            if array is whole:
                return memory
            if array.size == whole.size and array.flags.c_contiguous and np.may_share_memory(array, whole):
                return reshaped(memory, node, is_alone)
        copy = Buffer.empty(node.type)
        np.copyto(host_view(copy), array)
        return copy
