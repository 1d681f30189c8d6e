"""The plan of a program on several devices: a plan for each part, with copies between them in order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from lazygrad.host.buffer import Buffer, copy_buffer, new_buffer
from lazygrad.ir.build import reshape
from lazygrad.ir.graph import Graph
from lazygrad.ir.node import Node, TensorType
from lazygrad.ir.primitives.leaf import buffer, leaf_node, scalar
from lazygrad.memory.plan import MemoryPlan
from lazygrad.memory.slots import Donation, Place, Slot
from lazygrad.passes.differentiate import differentiate
from lazygrad.passes.partition import Part, partition
from lazygrad.passes.pipeline import Stages
from lazygrad.passes.reuse import reuse_realized
from lazygrad.passes.rewrite import with_inputs
from lazygrad.runtime.plan import Plan
from lazygrad.runtime.results import Results
from lazygrad.targets.executable import Executable

Cells = list[Any]


@dataclass(slots=True)
class Cell:
    """A value that passes between steps.

    Attributes:
        number: of its buffer.
        stored: the node that says as what it is stored.
    """

    number: int
    stored: Node


@dataclass(slots=True)
class PartStep:
    """One part's plan, and which cells it reads and makes."""

    plan: Plan
    computes: bool
    inputs: list[int] = field(default_factory=list)
    outputs: list[tuple[int, TensorType]] = field(default_factory=list)
    scalars: list[int] = field(default_factory=list)

    @property
    def reads(self) -> list[int]:
        return self.inputs

    def run(self, cells: Cells, scalars: Sequence[Any]) -> None:
        for number, type in self.outputs:
            if cells[number] is None:
                cells[number] = new_buffer(type)
        if self.computes:
            inputs = [cells[number] for number in self.inputs]
            outputs = [cells[number] for number, _ in self.outputs]
            self.plan.run(inputs, outputs, [scalars[number] for number in self.scalars])


@dataclass(slots=True)
class CopyStep:
    """One copy from a device to another."""

    source: int
    source_type: TensorType
    target: int
    target_type: TensorType

    @property
    def reads(self) -> list[int]:
        return [self.source]

    def run(self, cells: Cells, scalars: Sequence[Any]) -> None:
        if cells[self.target] is None:
            cells[self.target] = new_buffer(self.target_type)
        if self.target_type.device.computes:
            copy_buffer(cells[self.source], self.source_type, cells[self.target])


class PartitionedPlan:
    """Runs as a `Plan` does.

    Attributes:
        stages: the recorded form and the differentiated one, which is cut.
        steps: plans of parts, and copies between them.
        schedule: which values are the results.
        memory: where they are, and which may be written over an input; what passes between parts is not in it.
        runs: how often it ran.
        fastest: of a plan, the executables that run it; none runs this one as a whole.
        number: that of its last part's plan.
    """

    is_one_program = False
    fastest: Mapping[str, Executable] = MappingProxyType({})

    def __init__(self, recorded: Graph, fusion: bool = True) -> None:
        self.stages = Stages(recorded)
        graph = recorded
        for graph_pass in (differentiate, reuse_realized):
            graph = graph_pass(graph)
            self.stages.after.append((graph_pass.__name__, graph))
        leaves = [node for node in (*recorded.nodes, *recorded.realized.values()) if node.op is buffer]
        made = _Making(graph, fusion, 1 + max([leaf["slot"] for leaf in leaves], default=-1))
        self.steps, self.schedule = made.steps, made.results
        self.memory = MemoryPlan(made.slots, (), 0, tuple(made.donations))
        self._cell_count, self._output_cells, self._last_read = made.cell_count, made.output_cells, made.last_read()
        self.runs = 0
        self.number = max((plan.number for plan in self.plans), default=0)

    @property
    def plans(self) -> list[Plan]:
        """Those of the parts, in the order in which they run."""
        return [step.plan for step in self.steps if isinstance(step, PartStep)]

    @property
    def copies(self) -> int:
        """How many values go from one device to another."""
        return sum(isinstance(step, CopyStep) for step in self.steps)

    @property
    def kernel_calls(self) -> int:
        return sum(plan.kernel_calls for plan in self.plans)

    @property
    def library_calls(self) -> int:
        return sum(plan.library_calls for plan in self.plans)

    @property
    def bytes_held(self) -> int:
        return sum(plan.bytes_held for plan in self.plans)

    @property
    def is_compiled(self) -> bool:
        return all(plan.is_compiled for plan in self.plans)

    def compile(self) -> None:
        for plan in self.plans:
            plan.compile()

    def run(
        self,
        inputs: Sequence[Buffer],
        outputs: Sequence[Buffer],
        scalars: Sequence[Any],
        program: Callable[[], Graph] | None = None,
    ) -> None:
        """Run once; see `Plan.run`. An error names the lines that the parts were first recorded at."""
        cells: Cells = [*inputs, *[None] * (self._cell_count - len(inputs))]
        for number, output in zip(self._output_cells, outputs, strict=True):
            cells[number] = output
        self.runs += 1
        for step, ended in zip(self.steps, self._last_read, strict=True):
            step.run(cells, scalars)
            for number in ended:
                cells[number] = None


AnyPlan = Plan | PartitionedPlan


class _Making:
    """Plans one part after the other: what a part is given is stored as the plans before it say."""

    def __init__(self, graph: Graph, fusion: bool, input_count: int) -> None:
        self.fusion, self.graph, self.cell_count = fusion, graph, input_count
        self.cut = partition(graph)
        self.input_leaves = {node["slot"]: node for node in graph.nodes if node.op is buffer}
        self.cells = {node: Cell(slot, node) for slot, node in self.input_leaves.items()}
        self.cells |= {node: self.cells[self.input_leaves[node["slot"]]] for node in graph.nodes if node.op is buffer}
        self.stored_in: dict[int, Node] = {cell.number: cell.stored for cell in self.cells.values()}
        self.watched: dict[Node, int] = {}
        self.steps: list[PartStep | CopyStep] = []
        for step in self.cut.steps:
            self.steps.append(self._part(step) if isinstance(step, Part) else self._copy(step))
        self.slots: dict[Node, Slot] = {}
        self.results, self.output_cells = self._results()
        self.donations = self._donations()

    def _new_cell(self, stored: Node) -> Cell:
        cell = Cell(self.cell_count, stored)
        self.stored_in[cell.number] = stored
        self.cell_count += 1
        return cell

    def _copy(self, node: Node) -> CopyStep:
        source = self.cells[self.cut.read_as[node.inputs[0]]]
        target = self.cells[node] = self._new_cell(node)
        return CopyStep(source.number, source.stored.type, target.number, node.type)

    def _part(self, part: Part) -> PartStep:
        inputs: dict[int, Node] = {}
        scalars: dict[int, Node] = {}
        names: dict[Node, str] = {}
        local: dict[Node, Node] = {}

        def read(source: Node) -> Node:
            if source not in local:
                local[source] = self._read(source, inputs, scalars)
                if source in self.graph.names:
                    names[local[source]] = self.graph.names[source]
            return local[source]

        for node in part.nodes:
            local[node] = with_inputs(node, tuple([read(self.cut.read_as[source]) for source in node.inputs]))
        wanted = list(part.wanted)
        kept = [node for node in self.cut.watched if node in local and node not in part.wanted]
        graph = Graph(
            [read(node) for node in wanted], names, watched=[local[node] for node in kept if node is not None]
        )
        step = PartStep(Plan(graph, self.fusion), part.device.computes, list(inputs), scalars=list(scalars))
        schedule = step.plan.schedule
        made = [self._new_cell(node) for node in schedule.outputs]
        step.outputs = [(cell.number, cell.stored.type) for cell in made]
        for node, root in zip(wanted, schedule.roots, strict=True):
            number = step.plan.memory.slots[root].index
            self.cells[node] = Cell(step.inputs[number], root) if root.op is buffer else made[number]
        for watched, output in zip(kept, schedule.watched, strict=True):
            if watched is not None and output is not None:
                self.watched[watched] = made[output].number
        return step

    def _read(self, source: Node, inputs: dict[int, Node], scalars: dict[int, Node]) -> Node:
        """A leaf of a part's graph for what is made before it."""
        if source.op is scalar:
            slot = source["slot"]
            if slot not in scalars:
                scalars[slot] = leaf_node(scalar, (source["value"], len(scalars)), source.type)
            return scalars[slot]
        cell = self.cells.get(source)
        if cell is None:
            return source  # a constant, or numbers in order
        if cell.number not in inputs:
            inputs[cell.number] = leaf_node(buffer, (len(inputs),), cell.stored.type)
            inputs[cell.number].origin = source.origin
        leaf = inputs[cell.number]
        return leaf if leaf.shape == source.shape else reshape(leaf, source.shape)

    def _results(self) -> tuple[Results, list[int]]:
        root_cells = [self.cells[root] for root in self.cut.roots]
        watched_cells = [None if node is None else self._watched_cell(node) for node in self.cut.watched]
        numbers = [cell.number for cell in root_cells] + [number for number in watched_cells if number is not None]
        output_cells = [number for number in dict.fromkeys(numbers) if number not in self.input_leaves]
        position = {number: i for i, number in enumerate(output_cells)}
        outputs = [self.stored_in[number] for number in output_cells]
        self.slots |= {leaf: Slot(Place.INPUT, slot) for slot, leaf in self.input_leaves.items()}
        self.slots |= {node: Slot(Place.OUTPUT, i) for i, node in enumerate(outputs)}
        holds = Counter(numbers)
        results = Results(
            inputs=list(self.input_leaves.values()),
            outputs=outputs,
            roots=[self.stored_in[cell.number] for cell in root_cells],
            watched=[None if number is None else position.get(number) for number in watched_cells],
            alone=frozenset(position[number] for number in output_cells if holds[number] == 1),
        )
        return results, output_cells

    def _watched_cell(self, node: Node) -> int | None:
        return self.cells[node].number if node in self.cells else self.watched.get(node)

    def _donations(self) -> list[Donation]:
        """Those of the parts where nothing else reads the input, before or after."""
        readers = Counter(number for step in self.steps for number in step.reads)
        readers.update(self.cells[root].number for root in self.cut.roots)
        position = {number: i for i, number in enumerate(self.output_cells)}
        found = []
        for step in self.steps:
            if not isinstance(step, PartStep):
                continue
            for donation in step.plan.memory.donations:
                source, output = step.inputs[donation.input], step.outputs[donation.output][0]
                if source in self.input_leaves and readers[source] == 1 and output in position:
                    found.append(Donation(position[output], source))
        return found

    def last_read(self) -> list[list[int]]:
        """Per step the cells between steps that nobody reads after it."""
        last: dict[int, int] = {}
        for position, step in enumerate(self.steps):
            made = [number for number, _ in step.outputs] if isinstance(step, PartStep) else [step.target]
            last |= dict.fromkeys([*step.reads, *made], position)
        ended: list[list[int]] = [[] for _ in self.steps]
        for number, position in last.items():
            if number not in self.input_leaves and number not in self.output_cells:
                ended[position].append(number)
        return ended
