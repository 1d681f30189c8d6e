"""The first tier: a program that is new is computed node by node, without a plan.

Nothing is fused, scheduled or rendered. A value lives until its last reader is done; the values that a later gradient
may ask for are kept, as eager frameworks keep them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from operator import attrgetter
from typing import Any

import numpy as np

from lazygrad.host.blas import serial_blas
from lazygrad.host.buffer import POOLED, Buffer, host_view, layout_of
from lazygrad.ir.callable_op import Composite
from lazygrad.ir.node import Node, deriving_from
from lazygrad.ir.op import Kind
from lazygrad.ir.primitives.gradient import grad
from lazygrad.ir.primitives.leaf import buffer, leaf_node
from lazygrad.runtime.blame import add_place
from lazygrad.runtime.executor import forget, reshaped
from lazygrad.runtime.ownership import is_sole_owner
from lazygrad.runtime.recording import Recording
from lazygrad.runtime.seen_memory import own_value
from lazygrad.targets.evaluator import Computation, Evaluator

_SMALL = 1 << 12  # bytes; below, new memory costs less than finding out whose may be overwritten
_NOTHING = -1
_LEAF, _IDENTITY, _MOVEMENT = Kind.LEAF, Kind.IDENTITY, Kind.MOVEMENT  # to name a member of an Enum takes longer
_serial = attrgetter("serial")
# What is computed, the slot of its value, the slots of what it is computed from, and how; None for a view.
_Step = tuple[Node, int, tuple[int, ...], Computation | None]


class Interpretation:
    """One recording, computed node by node.

    Values have slots, in the order in which they are computed. A composite that the evaluator does not compute stands
    for what it is spelled out as, and an identity for its input: neither is a step.

    Attributes:
        overwritten: for steps that may lie in the memory of a leaf that nobody needs afterwards, that leaf.
    """

    def __init__(self, recording: Recording, evaluator: Evaluator) -> None:
        self._recording, self._evaluator = recording, evaluator
        self._slots: dict[Node, int] = {}
        self._steps: list[_Step] = []
        self._nodes: list[Node] = []  # by slot, as the two below
        self._arrays: list[Any] = []
        self._looked_at: list[int] = []  # of a view, the slot of its input
        self._buffers: dict[int, Buffer] = {}  # the memory of computed values, where it is not numpy's
        self._replaced, self._outdated = _gradients_spelled_out(recording)
        self._add_all(recording.stored)
        self._roots = [self._slots[node] for node in recording.stored]
        watched = [self._slots.get(node, _NOTHING) for node in recording.watched]
        self._watched = [pair for pair in zip(recording.watched, watched, strict=True) if pair[1] != _NOTHING]
        self._ends = self._last_reads([*self._roots, *[slot for _, slot in self._watched]])
        self.overwritten = self._overwritable()

    @property
    def count(self) -> int:
        """How many steps there are."""
        return len(self._steps)

    # What is computed, in which order.

    def _add_all(self, roots: Iterable[Node]) -> None:
        """Note how to compute some nodes, and what they are computed from."""
        slots, replaced, steps = self._slots, self._replaced, self._steps
        computation_of = self._evaluator.computation
        for node in self._in_order(roots):
            kind = node.op.kind
            looked_at, value = _NOTHING, None
            if node.value is not None:
                value = host_view(node.value)
            elif node in replaced:
                slots[node] = slots[replaced[node]]
                continue
            elif kind is _IDENTITY:
                slots[node] = slots[node.inputs[0]]
                continue
            elif kind is _LEAF:
                value = self._evaluator.number(node)
            elif kind is _MOVEMENT:
                looked_at = slots[node.inputs[0]]
                steps.append((node, len(self._nodes), (looked_at,), None))
            else:
                computation = computation_of(node)
                if computation is None and isinstance(node.op, Composite):
                    slots[node] = self._decomposed(node.op, node)
                    continue
                sources = tuple([slots[source] for source in node.inputs])
                steps.append((node, len(self._nodes), sources, computation))
            slots[node] = len(self._nodes)
            self._nodes.append(node)
            self._arrays.append(value)
            self._looked_at.append(looked_at)

    def _decomposed(self, op: Composite, node: Node) -> int:
        """The slot of what a composite is spelled out as."""
        with deriving_from(node.origin):
            body = op.decompose(node)
        self._add_all([body])
        return self._slots[body]

    def _in_order(self, roots: Iterable[Node]) -> list[Node]:
        """What must be computed or looked at and has no slot yet, inputs first.

        Nodes are made after their inputs. Only those that are computed from gradients come after the gradients, which
        were spelled out just now.
        """
        slots, replaced, outdated = self._slots, self._replaced, self._outdated
        early: list[Node] = []
        late: list[Node] = []
        seen: set[Node] = set()
        stack = [*roots]
        while stack:
            node = stack.pop()
            if node in seen or node in slots:
                continue
            seen.add(node)
            if node.value is not None:
                early.append(node)
            elif node in replaced:
                late.append(node)
                stack.append(replaced[node])
            else:
                (late if node in outdated else early).append(node)
                stack += node.inputs[:1] if node.op.kind is _IDENTITY else node.inputs
        early.sort(key=_serial)
        late.sort(key=_serial)
        return early + late

    def _last_reads(self, kept: Sequence[int]) -> list[tuple[int, ...]]:
        """For each step, the slots that nobody needs after it; what a view looks at is needed as long as the view."""
        looked_at = self._looked_at
        is_needed = bytearray(len(looked_at))
        for slot in kept:
            while slot != _NOTHING:
                is_needed[slot] = True
                slot = looked_at[slot]
        ends: list[tuple[int, ...]] = []
        for _, _, sources, _ in reversed(self._steps):
            last: tuple[int, ...] = ()
            for slot in sources:
                while slot != _NOTHING and not is_needed[slot]:
                    is_needed[slot] = True
                    last += (slot,)
                    slot = looked_at[slot]
            ends.append(last)
        ends.reverse()
        return ends

    def _overwritable(self) -> dict[Node, Node]:
        recording = self._recording
        if not any(recording.donatable):
            return {}
        lost = {node for node, is_lost in zip(recording.buffers, recording.donatable, strict=True) if is_lost}
        nodes, steps = self._nodes, self._steps
        for i in range(len(steps) - 1, 0, -1):
            if _may_refuse(steps[i]):  # what refuses leaves the inputs as they were
                steps = steps[i:]
                break
        return {
            node: nodes[sources[position]]
            for node, _, sources, computation in steps
            if computation is not None
            for position in computation.over
            if position < len(sources) and nodes[sources[position]] in lost
        }

    # One step after another.

    def run(self) -> None:
        """Compute, and hand the values to their nodes.

        Raises:
            Exception: what an operation refuses, with the line that recorded it. The inputs are then as they were.
        """
        arrays, buffers, moved = self._arrays, self._buffers, self._evaluator.moved
        with np.errstate(all="ignore"), serial_blas:
            for (node, slot, sources, computation), last in zip(self._steps, self._ends, strict=True):
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
                    memory = self._taken_from(source, node, slot)
                    if memory is not None:
                        return memory
        dtype, size = layout_of(type)
        if size < POOLED:
            return np.empty(type.shape, dtype)
        self._buffers[slot] = made = Buffer.empty(type)
        return host_view(made)

    def _taken_from(self, slot: int, reader: Node, slot_of_reader: int) -> np.ndarray | None:
        """The memory of a value of which ``reader`` is the last that needs it, unless others need that memory too."""
        source, array = self._nodes[slot], self._arrays[slot]
        if source.op.is_view:
            return None
        if source.value is None:
            if slot in self._buffers:
                self._buffers[slot_of_reader] = self._buffers[slot]
            return array if isinstance(array, np.ndarray) else None
        if self.overwritten.get(reader) is not source or not is_sole_owner(source):
            return None
        self._buffers[slot_of_reader] = source.value
        return host_view(source.value)

    def _base(self, slot: int) -> int:
        """The slot of what a view looks at in the end; of any other value its own."""
        while self._looked_at[slot] != _NOTHING:
            slot = self._looked_at[slot]
        return slot

    # Results.

    def _commit(self) -> None:
        recording = self._recording
        memories = [self._memory_of(root) for root in self._roots]
        held = Counter(map(id, [*memories, *[node.value for node in recording.buffers]]))
        values = [
            self._value(root, node, memory, held[id(memory)] == 1)
            for root, node, memory in zip(self._roots, recording.stored, memories, strict=True)
        ]
        for step, donor in self.overwritten.items():
            if self._buffers.get(self._slots[step]) is donor.value:
                donor.value = None
                donor.seal(buffer)
        for node, value in zip(recording.stored, values, strict=True):
            node.value = own_value(value, node)
        for node, computed in self._watched:
            kept = self._memory_of(computed)
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


def _may_refuse(step: _Step) -> bool:
    node, _, _, computation = step
    if computation is not None and computation.refuses:
        return True
    return node.op.refuses is not None and node.op.may_refuse(node.attrs, node.dtype)


def _gradients_spelled_out(recording: Recording) -> tuple[dict[Node, Node], set[Node]]:
    """What takes the place of gradients and of some nodes that are computed from them, and the others of these."""
    if not any([node.op is grad and node.value is None for node in recording.order]):
        return {}, set()
    from lazygrad.passes.differentiate import gradients_spelled_out  # rules of derivatives load with the first gradient

    leaves = {node: _leaf(node) for node in recording.buffers if node.inputs and node not in recording.history}
    return gradients_spelled_out(recording.order, leaves)


def _leaf(node: Node) -> Node:
    """The value of ``node`` without its history, which no gradient of this recording asks for."""
    leaf = leaf_node(buffer, (None,), node.type)
    leaf.value, leaf.origin = node.value, node.origin
    return leaf
