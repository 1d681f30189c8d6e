"""One step of a plan as a program of its own, and random data for it."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType

import numpy as np

from lazygrad.codegen.lower import LoweredKernel
from lazygrad.host.buffer import Buffer, buffer_of
from lazygrad.host.dtypes import to_numpy
from lazygrad.ir.dtype import Category
from lazygrad.ir.node import Node, TensorType
from lazygrad.memory.plan import MemoryPlan
from lazygrad.memory.slots import Place, Slot
from lazygrad.passes.destinations import Destination
from lazygrad.targets.base import LoweredProgram


def one_step(program: LoweredProgram, step: int, kernel: LoweredKernel, name: str) -> LoweredProgram:
    """The program of one kernel, with the same memory layouts: what it reads is input, what it writes output.

    Args:
        program: the whole.
        step: the number of the step in its schedule.
        kernel: what that step runs.
        name: what its function is called there.
    """
    schedule, group = program.schedule, program.schedule.steps[step]
    stored = frozenset([*group.reads, *kernel.outputs])
    inside = _inside(stored, program)
    written = list(dict.fromkeys(schedule.memory_of(node)[0] for node in kernel.outputs))
    read = dict.fromkeys(schedule.memory_of(node)[0] for node in group.reads)
    inputs = [node for node in read if node not in written]  # a piece of what it writes to is read there
    slots = {node: Slot(Place.INPUT, number) for number, node in enumerate(inputs)}
    slots |= {node: Slot(Place.OUTPUT, number) for number, node in enumerate(written)}
    alone = replace(
        schedule,
        steps=(group,),
        stored=stored,
        destinations=MappingProxyType(inside),
        inputs=tuple(inputs),
        outputs=tuple(written),
        roots=(),
        watched=(),
        alone=frozenset(),
    )
    called = replace(kernel, kernel=replace(kernel.kernel, name=name))
    return LoweredProgram(alone, (called,), MemoryPlan(MappingProxyType(slots), (), 0, ()), f"{program.name}, {name}")


def _inside(stored: frozenset[Node], program: LoweredProgram) -> dict[Node, Destination]:
    """The destinations of these values and of what they lie in, in the plan's order."""
    destinations = program.schedule.destinations
    wanted: set[Node] = set()
    for node in stored:
        while node in destinations:
            wanted.add(node)
            node = destinations[node].joined
    return {node: place for node, place in destinations.items() if node in wanted}


def random_values(types: list[TensorType], seed: int = 0) -> list[Buffer]:
    """Buffers of floats from ½ to 1½, so that logarithms and roots are finite; of other dtypes of 0 and 1."""
    generator = np.random.default_rng(seed)
    made = []
    for type in types:
        dtype = to_numpy(type.dtype)
        if type.dtype.category in (Category.FLOAT, Category.COMPLEX):
            array = (generator.random(type.shape) + 0.5).astype(dtype)
        else:
            array = generator.integers(0, 2, type.shape).astype(dtype)
        made.append(buffer_of(array, type.device))
    return made
