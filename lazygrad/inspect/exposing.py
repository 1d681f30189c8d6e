"""A plan with all of its values in sight: each stored value has memory of its own, to be looked at afterwards."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from lazygrad.codegen.editing import NO_EDITS, Edits
from lazygrad.host.buffer import Buffer, new_buffer, on_host
from lazygrad.host.strides import as_strided
from lazygrad.ir.node import Node
from lazygrad.ir.primitives.leaf import buffer
from lazygrad.memory.plan import MemoryPlan
from lazygrad.memory.slots import Place, Slot
from lazygrad.passes.schedule import Schedule
from lazygrad.targets.base import LoweredProgram, Target


def exposed(program: LoweredProgram) -> LoweredProgram:
    """The same steps and kernels, of which each temporary is an output, and nothing is written over anything."""
    memory = program.memory
    outputs = (*program.schedule.outputs, *[temporary.node for temporary in memory.temporaries])
    slots = {node: slot for node, slot in memory.slots.items() if slot.place is Place.INPUT}
    slots |= {node: Slot(Place.OUTPUT, number) for number, node in enumerate(outputs)}
    schedule = replace(program.schedule, outputs=outputs)
    return LoweredProgram(schedule, program.kernels, MemoryPlan(slots, (), 0, ()), f"{program.name} exposed")


class StepFailed(Exception):
    """A step raised what this exception was raised from.

    Attributes:
        step: its number.
    """

    def __init__(self, step: int) -> None:
        super().__init__(step)
        self.step = step


class Values:
    """What one run of a program on one target stored.

    Args:
        target: that runs it.
        program: as it was planned.
        inputs, scalars: of the run.
        edits: kernels that are others' work.

    Raises:
        LoadError: the target cannot run it.
        StepFailed: a step raised something.
        Exception: something was raised by who knows which step.
    """

    def __init__(
        self,
        target: Target[Any],
        program: LoweredProgram,
        inputs: Sequence[Buffer],
        scalars: Sequence[Any],
        edits: Edits = NO_EDITS,
    ) -> None:
        seen = exposed(program)
        self._schedule, self._slots, self._inputs = seen.schedule, seen.memory.slots, inputs
        self._outputs = [new_buffer(node.type) for node in seen.schedule.outputs]
        source = target.render(seen)
        executable = target.load(target.edited(source, seen, edits) if edits else source, seen)
        try:
            executable.run(inputs, self._outputs, scalars)
        except Exception as error:
            step = executable.failed_step(error)
            if step is None:
                raise
            raise StepFailed(step) from error

    def __contains__(self, node: Node) -> bool:
        """Whether a stored value or an input can be seen: what a later step has changed cannot."""
        return node in self._schedule.stored and not is_changed_later(node, self._schedule)

    def __getitem__(self, node: Node) -> np.ndarray:
        """A stored value, as an array that is not to be written to."""
        root, view = self._schedule.memory_of(node)
        slot = self._slots[root]
        value = (self._inputs if slot.place is Place.INPUT else self._outputs)[slot.index]
        array = on_host(value, root.type).reshape(-1)
        return as_strided(array[view.offset :], view.shape, tuple([each * array.itemsize for each in view.strides]))


def is_changed_later(node: Node, schedule: Schedule) -> bool:
    """Whether a call that starts from this value has changed it in place."""
    while node.op is not buffer and node in schedule.destinations:
        node = schedule.destinations[node].joined
        if node.op.starts_from_first:
            return True
    return False
