"""The loops of a C kernel over a range of its units."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from lazygrad.codegen.kernel import Operand
from lazygrad.ir.dtype import complex64, complex128, float64
from lazygrad.ir.primitives import elementwise as ew
from lazygrad.passes.fusion_legality import Span
from lazygrad.targets.c import ops as c_ops
from lazygrad.targets.c.facts import KernelFacts
from lazygrad.targets.c.fetching import PREFETCH_BLOCK, Fetching
from lazygrad.targets.c.loops import TILE, Shape
from lazygrad.targets.c.passes import RowPass
from lazygrad.targets.c.streams import overwritable
from lazygrad.targets.c.types import literal, loaded, rounded

_DIVIDED = (float64, complex64, complex128)  # by the machine, or by complex.h
_LONG_ROW = 2 * TILE  # longer float sums are added up in blocks


def unit_loops(facts: KernelFacts) -> list[str]:
    """The body of the function that runs units ``begin`` to ``end``."""
    return _Units(facts).run()


def _for(axis: int, begin: str, end: str) -> str:
    return f"for (i64 i{axis} = {begin}; i{axis} < {end}; i{axis}++)"


class _Units(Fetching):
    begin_of_line = "0"  # where the part of the vectorized axis begins that the innermost loop walks

    def run(self) -> list[str]:
        self.begin_refusals()
        for value in sorted(self.nest.split):
            self._start_split_total(value)
        for position in sorted(self.facts.streamed):
            apart = [f"(const void *)out{position} != x{load}" for load in overwritable(self.kernel, position)]
            self.out.add(f"const _Bool streams{position} = {' && '.join(apart) or '1'};")
        with self.out.block("for (i64 unit = begin; unit < end; unit++)"):
            self.decode_unit()
            for load in sorted(self.nest.staged):
                self.stage(load)
            if self.nest.shape is Shape.SHORT:
                self.vectorized()
                with self.out.block(_for(self.facts.vector, *self.bounds_of(self.facts.vector))):
                    self._all_passes()
            else:
                self._all_passes()
        if self.facts.streamed:
            self.out.add("stream_end();")
        self.report_refusals()
        return self.out.lines

    def _start_split_total(self, value: int) -> None:
        facts = self.facts
        kind, count = facts.total_type(value), prod(self.kernel.sizes_of(value))
        self.out.add(f"{kind} *const total{value} = ({kind} *)(totals + {facts.total_offsets[value]});")
        start = c_ops.identity(facts.instruction(value).op, facts.total_dtype(value))
        self.out.add(f"for (i64 i = 0; i < {count}; i++) total{value}[i] = {start};")

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
        known, divisors = dict(self.known), dict(self.divisors)
        if row_pass.computed or row_pass.reductions or row_pass.stores:
            self._middle(row_pass, self.nest.middle)
        if self.nest.middle:  # otherwise what was hoisted out of the innermost loop is still in scope
            self.known, self.divisors = known, divisors
        self._row_values(row_pass.finished)

    def _start_total(self, value: int) -> None:
        facts = self.facts
        kind = facts.total_type(value)
        start = c_ops.identity(facts.instruction(value).op, facts.total_dtype(value))
        if not facts.in_lanes:
            self.out.add(f"{kind} total{value} = {start};")
            return
        self.out.add(f"{kind} total{value}[{self.nest.tile}];")
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
            with self.out.block(_for(axis, *self.bounds_of(axis))):
                self._middle(row_pass, axes[1:])
        elif self.nest.shape is Shape.SHORT or self.nest.vector is None:
            self._element(row_pass)
        else:
            self._along_vector(row_pass)

    def _is_written_out(self) -> bool:
        """Whether rows lie element by element inside the vectorized loop: gcc vectorizes no loop around a loop."""
        return self.nest.shape is Shape.SHORT and prod(self.kernel.sizes[axis] for axis in self.nest.middle) > 0

    def _along_vector(self, row_pass: RowPass) -> None:
        in_lanes = [value for value in row_pass.reductions if self.facts.folds_vector(value)]
        self._hoist_loads(row_pass)
        self._hoist_divisors(row_pass)
        begin, end = self.bounds_of(self.facts.vector)
        next_row, summed = self.next_row(row_pass), self.summed_streams(row_pass, in_lanes)
        step, length = self._block(row_pass, in_lanes), self._segment()
        if not step:
            self.fetch_further_on(summed, begin, length)
            self._vector_loop(row_pass, in_lanes, begin, end)
            return
        block_end = f"block + {step}"
        if length % step or self.kernel.sizes[self.facts.vector] % step:
            block_end = f"({block_end} < {end} ? {block_end} : {end})"
        with self.out.block(f"for (i64 block = {begin}; block < {end}; block += {step})"):
            self.out.add(*next_row)
            self.fetch_further_on(summed, "block", step)
            self._vector_loop(row_pass, in_lanes, "block", block_end)

    def _segment(self) -> int:
        """How many elements of the vectorized axis a unit walks at most."""
        return self.nest.tile or self.kernel.sizes[self.facts.vector]

    def _block(self, row_pass: RowPass, in_lanes: list[int]) -> int:
        """The length of the blocks that the vectorized axis is walked in, 0 where it is walked as a whole."""
        if self.next_row(row_pass):
            return PREFETCH_BLOCK
        if self.facts.streamed.intersection(row_pass.stores) and self._segment() > TILE:
            return TILE
        summed = self.summed_streams(row_pass, in_lanes)
        adds_up = any(self.facts.adds_up_floats(value) for value in in_lanes)
        longest = TILE if summed else _LONG_ROW
        return TILE if self.nest.tile is None and self._segment() > longest and (adds_up or summed) else 0

    def _vector_loop(self, row_pass: RowPass, in_lanes: list[int], begin: str, end: str) -> None:
        """The innermost loop; reductions along it keep a running value per vector lane."""
        clauses = []
        streamed = sorted(self.facts.streamed.intersection(row_pass.stores))
        self._begin_streams(streamed, begin, self._block(row_pass, in_lanes) or self._segment())
        for value in in_lanes:
            op, dtype = self.facts.instruction(value).op, self.facts.dtype(value)
            self.out.add(f"{self.facts.register(value)} lane{value} = {c_ops.identity(op, dtype)};")
            clauses.append(c_ops.lane_clause(op, dtype, f"lane{value}"))
            if c_ops.ignores_nan(op, dtype):
                self.out.add(f"i32 unordered{value} = 0;")
                clauses.append(f"reduction(| : unordered{value})")
        self.vectorized(clauses)
        with self.out.block(_for(self.facts.vector, begin, end)):
            self._element(row_pass)
        self._end_streams(streamed, begin, end)
        for value in in_lanes:
            if c_ops.ignores_nan(self.facts.instruction(value).op, self.facts.dtype(value)):
                nan = literal(float("nan"), self.facts.dtype(value))
                self.out.add(f"lane{value} = unordered{value} ? {nan} : lane{value};")
            self._add_to_total(value, f"lane{value}")

    def _begin_streams(self, positions: list[int], begin: str, count: int) -> None:
        """Declare the buffers in which the innermost loop makes what is then streamed."""
        self.begin_of_line = begin
        for position in positions:
            self.out.add(f"{self.facts.memory_of(position)} line{position}[{count}] __attribute__((aligned(64)));")

    def _end_streams(self, positions: list[int], begin: str, end: str) -> None:
        """Write out what lies in the buffers."""
        count = end.removeprefix(f"{begin} + ") if end.startswith(f"{begin} + ") else f"({end} - {begin})"
        for position in positions:
            names = [begin if axis == self.facts.vector else name for axis, name in enumerate(self.indices())]
            place, size = self.facts.place_in(position, names), self.facts.memory_size(position)
            source = f"line{position}, {count} * {size}"
            self.out.add(f"stream_bytes(streams{position}, &out{position}[{place}], {source});")

    def _hoist_loads(self, row_pass: RowPass) -> None:
        """What does not change along the vectorized axis is read before its loop: stores could alias it."""
        for value in (*row_pass.computed, *row_pass.reductions):
            operands = self.facts.instruction(value).operands
            for load in [o for o in operands if isinstance(o, int) and o < self.facts.first and o not in self.known]:
                if not self.kernel.loads[load].varies_along(self.facts.vector):
                    self.load(load)

    def _hoist_divisors(self, row_pass: RowPass) -> None:
        """What divides every element of the innermost loop is prepared once, before it."""
        for value in row_pass.computed:
            instruction = self.facts.instruction(value)
            if instruction.op is not ew.div or instruction.dtype in _DIVIDED or value in self.divisors:
                continue
            divisor = instruction.operands[1]
            if self._is_uniform(divisor):
                self.out.add(f"const divisor divisor{value} = lg_divisor({self.operand(divisor)});")
                self.divisors[value] = f"divisor{value}"

    def _is_uniform(self, operand: Operand) -> bool:
        """Whether an operand is the same for all elements of the innermost loop."""
        if not isinstance(operand, int):
            return True
        return operand in self.known and (operand < self.facts.first or self.kernel.span_of(operand) is not Span.FULL)

    def target(self, position: int) -> str:
        if position in self.facts.streamed:
            return f"line{position}[i{self.facts.vector} - {self.begin_of_line}]"
        return super().target(position)

    # One element.

    def _element(self, row_pass: RowPass) -> None:
        """Loads, operations, stores and running values at one index."""
        outer = dict(self.known)
        for value in row_pass.recalled:
            self._recall(value)
        for value in row_pass.computed:
            self.compute(value)
            if value in row_pass.kept:
                self.out.add(f"kept{value}[{self.facts.kept_place()}] = {self.known[value]};")
        for value in dict.fromkeys(self.kernel.stores[position].value for position in row_pass.stores):
            self.store(value)
        for value in row_pass.reductions:
            self._take_in(value)
        self.known = outer

    def _recall(self, value: int) -> None:
        """A value of an earlier pass, from the buffer that kept it or from the output it was stored to."""
        if any(value in row_pass.kept for row_pass in self.facts.passes.passes):
            self.define(value, f"kept{value}[{self.facts.kept_place()}]")
        else:
            position = next(i for i, store in enumerate(self.kernel.stores) if store.value == value)
            self.define(value, loaded(f"out{position}[{self.facts.place_in(position)}]", self.facts.dtype(value)))

    def _take_in(self, value: int) -> None:
        """One more element for a reduction."""
        op, dtype = self.facts.instruction(value).op, self.facts.dtype(value)
        element = self.operand(self.facts.instruction(value).operands[0])
        has_lanes = self.nest.vector is not None and self.nest.shape is not Shape.SHORT
        if not has_lanes or not self.facts.folds_vector(value):
            self._add_to_total(value, element)
            return
        self.out.add(f"lane{value} = {c_ops.lane_update(op, dtype, f'lane{value}', element)};")
        if c_ops.ignores_nan(op, dtype):
            self.out.add(f"unordered{value} |= {element} != {element};")

    def _add_to_total(self, value: int, element: str) -> None:
        total = f"total{value}"
        if value in self.nest.split:
            total = f"total{value}[{self.facts.place_of(value)}]"
        elif self.facts.in_lanes:
            total = f"total{value}[{self.facts.lane()}]"
        op, dtype = self.facts.instruction(value).op, self.facts.total_dtype(value)
        self.out.add(f"{total} = {c_ops.combined(op, dtype, total, element)};")

    # Row values.

    def _row_values(self, values: Sequence[int]) -> None:
        """Plain statements, or in lanes a loop over the tile that fills one small array per value."""
        if self.nest.shape is Shape.SPLIT:
            return  # units cut through rows, so row values are the second function's
        if not values or not self.facts.in_lanes:
            for value in values:
                self._row_value(value, f"total{value}")
            return
        for value in values:
            self.out.add(f"{self.facts.register(value)} row{value}[{self.nest.tile}];")
        self.vectorized()
        outer = dict(self.known)
        with self.out.block(_for(self.facts.vector, *self.bounds_of(self.facts.vector))):
            for value in values:
                self._row_value(value, f"total{value}[{self.facts.lane()}]")
                self.out.add(f"row{value}[{self.facts.lane()}] = {self.known[value]};")
        self.known = outer

    def _row_value(self, value: int, total: str) -> None:
        if self.kernel.is_reduction(value):
            self.define(value, rounded(f"({self.facts.register(value)}){total}", self.facts.dtype(value)))
        else:
            self.compute(value)
        self.store(value)
