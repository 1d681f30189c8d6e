"""Where the C driver of a plan finds its stored values, what it calls them, and how calls are told of them."""

from __future__ import annotations

from collections.abc import Iterable

from lazygrad.codegen.hazards import Memory
from lazygrad.codegen.naming import Names
from lazygrad.ir.dtype import DType
from lazygrad.ir.node import Node
from lazygrad.ir.primitives.leaf import constant, scalar
from lazygrad.ir.view import View
from lazygrad.passes.destinations import Run
from lazygrad.passes.fusion_cost import bytes_of
from lazygrad.passes.schedule import Place, Schedule
from lazygrad.passes.views import view_of
from lazygrad.targets.c.dialect import C


class Storage:
    """The stored values of a plan.

    Args:
        plan: the schedule.
        names: that are taken already.
        aliases: (output, input) numbers that may share memory.

    Attributes:
        memory: by value, the bytes it occupies; what may be donated counts as one with what it is donated to.
        scalars: types of the runtime scalars that were asked for, by slot.
    """

    def __init__(self, plan: Schedule, names: Names, aliases: Iterable[tuple[int, int]]) -> None:
        self.plan = plan
        self.scalars: dict[int, DType] = {}
        self._names: dict[Node, str] = {}
        for node in (*plan.slots, *plan.destinations):
            label = node.origin.label if node.origin is not None and node.origin.label else node.op.name
            fallback = f"input{plan.slots[node].index}" if plan.place_of(node) is Place.INPUT else label
            self._names[node] = names.unique(plan.fused.graph.names.get(node, fallback))
        self.memory = self._memories(aliases)

    def name(self, node: Node) -> str:
        """The pointer to a stored value."""
        return self._names[node]

    def bindings(self) -> list[str]:
        """Declarations of the pointers."""
        lines = []
        for node, slot in sorted(self.plan.slots.items(), key=lambda item: (item[1].place.value, item[1].index)):
            kind = C.memory_type(node.dtype)
            if slot.place is Place.ARENA:
                place = f"({kind} *)(arena + {self.plan.temporaries[slot.index].offset})"
            else:
                place = f"{slot.place.value}s[{slot.index}]"
            lines.append(f"{kind} *const {self.name(node)} = {place}; /* {node.type} */")
        for node, destination in self.plan.destinations.items():
            offset = destination.view.offset
            place = self.name(destination.root) + (f" + {offset}" if offset else "")
            note = f"{node.type} inside {self.name(destination.joined)}"
            lines.append(f"{C.memory_type(node.dtype)} *const {self.name(node)} = {place}; /* {note} */")
        return lines

    def _memories(self, aliases: Iterable[tuple[int, int]]) -> dict[Node, Memory]:
        root: dict[tuple[str, int], tuple[str, int]] = {}

        def find(key: tuple[str, int]) -> tuple[str, int]:
            while key in root:
                key = root[key]
            return key

        for output, source in aliases:
            first, second = find(("output", output)), find(("input", source))
            if first != second:
                root[second] = first
        memory = {}
        for node, slot in self.plan.slots.items():
            size = max(bytes_of(node), 1)
            if slot.place is Place.ARENA:
                begin = self.plan.temporaries[slot.index].offset
                memory[node] = Memory(("arena", 0), begin, begin + size)
            else:
                memory[node] = Memory(find((slot.place.value, slot.index)), 0, size)
        for node, destination in self.plan.destinations.items():
            memory[node] = memory[destination.root].part(destination.view, node.dtype.itemsize)
        return memory

    def runtime_scalar(self, node: Node) -> str:
        """The name of a runtime scalar."""
        self.scalars[node["slot"]] = node.dtype
        return f"s{node['slot']}"

    # Arrays, as library calls take them.

    def array(self, node: Node) -> str:
        """The initializer of an ``array`` for a view of a stored value, or for a number."""
        base, view = view_of(node)
        if base.op is scalar:
            self.runtime_scalar(base)
            return _array(f"(void *)&scalars[{base['slot']}]", base.dtype, view)
        if base.op is constant:
            return _array(f"&({C.memory_type(base.dtype)}){{{_constant(base)}}}", base.dtype, view)
        if base is node:
            view = View(view.shape, self.plan.memory_of(node)[1].strides)
        return _array(self.name(base), base.dtype, view)

    def part(self, joined: Node, run: Run) -> tuple[str, Memory]:
        """The array of a piece of a concatenation, and what it occupies."""
        root, whole = self.plan.memory_of(joined)
        piece = whole.narrowed(joined["axis"], run.start, run.stop)
        seen = View(piece.shape, piece.strides, piece.offset - whole.offset)
        return _array(self.name(joined), joined.dtype, seen), self.memory[root].part(piece, joined.dtype.itemsize)


def _array(name: str, dtype: DType, view: View) -> str:
    place = f"{name} + {view.offset}" if view.offset else name
    sizes = ", ".join(map(str, view.shape)) or "0"
    strides = ", ".join(map(str, view.strides)) or "0"
    return f"{{{place}, {dtype.short.upper()}, {len(view.shape)}, {{{sizes}}}, {{{strides}}}}}"


def _constant(node: Node) -> str:
    text = C.literal(node["value"], node.dtype)
    if node.dtype.short == "bf16":
        return C.stored(text, node.dtype)  # not a constant expression, but the literal is automatic
    return text
