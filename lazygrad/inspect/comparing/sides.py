"""The contenders of a comparison: a plan on one target, ready to run on the values of a recording."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from lazygrad.host.buffer import new_buffer, on_host
from lazygrad.memory.slots import Place
from lazygrad.runtime.backend_choice import get_backend, in_question, is_there
from lazygrad.runtime.partitioned_plan import AnyPlan, PartitionedPlan
from lazygrad.runtime.parts import with_parts
from lazygrad.runtime.plan import Plan
from lazygrad.runtime.recording import Recording
from lazygrad.targets.base import Target
from lazygrad.targets.executable import Clocked


class Contender:
    """One way of running a program.

    Args:
        name: what it is called in the tables.
        plan: what runs.
        recording: whose values it reads; its nodes get none.
        target: by name; default: what the plan would run on once everything is compiled.
        only_asked: its results are those that were asked for, and not what else somebody holds.

    Attributes:
        target: that runs; None for a program on several devices, of which each has its own.
    """

    def __init__(
        self, name: str, plan: AnyPlan, recording: Recording, target: str | None = None, only_asked: bool = False
    ) -> None:
        self.name, self.plan, self.scalars = name, plan, recording.scalars
        self.inputs = with_parts([node.value for node in recording.buffers], list(recording.parts.values()))
        self.outputs = [new_buffer(node.type) for node in plan.schedule.outputs]
        wanted = [node for node in recording.roots if node.value is None] if only_asked else recording.stored
        self._shapes = [node.shape for node in wanted]  # a plan's results may be stored in other shapes
        self.target = None if isinstance(plan, PartitionedPlan) else _target(plan, target)
        self.run = self._run()

    def _run(self) -> Callable[[], None]:
        inputs, outputs, scalars = self.inputs, self.outputs, self.scalars
        if not any(node.device.computes for node in self.plan.schedule.outputs):
            return lambda: None  # a device that only plans
        if isinstance(self.plan, PartitionedPlan) or self.target is None:
            plan = self.plan
            plan.compile()
            return lambda: plan.run(inputs, outputs, scalars)
        if self.plan.edits(self.target):
            executable = self.target.load(self.plan.source_in_force(self.target), self.plan.program)
        else:
            executable = self.plan.executable(self.target.name)

        def run() -> None:
            executable.run(inputs, outputs, scalars)
            executable.wait()

        return run

    def clocked(self) -> Clocked | None:
        """The same with a clock between its steps, where there is one target."""
        if self.target is None or isinstance(self.plan, PartitionedPlan):
            return None
        return self.target.clocked(self.plan.program, self.plan.edits(self.target))

    def results(self) -> list[np.ndarray]:
        """The values in the order of the recording; outputs may hold further ones, kept for a later gradient."""
        found = []
        for shape, root in zip(self._shapes, self.plan.schedule.roots, strict=False):
            slot = self.plan.memory.slots[root]
            value = (self.outputs if slot.place is Place.OUTPUT else self.inputs)[slot.index]
            if root.device.computes:
                found.append(on_host(value, root.type).reshape(shape))
        return found

    @property
    def runs_on(self) -> str:
        if self.target is None or isinstance(self.plan, PartitionedPlan):
            return "the target of each device"
        names = " ".join([kernel.name for kernel in self.plan.edits(self.target)])
        return f"{self.target.name} with overridden {names}" if names else self.target.name


def _target(plan: Plan, name: str | None) -> Target[Any]:
    if name is not None:
        found = {target.name: target for target in plan.targets}.get(name)
        if found is None:
            raise ValueError(f"{plan.device} has no backend {name!r}, only {', '.join(t.name for t in plan.targets)}")
        return found
    overridden = plan.overridden_target()
    if overridden is not None:
        return overridden
    choice = get_backend()
    return next(target for target in in_question(plan.targets, choice) if is_there(target, choice))
