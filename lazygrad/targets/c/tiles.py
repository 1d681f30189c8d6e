"""What a unit of a C kernel begins with: its indices, its tiles, and the loads that a tile turns."""

from __future__ import annotations

from lazygrad.codegen.clike.lines import Lines
from lazygrad.codegen.clike.statements import bounds
from lazygrad.codegen.kernel import Load
from lazygrad.targets.c.facts import NestFacts
from lazygrad.targets.c.loops import STAGED_TILE


class Tiles:
    """Renders into ``out`` what a unit begins with."""

    def __init__(self, facts: NestFacts, out: Lines) -> None:
        self.facts, self.kernel, self.nest, self.out = facts, facts.kernel, facts.nest, out

    def begin_unit(self) -> None:
        """The indices and tiles that a unit's number stands for, and the loads that are turned."""
        self._decode_unit()
        for load in sorted(self.nest.staged):
            self._stage(load)

    def _decode_unit(self) -> None:
        sizes = self.kernel.sizes
        extents = [(f"i{axis}", sizes[axis]) for axis in self.nest.units]
        extents += [(f"tile{axis}", -(-sizes[axis] // length)) for axis, length in self.nest.tiles]
        step, lines = 1, []
        for position, (name, size) in reversed(list(enumerate(extents))):
            text = "unit" if step == 1 else f"unit / {step}"
            lines.append(f"const i64 {name} = {text}{f' % {size}' if position else ''};")
            step *= max(size, 1)
        self.out.add(*reversed(lines))
        for axis, length in self.nest.tiles:
            size, end = sizes[axis], f"first{axis} + {length}"
            self.out.add(f"const i64 first{axis} = tile{axis} * {length};")
            self.out.add(f"const i64 last{axis} = {end if size % length == 0 else f'{end} < {size} ? {end} : {size}'};")

    def _stage(self, number: int) -> None:
        """Copy the unit's tile of a load into a buffer in which the vectorized axis is the inner one."""
        (across, _), (vector, _) = self.nest.tiles
        load = self.kernel.loads[number]
        self.out.add(f"{self.facts.dialect.memory_type(load.dtype)} turned{number}[{STAGED_TILE * STAGED_TILE}];")
        starts, ends, target = self.facts.indices(), self.facts.indices(), f"turned{number}"
        for axis, step in ((across, f" * {STAGED_TILE}"), (vector, "")):
            starts[axis], ends[axis] = f"first{axis}", f"last{axis}"
            begin, end = load.inside[axis] if load.inside else (0, load.sizes[axis])
            if begin > 0:
                starts[axis] = f"low{number}_{axis}"
                self.out.add(f"const i64 {starts[axis]} = first{axis} > {begin} ? first{axis} : {begin};")
                target += f" + ({starts[axis]} - first{axis}){step}"
            if end < load.sizes[axis]:
                ends[axis] = f"high{number}_{axis}"
                self.out.add(f"const i64 {ends[axis]} = last{axis} < {end} ? last{axis} : {end};")
        source = f"x{number} + {self.facts.index(load.sizes, load.strides, load.offset, starts)}"
        extents = [f"{ends[axis]} - {starts[axis]}" for axis in (vector, across)]
        tile = ", ".join([source, str(load.strides[vector]), *extents, target])
        condition = f"if ({self._overlaps(load, starts, ends)}) " if load.inside else ""
        self.out.add(f"{condition}lg_turn_tile_{load.dtype.itemsize}({tile});")

    def _overlaps(self, load: Load, starts: list[str], ends: list[str]) -> str:
        """Whether a tile of a masked load has elements in its array."""
        (across, _), (vector, _) = self.nest.tiles
        outer = [inside for axis, inside in enumerate(bounds(load)) if axis not in (across, vector) and inside]
        return " && ".join([*outer, *[f"{starts[axis]} < {ends[axis]}" for axis in (across, vector)]])
