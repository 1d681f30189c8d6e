"""The graphs that a report shows of one program, from the modules to the plan, each laid out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from lazygrad.inspect.report.layout import Edge, Point, layered
from lazygrad.inspect.report.model import Program, Step, Value
from lazygrad.inspect.report.outline import outline


@dataclass(slots=True)
class Box:
    """A box of a graph.

    Attributes:
        title, detail: its two lines.
        kind: what it is drawn as.
        members: what it stands for: modules and steps for nodes, each node for itself.
    """

    title: str
    detail: str
    kind: str
    members: list[int]


@dataclass(slots=True)
class Level:
    """One graph: its boxes, where they stand, and the edges between them.

    Attributes:
        of: what the members of its boxes are: ``recorded``, ``primitive`` or ``step``.
    """

    name: str
    of: str
    boxes: list[Box]
    edges: list[Edge]
    points: list[Point]


def levels(program: Program) -> list[Level]:
    """The modules, the recorded and the primitive graph, the groups that fusion made, and the steps in order."""
    groups = [Box(step.name, _costs(step), _kind(step.is_library), [i]) for i, step in enumerate(program.steps)]
    flow = _step_edges(program)
    return [
        _modules(program),
        _graph("recorded", program.recorded),
        _graph("primitive", program.primitive),
        Level("fused", "step", groups, flow, layered(len(groups), flow)),
        Level("plan", "step", groups, flow, [(0.0, float(i)) for i in range(len(groups))]),
    ]


def _graph(name: str, values: Sequence[Value]) -> Level:
    """A graph of values. What asks for a gradient stands near what reads its parameter, not below the loss."""
    boxes = [Box(_words(value), _detail(value), _kind_of(value), [i]) for i, value in enumerate(values)]
    edges = [(source, i) for i, value in enumerate(values) for source in value.inputs]
    near = [(source, i) for source, i in edges if values[i].op != "grad"]
    reader = {source: i for source, i in reversed(near)}
    near += [(reader.get(value.inputs[2], value.inputs[2]), i) for i, value in enumerate(values) if value.op == "grad"]
    return Level(name, name, boxes, edges, layered(len(boxes), near))


def _words(value: Value) -> str:
    """Of a long path the end, which tells most."""
    if value.op == "grad":
        above, _, below = value.title.rpartition(" ")
        return f"{above} {_end(below, 14)}"
    return _end(value.name, 25) or value.title


def _end(text: str, length: int) -> str:
    return text if len(text) <= length else f"…{text[1 - length :]}"


def _detail(value: Value) -> str:
    return f"{value.title}  {value.type}" if value.name else value.type


def _kind_of(value: Value) -> str:
    return "gradient" if value.forward is not None else value.kind


def _kind(is_library: bool) -> str:
    return "library" if is_library else "kernel"


def _costs(step: Step) -> str:
    if step.milliseconds is None:
        return _size(step.bytes)
    time = 1000 * step.milliseconds
    return f"{_size(step.bytes)}, {time:,.0f} µs" if time >= 100 else f"{_size(step.bytes)}, {time:.3g} µs"


def _size(count: int) -> str:
    for unit, scale in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if count >= scale:
            return f"{count / scale:.1f} {unit}"
    return f"{count} B"


def _step_edges(program: Program) -> list[Edge]:
    edges = []
    for i, step in enumerate(program.steps):
        makers = [program.primitive[number].step for number in step.reads]
        edges += [(maker, i) for maker in dict.fromkeys(makers) if maker is not None and maker != i]
    return edges


def _modules(program: Program) -> Level:
    """Recorded nodes by the modules of the outline: equal layers are one box. What asks for gradients reads the loss
    and all parameters; these edges are left out."""
    boxes: list[Box] = []
    box_of_scope: dict[str, int] = {}
    paths: list[str] = []
    for depth, module in outline(program).walk():
        paths = [*paths[:depth], module.name]
        box_of_scope |= dict.fromkeys(module.scopes, len(boxes))
        times = f" ×{module.times}" if module.times > 1 else ""
        boxes.append(Box((module.name or "outside modules") + times, ".".join(paths[1:-1]), "module", []))
    used = [box_of_scope[value.scope] for value in program.recorded]
    for number, owner in enumerate(used):
        boxes[owner].members.append(number)
    read = {
        (used[source], used[i])
        for i, value in enumerate(program.recorded)
        for source in value.inputs
        if value.op != "grad" and used[source] != used[i]
    }
    boxes, edges = _numbered_in_order(program, boxes, read)
    for box in boxes:
        box.detail = f"{len(box.members)} nodes{'  in ' if box.detail else ''}{box.detail}"
    return Level("modules", "recorded", boxes, edges, layered(len(boxes), edges))


def _numbered_in_order(program: Program, boxes: list[Box], edges: Iterable[Edge]) -> tuple[list[Box], list[Edge]]:
    """The boxes that have members, in the order in which the first of these computes something."""

    def begins(i: int) -> int:
        members = boxes[i].members
        computing = (m for m in members if program.recorded[m].inputs and program.recorded[m].kind not in _PREPARES)
        return next(computing, members[0])

    order = sorted([i for i, box in enumerate(boxes) if box.members], key=begins)
    number = {i: position for position, i in enumerate(order)}
    return [boxes[i] for i in order], sorted((number[a], number[b]) for a, b in edges)


_PREPARES = ("leaf", "movement", "identity")
