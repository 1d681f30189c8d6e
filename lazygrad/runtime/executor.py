"""Running a plan: bind it to memory, run it, and commit what it computed; for `realize` and for replays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from lazygrad.host.buffer import Buffer, DeviceBuffer, duplicate, new_buffer
from lazygrad.ir.node import Node
from lazygrad.ir.primitives.leaf import buffer
from lazygrad.runtime.ownership import is_sole_owner
from lazygrad.runtime.parts import Part, with_parts
from lazygrad.runtime.recording import Recording
from lazygrad.runtime.seen_memory import own_value, seen_memory_of

if TYPE_CHECKING:
    from lazygrad.ir.graph import Graph
    from lazygrad.runtime.dynamic.range_plan import SizedPlan
    from lazygrad.runtime.kept_plan import KeptPlan
    from lazygrad.runtime.partitioned_plan import AnyPlan


class Bound:
    """A plan with the memory that its next run reads and writes.

    Attributes:
        plan: what runs.
        inputs, outputs, scalars: in slot order; they may be exchanged between runs.
        parts: of inputs, which have the slots after theirs.
        computes: whether the device does more than plan.
        donors: whether some outputs lie over inputs, which are lost once the plan has begun.
        program: builds the recorded graph of this run, for the lines that errors name; None for the plan's own.
    """

    __slots__ = ("computes", "donors", "inputs", "outputs", "parts", "plan", "program", "scalars")

    def __init__(
        self,
        plan: AnyPlan | KeptPlan | SizedPlan,
        inputs: list[Any],
        outputs: list[Any],
        scalars: list[Any],
        parts: Sequence[Part] = (),
    ) -> None:
        self.plan, self.inputs, self.outputs, self.scalars, self.parts = plan, inputs, outputs, scalars, parts
        self.computes, self.donors = True, False
        self.program: Callable[[], Graph] | None = None

    def run(self) -> None:
        """Compute the outputs.

        Raises:
            Exception: what the plan refuses. The inputs are then as they were.
        """
        if self.computes:
            inputs = with_parts(self.inputs, self.parts) if self.parts else self.inputs
            self.plan.run(inputs, self.outputs, self.scalars, self.program)


def bind(plan: AnyPlan | KeptPlan | SizedPlan, recording: Recording) -> Bound:
    """Choose the memory of the outputs: that of inputs which nobody needs afterwards where the plan allows it."""
    computes = any(node.device.computes for node in recording.stored)
    donors = _donors(plan, recording) if computes else {}  # before the inputs are listed, since owners are counted
    outputs = [donors.get(i) or new_buffer(node.type) for i, node in enumerate(plan.schedule.outputs)]
    inputs = [node.value for node in recording.buffers]
    bound = Bound(plan, inputs, outputs, recording.scalars, list(recording.parts.values()))
    bound.computes, bound.donors, bound.program = computes, bool(donors), recording.program
    return bound


def commit(recording: Recording, bound: Bound) -> None:
    """Hand the values to their nodes; then let go of what was donated and of history."""
    schedule, slots, outputs = bound.plan.schedule, bound.plan.memory.slots, bound.outputs
    written = {id(value) for value in outputs}
    for node in recording.buffers:
        if id(node.value) in written:
            node.value = None
            node.seal(buffer)
    for node, root in zip(recording.stored, schedule.roots, strict=True):
        slot = slots[root]
        value = _input(bound, slot.index, root) if root.op is buffer else outputs[slot.index]
        is_alone = root.op is not buffer and slot.index in schedule.alone
        node.value = own_value(value if node.shape == root.shape else reshaped(value, node, is_alone), node)
    for node, number in zip(recording.watched, schedule.watched, strict=True):
        if number is not None and node.value is None and node.type is schedule.outputs[number].type:
            node.value = outputs[number]
    forget(recording)


def _input(bound: Bound, slot: int, leaf: Node) -> Buffer:
    """The input that a result is; of a part a copy, since the whole may be written to."""
    count = len(bound.inputs)
    if slot < count:
        whole: Buffer = bound.inputs[slot]
        return whole
    part = bound.parts[slot - count]
    return duplicate(part.buffer(bound.inputs[part.of]), leaf.type)


def forget(recording: Recording) -> None:
    """Let go of the history that no later gradient asks for."""
    for node in recording.forgetting:
        if node.value is not None:
            node.seal(buffer)


def _donors(plan: AnyPlan | KeptPlan | SizedPlan, recording: Recording) -> dict[int, Buffer]:
    """Input buffers this run may overwrite, by output number; their old owners lose them."""
    donors: dict[int, Buffer] = {}
    used: set[int] = set()
    for donation in plan.memory.donations:
        if donation.output in donors or donation.input in used or not recording.donatable[donation.input]:
            continue
        node = recording.buffers[donation.input]
        if is_sole_owner(node):
            donors[donation.output] = node.value
            used.add(donation.input)
    return donors


def reshaped(value: Buffer, node: Node, is_alone: bool) -> Buffer:
    """The same memory under another shape. Where others hold it too, it is marked as shared."""
    if isinstance(value, DeviceBuffer) or value.array is None:
        return value  # it has no shape
    array = value.array.reshape(node.shape)
    memory = seen_memory_of(value)
    if memory is not None:
        return memory.buffer(array)
    if is_alone and not value.shared:
        value.array = array
        return value
    value.shared = True
    return Buffer(array, shared=True)
