"""A plan for all sizes of a range: one module of a target, in which what depends on the size is a number of the run.

The program is planned at some sizes: both ends of the range, two neighbours of the upper one, and one between. Whatever
is decided by comparing a size with a number is then the same in the whole range, since it is at both ends; and what is
decided by whether a number divides a size, since three neighbours have different remainders. All numbers in the text
must follow from the size by one formula each. Of what a kernel needs, only that no dimension has one element or none
can be lost between the ends, so each size is asked for that.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from lazygrad.host.buffer import Buffer
from lazygrad.ir.graph import Graph
from lazygrad.ir.node import Node, tensor_type
from lazygrad.ir.polynomial import NotDynamic, Polynomial, fitted
from lazygrad.memory.arena import Temporary, plan_arena
from lazygrad.memory.plan import MemoryPlan
from lazygrad.passes.schedule import Schedule
from lazygrad.runtime.backend_choice import AUTO, get_backend
from lazygrad.runtime.blame import name_line
from lazygrad.runtime.dynamic.graph_template import GraphTemplate
from lazygrad.runtime.plan import Plan
from lazygrad.runtime.tiers import runs
from lazygrad.targets.base import LoweredProgram, OpenExecutable
from lazygrad.targets.compiled_calls import compiled_calls_may_be_used
from lazygrad.targets.executable import Executable

NARROWEST = 8  # sizes; a range has three neighbours and two more
Shapes = tuple[tuple[Polynomial, ...], ...]


class RangePlan:
    """The plan of one program from size ``low`` to size ``high``.

    Args:
        template: the program.
        parts: for input slots that hold a part of another input, the slot of that.
        low, high: both are planned for; they are `NARROWEST` sizes or more apart.

    Attributes:
        plan: that of the upper end, whose forms stand for all.
        code: what runs at each size.
        shapes: of what has memory of its own in ``plan``, as formulas.

    Raises:
        NotDynamic: the program is planned in different ways at different sizes.
    """

    def __init__(self, template: GraphTemplate, parts: Mapping[int, int], low: int, high: int) -> None:
        self.low, self.high = low, high
        sizes = [high, low, high - 1, high - 2, (low + high) // 2]
        plans = [Plan(template.at(size), parts=parts) for size in sizes[:2]]
        _opened(plans, sizes)  # most ranges that will not do are noticed here
        plans += [Plan(template.at(size), parts=parts) for size in sizes[2:]]
        self.plan = plans[0]
        self.code = _opened(plans, sizes)
        nodes = [_listed(plan) for plan in plans]
        if len({tuple([(node.op, node.dtype, node.device, node.rank) for node in own]) for own in nodes}) > 1:
            raise NotDynamic(f"the plans for {low} and {high} store other values")
        if len({_layout(plan) for plan in plans}) > 1:
            raise NotDynamic(f"the plans for {low} and {high} keep their values in other places")
        self.shapes = dict(zip(nodes[0], _shapes(nodes, sizes), strict=True))
        self._extents = _extents([plan.stages.primitive.nodes for plan in plans if plan.stages.primitive], sizes)

    def serves(self, size: int) -> bool:
        """Whether the plan may run at ``size``."""
        return (
            self.low <= size <= self.high
            and all([extent.at(size) >= 2 for extent in self._extents])
            and self.code.serves(size)
        )

    def at(self, size: int) -> SizedPlan:
        """The plan at one size, which it `serves`."""
        copies = {
            node: Node(node.op, (), node.attrs, tensor_type(_at(shape, size), node.dtype, node.device))
            for node, shape in self.shapes.items()
        }
        schedule, memory = self.plan.schedule, self.plan.memory
        sized = replace(
            schedule,
            inputs=tuple([copies[node] for node in schedule.inputs]),
            outputs=tuple([copies[node] for node in schedule.outputs]),
            roots=tuple([copies[node] for node in schedule.roots]),
        )
        temporaries, arena_bytes = _arena(memory.temporaries, len(schedule.steps), copies)
        slots = {copies[node]: slot for node, slot in memory.slots.items()}
        places = MemoryPlan(MappingProxyType(slots), temporaries, arena_bytes, memory.donations)
        program = replace(self.plan.program, schedule=sized, memory=places)
        return SizedPlan(self.plan, program, self.code.at(program, size))


class SizedPlan:
    """A `RangePlan` at one size, as far as running and settling need it.

    Attributes:
        schedule, memory: what is put in and comes out has this size; the steps are those of the range's upper end.
        steps: how many primitive operations there are.
    """

    is_one_program = False

    def __init__(self, plan: Plan, program: LoweredProgram, code: Executable) -> None:
        self.schedule: Schedule = program.schedule
        self.memory: MemoryPlan = program.memory
        self.steps = len(plan.stages.primitive or ())
        self._plan, self._code = plan, code

    def run(
        self,
        inputs: Sequence[Buffer],
        outputs: Sequence[Buffer],
        scalars: Sequence[Any],
        recorded: Callable[[], Graph] | None = None,
    ) -> None:
        """Run once; see `Plan.run`."""
        runs.dynamic += 1
        try:
            with compiled_calls_may_be_used() if get_backend() == AUTO else nullcontext():
                self._code.run(inputs, outputs, scalars)
        except Exception as error:
            step = self._code.failed_step(error)
            if step is not None:
                now = None if recorded is None else recorded()
                name_line(error, self._plan.schedule.steps[step], self._plan.stages.recorded, now)
            raise


def _opened(plans: Sequence[Plan], sizes: Sequence[int]) -> OpenExecutable:
    """The code of the first target, which runs at once."""
    return plans[0].targets[0].opened([plan.program for plan in plans[: len(sizes)]], sizes[: len(plans)])


def _listed(plan: Plan) -> list[Node]:
    """What has memory of its own, in an order that plans of one program share, inputs and results included."""
    schedule = plan.schedule
    temporaries = [temporary.node for temporary in plan.memory.temporaries]
    return [*dict.fromkeys([*schedule.inputs, *schedule.outputs, *schedule.roots, *temporaries])]


def _layout(plan: Plan) -> tuple[Any, ...]:
    """Where values lie, but for offsets, and what lies over what."""
    schedule, memory = plan.schedule, plan.memory
    number = {node: i for i, node in enumerate(_listed(plan))}
    places = tuple([(number[node], slot) for node, slot in memory.slots.items()])
    roots = tuple([number[root] for root in schedule.roots])
    leaves = tuple([node["slot"] for node in schedule.inputs])
    over = [(number[new], number[old]) for new, old in _overwrites(memory.temporaries).items()]
    lifetimes = tuple([(temporary.first, temporary.last) for temporary in memory.temporaries])
    others = schedule.watched, schedule.alone, memory.donations, len(schedule.steps)
    return places, roots, leaves, tuple(over), lifetimes, others


def _overwrites(temporaries: Sequence[Temporary]) -> dict[Node, Node]:
    """Values that are written over another one: the step that writes them is the last that reads it."""
    ending = {(temporary.offset, temporary.last): temporary.node for temporary in temporaries}
    return {
        new.node: ending[new.offset, new.first]
        for new in temporaries
        if (new.offset, new.first) in ending and ending[new.offset, new.first] is not new.node
    }


def _arena(
    temporaries: Sequence[Temporary], steps: int, copies: Mapping[Node, Node]
) -> tuple[tuple[Temporary, ...], int]:
    """The arena for values of other sizes, with the same lifetimes."""
    writes: list[list[Node]] = [[] for _ in range(steps)]
    for temporary in temporaries:
        writes[temporary.first].append(copies[temporary.node])
    last_read = {copies[temporary.node]: temporary.last for temporary in temporaries}
    overwrites = {copies[new]: copies[old] for new, old in _overwrites(temporaries).items()}
    placed, arena_bytes = plan_arena(writes, last_read, overwrites)
    return tuple(placed), arena_bytes


def _shapes(nodes: Sequence[Sequence[Node]], sizes: Sequence[int]) -> Shapes:
    """The shape of each node as formulas, from the node in the plan of each size."""
    found = []
    for same in zip(*nodes, strict=True):
        extents = [fitted(sizes, values) for values in zip(*[node.shape for node in same], strict=True)]
        known = tuple([extent for extent in extents if extent is not None])
        if len(known) < len(extents):
            raise NotDynamic(f"no formula was found for the shapes {', '.join([str(node.type) for node in same])}")
        found.append(known)
    return tuple(found)


def _extents(nodes: Sequence[Sequence[Node]], sizes: Sequence[int]) -> list[Polynomial]:
    """The dimensions that differ, of all values, stored or not."""
    if len({tuple([(node.op, node.rank) for node in own]) for own in nodes}) > 1:
        raise NotDynamic(f"the plans for {min(sizes)} and {max(sizes)} compute other values")
    extents = dict.fromkeys([extent for shape in _shapes(nodes, sizes) for extent in shape])
    return [extent for extent in extents if not extent.is_constant]


def _at(shape: Sequence[Polynomial], size: int) -> tuple[int, ...]:
    return tuple([extent.at(size) for extent in shape])
