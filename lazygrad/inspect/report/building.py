"""From a plan and the trace of its passes to the data of a report."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from lazygrad.inspect.costs import cost_of
from lazygrad.inspect.report.measuring import measure
from lazygrad.inspect.report.model import Buffer, Decision, PassRun, Program, Source, Step, Totals, Value
from lazygrad.inspect.report.places import Places, assigned_name
from lazygrad.inspect.report.source_lines import SourceMap
from lazygrad.inspect.report.tracing import Trace
from lazygrad.inspect.stages.plan_text import moved_bytes, step_bytes
from lazygrad.ir.attribute_text import print_attribute
from lazygrad.ir.graph import Graph, topological_order
from lazygrad.ir.node import Node
from lazygrad.ir.origin import Origin
from lazygrad.ir.primitives.gradient import grad
from lazygrad.ir.primitives.leaf import constant
from lazygrad.ir.printable import printable
from lazygrad.memory.slots import Place as Memory
from lazygrad.passes.fusion_cost import bytes_of
from lazygrad.runtime.overriding import override_words
from lazygrad.runtime.partitioned_plan import AnyPlan, PartitionedPlan
from lazygrad.runtime.plan import Plan
from lazygrad.runtime.recording import Recording

_GRADIENT = "grad of "
_ELSEWHERE = "for tensors elsewhere"  # that are alive, such as what a module counts with


@dataclass(frozen=True, slots=True)
class Asked:
    """A program that is to be explained.

    Attributes:
        title: what was asked for.
        recorded: its graph, which nothing else refers to.
        fusion: whether it is planned with fusion.
        parts: for input slots that hold a part of another input, the slot of that.
        cache: whether there is a plan for it, and if not, why.
        timed: the recording whose values its steps are timed on, or None.
    """

    title: str
    recorded: Graph
    fusion: bool
    parts: Mapping[int, int]
    cache: str
    timed: Recording | None = None


def built(asked: Asked) -> Program:
    """Plan a program once more, watching the passes, and write down all that is known of it."""
    trace = Trace(asked.recorded)
    start = time.perf_counter()
    with trace.following():
        if len({node.device for node in asked.recorded.nodes}) > 1:
            plan: AnyPlan = PartitionedPlan(asked.recorded, asked.fusion)
        else:
            plan = Plan(asked.recorded, asked.fusion, asked.parts)
        trace.end("fuse, schedule, lower, plan memory")
    milliseconds = 1e3 * (time.perf_counter() - start)
    program = _Building(asked, plan, trace, milliseconds).run()
    if asked.timed is not None:
        measure(program, plan, asked.timed)
    return program


class _Building:
    def __init__(self, asked: Asked, plan: AnyPlan, trace: Trace, milliseconds: float) -> None:
        self.asked, self.plan, self.trace, self.milliseconds = asked, plan, trace, milliseconds
        self.plans = plan.plans if isinstance(plan, PartitionedPlan) else [plan]
        self.places = Places()
        self.recorded: list[Value] = []
        self.primitive: list[Value] = []
        self.steps: list[Step] = []
        self.numbers: dict[Node, int] = {}
        self.renders: list[PassRun] = []

    def run(self) -> Program:
        self._record()
        sources: list[Source] = []
        decisions: list[Decision] = []
        buffers: list[Buffer] = []
        for part, plan in enumerate(self.plans):
            first = len(self.steps)
            self._add_primitives(plan)
            self._add_steps(plan)
            sources += self._sources(plan, first, f"{part} " if len(self.plans) > 1 else "")
            decisions += self._decisions(plan)
            buffers += self._buffers(plan, first)
        return Program(
            self.asked.title,
            self.places.listed,
            self.recorded,
            self.primitive,
            self.steps,
            sources,
            decisions,
            buffers,
            [*self.trace.runs, *self.renders],
            self.asked.cache,
            self._totals(),
        )

    # The recorded graph.

    def _record(self) -> None:
        graph = self.asked.recorded
        numbers = {node: i for i, node in enumerate(graph.nodes)}
        names = {node: printable(name) for node, name in graph.names.items()}
        computing = [node for node in graph.nodes if node.inputs and node.op is not grad]
        last = {(o._code, o._instruction): node for node in computing if (o := node.origin) is not None and o.file}
        assigned = {node: printable(assigned_name(node.origin)) for node in last.values()}
        roots = set(graph.roots)
        for node in graph.nodes:
            value = self._value(node, numbers, names.get(node) or assigned.get(node, ""), node in roots)
            if node.op is grad:
                output, _, target = node.inputs
                value.forward = numbers[output]
                above, below = (self.recorded[numbers[each]] for each in (output, target))
                value.title = f"d {_called(above)} / d {_called(below)}"
            self.recorded.append(value)
        for value in self.recorded:
            if value.title.startswith(_GRADIENT):  # spelled out while it was recorded
                value.forward = self._forward_of(value)
        for value in self.recorded:
            if value.title.startswith(_GRADIENT):
                value.title = self._gradient_title(value, value.title)
        self._move_into_modules(graph, numbers)

    def _move_into_modules(self, graph: Graph, numbers: dict[Node, int]) -> None:
        """What was recorded outside modules for one of their parameters belongs to its module: it, what it begins as,
        and its gradient."""
        for node in graph.names:
            for source in topological_order([node], _inputs_outside_modules):
                value = self.recorded[numbers[source]]
                value.scope = value.scope or _module_of(self.recorded[numbers[node]].name)
        for value in self.recorded:
            if value.op == grad.name:
                value.scope = self.recorded[value.inputs[2]].scope

    def _value(self, node: Node, numbers: dict[Node, int], name: str, is_root: bool) -> Value:
        origin = node.origin
        return Value(
            op=node.op.name,
            kind=node.op.kind.value,
            attrs={key: print_attribute(each) for key, each in node.named_attrs() if each is not None},
            type=str(node.type),
            bytes=bytes_of(node),
            inputs=[numbers[source] for source in node.inputs],
            title=_title(node, is_root),
            name=name,
            place=self.places.number_of(origin),
            scope=printable(origin.scope) if origin is not None else "",
            is_root=is_root,
        )

    def _forward_of(self, value: Value) -> int | None:
        """The recorded node whose gradient was recorded as operations; what was computed before is a buffer."""
        op = value.title.removeprefix(_GRADIENT)
        numbered = enumerate(self.recorded)
        of_line = [i for i, other in numbered if other.place == value.place and not other.is_gradient]
        same = [i for i in of_line if self.recorded[i].op == op]
        return max(same or of_line, default=None)

    def _gradient_title(self, value: Value, label: str) -> str:
        place = ""
        if value.place is not None:
            found = self.places.listed[value.place]
            place = f" at {found.file.rpartition('/')[2]}:{found.line}"
        return f"gradient of {label.removeprefix(_GRADIENT)}{place}"

    # The primitive graph, and what it became.

    def _add_primitives(self, plan: Plan) -> None:
        graph = plan.stages.primitive
        roots = set(graph.roots)
        for node in graph.nodes:
            self.numbers[node] = len(self.numbers)
        for node in graph.nodes:
            value = self._value(node, self.numbers, printable(graph.names.get(node, "")), node in roots)
            value.sources = self.trace.sources(node)
            value.scope = value.scope or _module_of(value.name)
            label = node.origin.label if isinstance(node.origin, Origin) else ""
            if label.startswith(_GRADIENT):
                value.title = self._gradient_title(value, label)
                maker = self.recorded[value.sources[0]]
                value.forward = maker.forward if maker.forward is not None else value.sources[0]
            elif label:
                value.title = f"{node.op.name} of {label}"
            elif value.place is None and value.sources and self.recorded[value.sources[0]].title.endswith(_ELSEWHERE):
                value.title = self.recorded[value.sources[0]].title
            self.primitive.append(value)

    def _add_steps(self, plan: Plan) -> None:
        lowered = iter(plan.kernels)
        stored = plan.schedule.stored
        for group in plan.schedule.steps:
            kernel = None if group.is_library else next(lowered).kernel
            cost = cost_of(group, plan.schedule)
            for node in group.nodes:
                self.primitive[self.numbers[node]].step = len(self.steps)
            self.steps.append(
                Step(
                    name=group.nodes[0].op.name if kernel is None else kernel.name,
                    is_library=kernel is None,
                    nodes=[self.numbers[node] for node in group.nodes],
                    reads=sorted(self.numbers[node] for node in group.reads),
                    writes=[self.numbers[node] for node in group.nodes if node in stored],
                    bytes=step_bytes(plan, group),
                    flops=cost.flops if cost.counts_all else None,
                    shape=list(group.domain.shape) if group.domain else list(group.nodes[0].shape),
                    kernel="" if kernel is None else str(kernel),
                    overridden="" if kernel is None else override_words(kernel),
                )
            )

    def _sources(self, plan: Plan, first: int, prefix: str) -> Iterator[Source]:
        for target in plan.targets:
            start = time.perf_counter()
            source = plan.source_in_force(target)
            text = source.text
            self.renders.append(PassRun(f"render {prefix}{target.name}", 0, 1e6 * (time.perf_counter() - start), {}))
            lines = SourceMap(plan.program, source)
            name = prefix + target.name
            for number in range(len(plan.schedule.steps)):
                self.steps[first + number].sources[name] = lines.ranges(number)
            made = {line: [self.numbers[node] for node in nodes] for line, nodes in lines.nodes.items()}
            yield Source(name, text, made)

    def _decisions(self, plan: Plan) -> Iterator[Decision]:
        fused = plan.stages.fused
        assert fused is not None
        for a, b, is_fused, reason, saved in fused.decisions:
            yield Decision(self.numbers[a], self.numbers[b], is_fused, reason, saved)

    def _buffers(self, plan: Plan, first: int) -> Iterator[Buffer]:
        """Inputs and outputs live through the whole run; what of them is written when, the steps say."""
        last = first + max(len(plan.schedule.steps) - 1, 0)
        temporaries = plan.memory.temporaries
        for node, slot in plan.memory.slots.items():
            begin, end, offset = first, last, 0
            if slot.place is Memory.ARENA:
                temporary = temporaries[slot.index]
                begin, end, offset = first + temporary.first, first + temporary.last, temporary.offset
            yield Buffer(self.numbers[node], slot.place.value, slot.index, bytes_of(node), offset, begin, end)

    def _totals(self) -> Totals:
        return Totals(
            self.plan.kernel_calls,
            self.plan.library_calls,
            moved_bytes(self.plan),
            max((plan.memory_use.peak for plan in self.plans), default=0),
            sum(plan.memory.arena_bytes for plan in self.plans),
            self.milliseconds,
        )


def _title(node: Node, is_root: bool) -> str:
    """Numbers have no line of their own: all that hold the same one share its node, and it is computed for all."""
    label = "" if node.origin is None else node.origin.label
    if label.startswith(_GRADIENT):
        return label
    if node.op is constant and is_root:
        return f"{print_attribute(node['value'])} {_ELSEWHERE}"
    return node.op.name


def _inputs_outside_modules(node: Node) -> tuple[Node, ...]:
    return node.inputs if node.origin is not None and not node.origin.scope else ()


def _module_of(name: str) -> str:
    """The module of a parameter, from its path."""
    return name.rpartition(".")[0]


def _called(value: Value) -> str:
    """What a user calls it: a variable, or a parameter by its path in the model."""
    return (value.name.partition(".")[2] or value.name) if value.name else value.title
