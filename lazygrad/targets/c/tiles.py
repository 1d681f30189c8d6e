"""A unit of a C kernel: its indices, its tiles, and the loads that a tile turns before it is computed."""

from __future__ import annotations

from lazygrad.codegen.kernel import Load
from lazygrad.targets.c.loops import STAGED_TILE
from lazygrad.targets.c.statements import Statements
from lazygrad.targets.c.types import memory_type


class Tiles(Statements):
    """Renders what a unit begins with."""

    def indices(self) -> list[str]:
        """The names of the indices."""
        return [f"i{axis}" for axis in range(len(self.kernel.sizes))]

    def decode_unit(self) -> None:
        """The indices and the tile that a unit's number stands for."""
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

    def stage(self, number: int) -> None:
        """Copy the unit's tile of a load into a buffer in which the vectorized axis is the inner one."""
        (across, _), (vector, _) = self.nest.tiles
        load = self.kernel.loads[number]
        self.out.add(f"{memory_type(load.dtype)} turned{number}[{STAGED_TILE * STAGED_TILE}];")
        starts, ends, target = self.indices(), self.indices(), f"turned{number}"
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
        outer = [inside for axis, inside in enumerate(self.bounds(load)) if axis not in (across, vector) and inside]
        return " && ".join([*outer, *[f"{starts[axis]} < {ends[axis]}" for axis in (across, vector)]])

    def bounds_of(self, axis: int) -> tuple[str, str]:
        """Where the indices of a unit begin and end along an axis."""
        if axis in dict(self.nest.tiles):
            return f"first{axis}", f"last{axis}"
        return "0", str(self.kernel.sizes[axis])
