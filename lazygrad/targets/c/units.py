"""The loops of a C kernel over a range of its units."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from lazygrad.codegen.clike.passes import RowPass
from lazygrad.codegen.clike.reductions import identity
from lazygrad.codegen.clike.statements import Statements
from lazygrad.targets.c.facts import NestFacts
from lazygrad.targets.c.fetching import PREFETCH_BLOCK, Fetching
from lazygrad.targets.c.hoisting import Hoisting
from lazygrad.targets.c.lanes import ignores_nan, lane_clause, lane_update
from lazygrad.targets.c.loops import TILE, LoopShape
from lazygrad.targets.c.places import NestPlaces
from lazygrad.targets.c.streaming import Streaming
from lazygrad.targets.c.tiles import Tiles

_LONG_ROW = 2 * TILE  # longer float sums are added up in blocks


def unit_loops(facts: NestFacts) -> list[str]:
    """The body of the function that runs units ``begin`` to ``end``."""
    return _Units(facts).run()


def _for(axis: int, begin: str, end: str) -> str:
    return f"for (i64 i{axis} = {begin}; i{axis} < {end}; i{axis}++)"


class _Units:
    def __init__(self, facts: NestFacts) -> None:
        self.facts, self.kernel, self.nest, self.dialect = facts, facts.kernel, facts.nest, facts.dialect
        self.places = NestPlaces(facts)
        self.statements = Statements(facts, self.places)
        self.out = self.statements.out
        self.tiles, self.fetching = Tiles(facts, self.out), Fetching(facts, self.out)
        self.hoisting, self.streaming = Hoisting(facts, self.statements), Streaming(facts, self.places, self.out)

    def run(self) -> list[str]:
        self.statements.begin_refusals()
        for value in sorted(self.nest.split):
            self._start_split_total(value)
        self.streaming.begin()
        with self.out.block("for (i64 unit = begin; unit < end; unit++)"):
            self.tiles.begin_unit()
            if self.nest.shape is LoopShape.SHORT:
                self._vectorized()
                with self.out.block(_for(self.facts.vector, *self.facts.bounds_of(self.facts.vector))):
                    self._all_passes()
            else:
                self._all_passes()
        self.streaming.end()
        self.statements.report_refusals()
        return self.out.lines

    def _vectorized(self, clauses: Sequence[str] = ()) -> None:
        """The line before a loop that the compiler vectorizes."""
        refusals = ["reduction(| : has_refused)"] if self.statements.refuses else []
        self.out.add(" ".join(["#pragma omp simd", *clauses, *refusals]))

    def _start_split_total(self, value: int) -> None:
        facts = self.facts
        kind, count = facts.total_type(value), prod(self.kernel.sizes_of(value))
        self.out.add(f"{kind} *const total{value} = ({kind} *)(totals + {facts.total_offsets[value]});")
        self.out.add(f"for (i64 i = 0; i < {count}; i++) total{value}[i] = {facts.identity(value)};")

    # Passes over a row.

    def _all_passes(self) -> None:
        for value in sorted({value for row_pass in self.facts.passes.passes for value in row_pass.kept}):
            self.out.add(f"{self.facts.register(value)} kept{value}[{self.facts.kept_count()}];")
        self._row_values(self.facts.passes.known)
        for row_pass in self.facts.passes.passes:
            self._pass(row_pass)

    def _pass(self, row_pass: RowPass) -> None:
        """All loops of one pass, then the row values known after it."""
        own = [value for value in row_pass.reductions if value not in self.nest.split]
        for value in own:
            self._start_total(value)
        known, prepared = dict(self.statements.known), dict(self.statements.prepared)
        if row_pass.computed or row_pass.reductions or row_pass.stores:
            self._middle(row_pass, self.nest.middle)
        if self.nest.middle:  # otherwise what was hoisted out of the innermost loop is still in scope
            self.statements.known, self.statements.prepared = known, prepared
        self._row_values(row_pass.finished)

    def _start_total(self, value: int) -> None:
        if not self.facts.in_lanes:
            self.statements.start_total(value)
            return
        self.out.add(f"{self.facts.total_type(value)} total{value}[{self.nest.tile}];")
        start = self.facts.identity(value)
        self.out.add(f"for (i64 lane = 0; lane < {self.nest.tile}; lane++) total{value}[lane] = {start};")

    def _middle(self, row_pass: RowPass, axes: Sequence[int]) -> None:
        if axes:
            axis = axes[0]
            if self._is_written_out():
                for index in range(self.kernel.sizes[axis]):
                    with self.out.block(""):
                        self.out.add(f"const i64 i{axis} = {index};")
                        self._middle(row_pass, axes[1:])
                return
            with self.out.block(_for(axis, *self.facts.bounds_of(axis))):
                self._middle(row_pass, axes[1:])
        elif self.nest.shape is LoopShape.SHORT or self.nest.vector is None:
            self.statements.element(row_pass, self._take_in)
        else:
            self._along_vector(row_pass)

    def _is_written_out(self) -> bool:
        """Whether rows lie element by element inside the vectorized loop: gcc vectorizes no loop around a loop."""
        return self.nest.shape is LoopShape.SHORT and prod(self.kernel.sizes[axis] for axis in self.nest.middle) > 0

    def _along_vector(self, row_pass: RowPass) -> None:
        in_lanes = [value for value in row_pass.reductions if self.facts.folds_vector(value)]
        self.hoisting.loads(row_pass)
        self.hoisting.divisors(row_pass)
        begin, end = self.facts.bounds_of(self.facts.vector)
        next_row, summed = self.fetching.next_row(row_pass), self.fetching.summed_streams(row_pass, in_lanes)
        step, length = self._block(row_pass, in_lanes), self._segment()
        if not step:
            self.fetching.fetch_further_on(summed, begin, length)
            self._vector_loop(row_pass, in_lanes, begin, end)
            return
        block_end = f"block + {step}"
        if length % step or self.kernel.sizes[self.facts.vector] % step:
            block_end = f"({block_end} < {end} ? {block_end} : {end})"
        with self.out.block(f"for (i64 block = {begin}; block < {end}; block += {step})"):
            self.out.add(*next_row)
            self.fetching.fetch_further_on(summed, "block", step)
            self._vector_loop(row_pass, in_lanes, "block", block_end)

    def _segment(self) -> int:
        """How many elements of the vectorized axis a unit walks at most."""
        return self.nest.tile or self.kernel.sizes[self.facts.vector]

    def _block(self, row_pass: RowPass, in_lanes: list[int]) -> int:
        """The length of the blocks that the vectorized axis is walked in, 0 where it is walked as a whole."""
        if self.fetching.next_row(row_pass):
            return PREFETCH_BLOCK
        if self.facts.streamed.intersection(row_pass.stores) and self._segment() > TILE:
            return TILE
        summed = self.fetching.summed_streams(row_pass, in_lanes)
        adds_up = any(self.facts.adds_up_floats(value) for value in in_lanes)
        longest = TILE if summed else _LONG_ROW
        return TILE if self.nest.tile is None and self._segment() > longest and (adds_up or summed) else 0

    def _vector_loop(self, row_pass: RowPass, in_lanes: list[int], begin: str, end: str) -> None:
        """The innermost loop; reductions along it keep a running value per vector lane."""
        clauses = []
        streamed = sorted(self.facts.streamed.intersection(row_pass.stores))
        self.streaming.begin_lines(streamed, begin, self._block(row_pass, in_lanes) or self._segment())
        for value in in_lanes:
            op, dtype = self.facts.instruction(value).op, self.facts.dtype(value)
            self.out.add(f"{self.facts.register(value)} lane{value} = {identity(self.dialect, op, dtype)};")
            clauses.append(lane_clause(op, dtype, f"lane{value}"))
            if ignores_nan(op, dtype):
                self.out.add(f"i32 unordered{value} = 0;")
                clauses.append(f"reduction(| : unordered{value})")
        self._vectorized(clauses)
        with self.out.block(_for(self.facts.vector, begin, end)):
            self.statements.element(row_pass, self._take_in)
        self.streaming.end_lines(streamed, begin, end)
        for value in in_lanes:
            if ignores_nan(self.facts.instruction(value).op, self.facts.dtype(value)):
                nan = self.dialect.literal(float("nan"), self.facts.dtype(value))
                self.out.add(f"lane{value} = unordered{value} ? {nan} : lane{value};")
            self.statements.add_to_total(value, f"lane{value}")

    def _take_in(self, value: int, element: str) -> None:
        """One more element for a reduction."""
        op, dtype = self.facts.instruction(value).op, self.facts.dtype(value)
        has_lanes = self.nest.vector is not None and self.nest.shape is not LoopShape.SHORT
        if not has_lanes or not self.facts.folds_vector(value):
            self.statements.add_to_total(value, element)
            return
        self.out.add(f"lane{value} = {lane_update(op, dtype, f'lane{value}', element)};")
        if ignores_nan(op, dtype):
            self.out.add(f"unordered{value} |= {element} != {element};")

    # Row values.

    def _row_values(self, values: Sequence[int]) -> None:
        """Plain statements, or in lanes a loop over the tile that fills one small array per value."""
        if self.nest.shape is LoopShape.SPLIT:
            return  # units cut through rows, so row values are the second function's
        if not values or not self.facts.in_lanes:
            for value in values:
                self.statements.row_value(value, f"total{value}")
            return
        for value in values:
            self.out.add(f"{self.facts.register(value)} row{value}[{self.nest.tile}];")
        self._vectorized()
        outer = dict(self.statements.known)
        with self.out.block(_for(self.facts.vector, *self.facts.bounds_of(self.facts.vector))):
            for value in values:
                self.statements.row_value(value, self.places.total(value))
                self.out.add(f"row{value}[{self.facts.lane()}] = {self.statements.known[value]};")
        self.statements.known = outer
