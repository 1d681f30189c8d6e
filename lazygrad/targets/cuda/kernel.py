"""Renders one kernel as a ``__global__`` function: the walk of its teams over units, and the passes over each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import ClassVar

from lazygrad.codegen.clike.passes import RowPass
from lazygrad.codegen.clike.places import Places
from lazygrad.codegen.clike.reductions import combined
from lazygrad.codegen.clike.statements import refuses
from lazygrad.codegen.escaping import Code, code_lines
from lazygrad.passes.fusion_legality import Span
from lazygrad.targets.cuda.facts import CudaFacts, used_scalars
from lazygrad.targets.cuda.nest import WARP, Nest, Team, Variant, plan_nest
from lazygrad.targets.cuda.statements import TeamPlaces, TeamStatements
from lazygrad.targets.cuda.teams import Teams
from lazygrad.targets.cuda.templates import render


@dataclass(frozen=True, slots=True)
class CudaKernel:
    """Source of one kernel and how it is launched.

    Attributes:
        name: of the function: ``name(loads…, outputs…, scalars…, partial totals…, [refused])``.
        source: the function.
        nest: how it is spread.
        scalars: which of the kernel's runtime scalars it takes.
        partials: for each split reduction, by value, how many totals it leaves of each element.
        refuses: it takes a pointer to a number that becomes 1 where an operand is refused.
    """

    name: str
    source: Code
    nest: Nest
    scalars: tuple[int, ...]
    partials: dict[int, int]
    refuses: bool


def render_kernel(variant: Variant, name: str) -> CudaKernel:
    """The source of a kernel as a function called ``name``.

    Raises:
        NoCudaForm: an operation has none.
    """
    nest = plan_nest(variant)
    facts = CudaFacts(variant, nest)
    split, may_refuse = sorted(nest.split), refuses(facts)
    parameters = [
        *facts.parameters,
        *[f"{facts.total_type(value)} *partial{value}" for value in split],
        *(["i32 *refused"] if may_refuse else []),
    ]
    walk = Walk(facts)
    source = render(
        "kernel.cu.j2",
        name=name,
        sizes=variant.kernel.sizes,
        places=variant.kernel.comment,
        spread=_described(facts),
        block=nest.block,
        parameters=code_lines(parameters),
        combines=[Code(line) for line in walk.combines(name)],
        body=code_lines(walk.run(name)),
    )
    partials = {value: facts.parts(value) for value in split}
    return CudaKernel(name, source, nest, tuple(used_scalars(facts)), partials, may_refuse)


def _described(facts: CudaFacts) -> str:
    nest = facts.nest
    teams = {
        Team.GRID: "the grid walks all elements",
        Team.TILES: "a block to a tile",
        Team.LANES: f"{nest.members} lanes to a row",
        Team.BLOCK: "a block to a row",
        Team.ACROSS: f"{nest.members} warps to {WARP} neighbouring rows",
    }
    return teams[nest.team] + (f", cut into {nest.chunks} chunks" if nest.chunks > 1 else "")


class Walk:
    """What each thread of a kernel does.

    Attributes:
        teams_class: writes the loops.
    """

    teams_class: ClassVar[type[Teams]] = Teams

    def __init__(self, facts: CudaFacts) -> None:
        self.facts, self.kernel, self.nest, self.dialect = facts, facts.kernel, facts.nest, facts.dialect
        self.places = TeamPlaces(facts)
        self.statements = TeamStatements(facts, self.places)
        self.out = self.statements.out
        self.teams = self.teams_class(facts, self.places, self.statements)
        self.reductions = [value for value in self.kernel.values if self.kernel.is_reduction(value)]
        self.columns = [value for value in self.reductions if self.kernel.span_of(value) is Span.COLUMN]
        self.name = ""

    def combines(self, name: str) -> list[str]:
        """Types that say how running values of the reductions become one."""
        lines = []
        for value in self.reductions:
            kind = self.facts.total_type(value)
            op, dtype = self.facts.instruction(value).op, self.facts.total_dtype(value)
            text = combined(self.dialect, op, dtype, "x", "y")
            lines.append(f"struct {name}_{value} {{ LG static {kind} of({kind} x, {kind} y) {{ return {text}; }} }};")
        return lines

    def run(self, name: str) -> list[str]:
        self.name = name
        self._scalars()
        self.statements.begin_refusals()
        if self.nest.team is Team.GRID:
            self._unit()
        elif self.nest.team is Team.TILES:
            with self.teams.each_tile():
                self._unit()
        else:
            self.teams.shared_memory([value for value in self.reductions if value not in self.columns])
            self.teams.members(bool(self.columns))
            for value in self.columns:
                self._start_columns(value)
            with self.teams.each_unit():
                self._unit()
            for value in self.columns:
                self._leave_columns(value)
        self.statements.report_refusals()
        return self.out.lines

    def _scalars(self) -> None:
        self.out.add(*[f"const {kind} {name} = *{name}_at;" for name, kind in self.facts.scalars.items()])
        for index, dtype in used_scalars(self.facts).items():
            if dtype.is_complex:
                number = self.dialect.complex_number(f"s{index}_re", f"s{index}_im", dtype)
                self.out.add(f"const {self.facts.dialect.register_type(dtype)} s{index} = {number};")

    # Passes.

    def _unit(self) -> None:
        facts, passes = self.facts, self.facts.passes.passes
        outer = dict(self.statements.known)
        for number in range(len(self.kernel.loads)):
            if facts.is_of_unit(number) and self._is_read(number):
                self.statements.load(number)
        for number in facts.resident_loads:
            kind = self.dialect.memory_type(self.kernel.loads[number].dtype)
            self.out.add(f"lg_pack<{kind}, {self.nest.width}> row{number}[{self.nest.resident}];")
        for value in sorted({value for row_pass in passes for value in row_pass.kept}):
            self.out.add(f"{facts.register(value)} kept{value}[{self.nest.resident * self.nest.width}];")
        self._row_values(facts.passes.known)
        for number, row_pass in enumerate(passes):
            self._pass(number, row_pass)
        self.statements.known = outer

    def _is_read(self, number: int) -> bool:
        """Whether an operation reads a load itself; what fills another load is loaded there."""
        return any(number in instruction.operands for instruction in self.kernel.instructions)

    def _pass(self, number: int, row_pass: RowPass) -> None:
        own = [value for value in row_pass.reductions if value not in self.columns]
        for value in own:
            self.statements.start_total(value)
        if row_pass.computed or row_pass.reductions or row_pass.stores:
            with self.teams.each_packet():
                self._packet(number, row_pass)
        for value in own:
            self._combine(value)
        self._row_values(row_pass.finished)

    def _packet(self, number: int, row_pass: RowPass) -> None:
        facts, width, out = self.facts, self.nest.width, self.out
        is_tile = self.nest.team is Team.TILES
        if not is_tile:
            self.teams.decode(self.nest.elements, "packet", width)
        is_along = self.facts.last in self.nest.elements and not is_tile
        names = [f"first{axis}" if is_along and axis == facts.last else f"i{axis}" for axis in range(facts.last + 1)]
        self.places.packed = set()
        for load in range(len(self.kernel.loads)):
            self._read_packet(load, number, row_pass, names)
        written = [position for position in row_pass.stores if facts.packs_store(position)]
        for position in written:
            out.add(f"lg_pack<{facts.memory_of(position)}, {width}> made{position};")
        if width > 1:
            out.add("#pragma unroll")
        with out.block(f"for (i32 j = 0; j < {width}; j++)" if width > 1 else ""):
            if width == 1 and self.nest.resident:
                out.add("const i32 j = 0;")
            if is_along:
                out.add(f"const {facts.at} i{facts.last} = first{facts.last}{' + j' if width > 1 else ''};")
            for load, first in facts.resident_loads.items():
                if first == number and not facts.packs_load(load):
                    out.add(f"row{load}[k].at[j] = {Places.loaded(self.places, load)};")
            self.statements.element(row_pass)
        for position in written:
            out.add(f"lg_write(out{position} + {facts.place_in(position, names)}, made{position});")

    def _read_packet(self, load: int, number: int, row_pass: RowPass, names: Sequence[str]) -> None:
        facts = self.facts
        if not facts.packs_load(load) or not row_pass.reads(load, self.kernel) or facts.is_of_unit(load):
            return
        first = facts.resident_loads.get(load)
        if first is not None and first != number:
            return
        seen = self.kernel.loads[load]
        read = f"lg_read<{self.nest.width}>(x{load} + {facts.index(seen.sizes, seen.strides, seen.offset, names)})"
        if first is None:
            self.out.add(f"const auto packet{load} = {read};")
            self.places.packed.add(load)
        else:
            self.out.add(f"row{load}[k] = {read};")

    # Reductions.

    def _combine(self, value: int) -> None:
        """One running value of all members, which each of them then has."""
        nest, total, combine = self.nest, f"total{value}", f"{self.name}_{value}"
        if nest.members > 1:
            call = {
                Team.LANES: f"lg_lanes_total<{combine}, {nest.members}>({total})",
                Team.BLOCK: f"lg_block_total<{combine}, {nest.members}>({total}, shared{value})",
                Team.ACROSS: f"lg_column_total<{combine}, {nest.members}>({total}, shared{value})",
            }[nest.team]
            self.out.add(f"{total} = {call};")
        if value in nest.split:
            with self.out.block("if (is_writer)" if nest.members > 1 or nest.team is Team.ACROSS else ""):
                self.out.add(f"partial{value}[chunk * {self.facts.units} + unit] = {total};")

    def _row_values(self, values: Sequence[int]) -> None:
        for value in values:
            if value not in self.nest.split:
                self.statements.row_value(value, f"total{value}")

    def _start_columns(self, value: int) -> None:
        """Totals of columns, which a team keeps over all its units."""
        facts, nest, kind = self.facts, self.nest, self.facts.total_type(value)
        count, start = prod(self.kernel.sizes_of(value)), facts.identity(value)
        if facts.keeps_total(value):
            kept = nest.resident * nest.width
            self.out.add(f"{kind} total{value}[{kept}];", "#pragma unroll")
            self.out.add(f"for (i32 i = 0; i < {kept}; i++) total{value}[i] = {start};")
            return
        self.out.add(f"{kind} *const total{value} = partial{value} + team * {count};")
        loop = f"for ({facts.at} i = member; i < {count}; i += {nest.members})"
        self.out.add(f"{loop} total{value}[i] = {start};", self.teams.wait())

    def _leave_columns(self, value: int) -> None:
        if not self.facts.keeps_total(value):
            return
        nest, count = self.nest, prod(self.kernel.sizes_of(value))
        with self.teams.each_packet():
            self.out.add("#pragma unroll")
            with self.out.block(f"for (i32 j = 0; j < {nest.width}; j++)"):
                place = f"team * {count} + packet * {nest.width} + j"
                self.out.add(f"partial{value}[{place}] = {self.places.total(value)};")
