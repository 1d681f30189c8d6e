"""The memory plan: where the stored values of a schedule lie, and what may be written over what."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from lazygrad.codegen.lower import LoweredKernel
from lazygrad.ir.node import Node
from lazygrad.memory.arena import Temporary, aligned, plan_arena
from lazygrad.memory.donation import find_donations
from lazygrad.memory.lifetimes import lifetimes_of
from lazygrad.memory.overwriting import Overwriting, find_overwrites
from lazygrad.memory.slots import Donation, Place, Slot
from lazygrad.passes.fusion_cost import bytes_of
from lazygrad.passes.schedule import Schedule


@dataclass(frozen=True, slots=True)
class MemoryPlan:
    """Where the values of one plan lie.

    Attributes:
        slots: the place of every input buffer, and of every stored value that has memory of its own.
        temporaries: the arena's contents, by slot number.
        arena_bytes: its size.
        donations: outputs that may be written over an input's memory.
    """

    slots: Mapping[Node, Slot]
    temporaries: tuple[Temporary, ...]
    arena_bytes: int
    donations: tuple[Donation, ...]

    def place_of(self, node: Node) -> Place | None:
        """The place of a value with memory of its own, None for any other one."""
        slot = self.slots.get(node)
        return slot.place if slot else None

    @property
    def unshared_bytes(self) -> int:
        """What the temporaries would take if none shared memory."""
        return sum(aligned(bytes_of(temporary.node)) for temporary in self.temporaries)


def plan_memory(
    schedule: Schedule,
    kernels: Sequence[LoweredKernel],
    targets: Sequence[Overwriting],
    parts: Mapping[int, int] = MappingProxyType({}),
) -> MemoryPlan:
    """Place everything that ``schedule`` stores.

    Args:
        schedule: the order of steps.
        kernels: those of its steps that are no library calls, in order.
        targets: for each target that may run the plan, of which there is at least one, what its kernels may write over.
        parts: for input slots that hold a part of another input, the slot of that.
    """
    lifetimes = lifetimes_of(schedule, parts)
    overwrites = find_overwrites(schedule, kernels, lifetimes, targets)
    temporaries, arena_bytes = plan_arena(lifetimes.writes, lifetimes.last_read, overwrites)
    slots = {node: Slot(Place.INPUT, node["slot"]) for node in schedule.inputs}
    slots |= {node: Slot(Place.OUTPUT, number) for number, node in enumerate(schedule.outputs)}
    slots |= {temporary.node: Slot(Place.ARENA, number) for number, temporary in enumerate(temporaries)}
    donations = find_donations(schedule, kernels, lifetimes, targets, parts)
    return MemoryPlan(MappingProxyType(slots), tuple(temporaries), arena_bytes, tuple(donations))


@dataclass(frozen=True, slots=True)
class MemoryUse:
    """Bytes a plan occupies while it runs.

    Attributes:
        inputs: buffers it reads.
        outputs: new buffers.
        updated: outputs that take the place of an input, unless somebody else still needs that.
        arena: temporaries.
    """

    inputs: int
    outputs: int
    updated: int
    arena: int

    @property
    def peak(self) -> int:
        """The most at one time, where every update could be made in place."""
        return self.inputs + self.outputs + self.arena


def memory_use(schedule: Schedule, memory: MemoryPlan) -> MemoryUse:
    """What one run occupies."""
    updated = {donation.output for donation in memory.donations}
    return MemoryUse(
        inputs=sum(map(bytes_of, schedule.inputs)),
        outputs=sum(bytes_of(node) for number, node in enumerate(schedule.outputs) if number not in updated),
        updated=sum(bytes_of(node) for number, node in enumerate(schedule.outputs) if number in updated),
        arena=memory.arena_bytes,
    )
