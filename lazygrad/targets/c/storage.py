"""Where the C driver of a plan finds its stored values, what it calls them, and how calls are told of them."""

from __future__ import annotations

from lazygrad.codegen.driver import value_names
from lazygrad.codegen.naming import Names
from lazygrad.ir.dtype import DType
from lazygrad.ir.node import Node
from lazygrad.ir.primitives.leaf import constant, scalar
from lazygrad.ir.view import View
from lazygrad.memory.plan import MemoryPlan
from lazygrad.memory.slots import Place
from lazygrad.passes.destinations import Run
from lazygrad.passes.fusion_cost import bytes_of
from lazygrad.passes.schedule import Schedule
from lazygrad.passes.views import view_of
from lazygrad.targets.c.dialect import C
from lazygrad.targets.c.regions import Region


class StoredValues:
    """The stored values of a plan.

    Args:
        schedule, memory: which they are, and where they lie.
        names: that are taken already.

    Attributes:
        regions: by value, the bytes it occupies; what may be donated counts as one with what it is donated to.
        scalars: types of the runtime scalars that were asked for, by slot.
    """

    def __init__(self, schedule: Schedule, memory: MemoryPlan, names: Names) -> None:
        self.schedule, self.memory = schedule, memory
        self.scalars: dict[int, DType] = {}
        stored = (*memory.slots, *schedule.destinations)
        self._names = value_names(stored, schedule.fused.graph.names, names)
        self.regions = self._regions()

    def name(self, node: Node) -> str:
        """The pointer to a stored value."""
        return self._names[node]

    def bindings(self) -> list[str]:
        """Declarations of the pointers."""
        lines = []
        for node, slot in sorted(self.memory.slots.items(), key=lambda item: (item[1].place.value, item[1].index)):
            kind = C.memory_type(node.dtype)
            if slot.place is Place.ARENA:
                place = f"({kind} *)(arena + {self.memory.temporaries[slot.index].offset})"
            else:
                place = f"{slot.place.value}s[{slot.index}]"
            lines.append(f"{kind} *const {self.name(node)} = {place}; /* {node.type} */")
        for node, destination in self.schedule.destinations.items():
            offset = destination.view.offset
            place = self.name(destination.root) + (f" + {offset}" if offset else "")
            note = f"{node.type} inside {self.name(destination.joined)}"
            lines.append(f"{C.memory_type(node.dtype)} *const {self.name(node)} = {place}; /* {note} */")
        return lines

    def _regions(self) -> dict[Node, Region]:
        root: dict[tuple[str, int], tuple[str, int]] = {}

        def find(key: tuple[str, int]) -> tuple[str, int]:
            while key in root:
                key = root[key]
            return key

        for donation in self.memory.donations:
            first, second = find(("output", donation.output)), find(("input", donation.input))
            if first != second:
                root[second] = first
        regions = {}
        for node, slot in self.memory.slots.items():
            size = max(bytes_of(node), 1)
            if slot.place is Place.ARENA:
                begin = self.memory.temporaries[slot.index].offset
                regions[node] = Region(("arena", 0), begin, begin + size)
            else:
                regions[node] = Region(find((slot.place.value, slot.index)), 0, size)
        for node, destination in self.schedule.destinations.items():
            regions[node] = regions[destination.root].part(destination.view, node.dtype.itemsize)
        return regions

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
            view = View(view.shape, self.schedule.memory_of(node)[1].strides)
        return _array(self.name(base), base.dtype, view)

    def part(self, joined: Node, run: Run) -> str:
        """The array of a piece of a concatenation."""
        whole = self.schedule.memory_of(joined)[1]
        piece = whole.narrowed(joined["axis"], run.start, run.stop)
        seen = View(piece.shape, piece.strides, piece.offset - whole.offset)
        return _array(self.name(joined), joined.dtype, seen)


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
