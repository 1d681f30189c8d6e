"""Renders one kernel as C functions: its loop nest over a range of units, and the call that a team of threads shares."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from math import prod

from lazygrad.codegen import c_ops
from lazygrad.codegen.c_loops import STAGED_TILE, TILE, LoopNest, Shape, plan_loops
from lazygrad.codegen.c_passes import PassPlan, RowPass, plan_passes
from lazygrad.codegen.c_types import literal, loaded, memory_type, register_type, rounded, stored
from lazygrad.codegen.kernel import Instruction, Kernel, Literal, Operand
from lazygrad.codegen.templates import template
from lazygrad.ir.dtype import DType, float64
from lazygrad.ir.primitives import elementwise as ew
from lazygrad.ir.primitives import reduction as rd
from lazygrad.ir.view import contiguous_strides
from lazygrad.passes.fusion_legality import Span

SERIAL_WORK = 1 << 16  # scalar operations below which a second thread does not pay
_SHARE_WORK = 1 << 14  # the least work worth handing to a thread
_LINE = 64  # bytes of a cache line: chunks' totals don't share one
_LONG_ROW = 2 * TILE  # longer float sums are added up in blocks


@dataclass(frozen=True, slots=True)
class CKernel:
    """Source of one kernel and how to call it.

    Attributes:
        name: of the function the driver calls: ``name(team, loads…, outputs…, scalars…, [totals], [refused])``.
        source: the functions.
        parameters: their common declarations, loads first.
        nest, passes: the loops.
        totals_bytes: scratch memory for the totals of split reductions.
        refuses: it takes a pointer through which it reports a refused operand.
        is_serial: too little work for a second thread.
    """

    name: str
    source: str
    parameters: tuple[str, ...]
    nest: LoopNest
    passes: PassPlan
    totals_bytes: int
    refuses: bool

    @property
    def is_serial(self) -> bool:
        return self.nest.work < SERIAL_WORK


def pass_plan(kernel: Kernel, nest: LoopNest) -> PassPlan:
    """The passes a C kernel makes."""
    lanes = nest.tile if nest.shape is Shape.LANES and nest.tile else 1
    kept = prod(kernel.sizes[axis] for axis in kernel.row_axes) * lanes
    return plan_passes(kernel, kept, nest.split)


def render_c_kernel(kernel: Kernel, name: str) -> CKernel:
    """The C source of ``kernel`` as a function called ``name``."""
    return _KernelRenderer(kernel, name).run()


class _Lines:
    """Source lines with their indentation."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._depth = 0

    def add(self, *lines: str) -> None:
        self.lines += ["    " * self._depth + line for line in lines]

    @contextmanager
    def block(self, opening: str) -> Iterator[None]:
        self.add(f"{opening} {{")
        self._depth += 1
        yield
        self._depth -= 1
        self.add("}")


class _KernelRenderer:
    def __init__(self, kernel: Kernel, name: str) -> None:
        self.kernel, self.name = kernel, name
        self.first = len(kernel.loads)
        self.nest = plan_loops(kernel)
        self.plan = pass_plan(kernel, self.nest)
        self.lanes = self.nest.shape is Shape.LANES
        self.inside = self._row_axes_inside()
        self.out = _Lines()
        self.known: dict[int, str] = {}  # how the code at hand refers to a value
        self.divisors: dict[int, str] = {}  # by quotient: a divisor prepared outside the loop
        self.total_offsets, self.totals_stride = self._place_totals()
        self.refuses = any(self._check(v) for v in self._values())

    def run(self) -> CKernel:
        self._units()
        parts = self.out.lines
        self.out = _Lines()
        finish = self._finish_functions()
        text = template("c/kernel.c.j2").render(
            name=self.name,
            comment=self._describe(),
            parameters=self._parameters(),
            arguments=self._argument_names(),
            body=parts,
            finishes=finish,
            extent=self.nest.extent,
            grain=self._grain(),
            chunks=self.nest.chunks if self.nest.split else 0,
            totals_stride=self.totals_stride,
            refuses=self.refuses,
        )
        totals = self.totals_stride * self.nest.chunks if self.nest.split else 0
        return CKernel(self.name, text, tuple(self._parameters()), self.nest, self.plan, totals, self.refuses)

    # What the kernel consists of.

    def _values(self) -> range:
        return range(self.first, self.first + len(self.kernel.instructions))

    def _instruction(self, value: int) -> Instruction:
        return self.kernel.instructions[value - self.first]

    def _dtype(self, value: int) -> DType:
        return self.kernel.loads[value].dtype if value < self.first else self._instruction(value).dtype

    def _is_reduction(self, value: int) -> bool:
        return value >= self.first and self.kernel.is_reduction(value)

    def _row_axes_inside(self) -> frozenset[int]:
        """The row axes a unit walks, if it holds whole rows."""
        if self.nest.shape is Shape.SPLIT:
            return frozenset()
        return self.kernel.row_axes

    def _parameters(self) -> list[str]:
        loads = [f"const {memory_type(load.dtype)} *x{i}" for i, load in enumerate(self.kernel.loads)]
        outs = [f"{memory_type(self._dtype(value))} *out{i}" for i, value in enumerate(self.kernel.stores)]
        return loads + outs + self._scalar_parameters()

    def _scalar_parameters(self) -> list[str]:
        types = {}
        for instruction in self.kernel.instructions:
            for operand in instruction.operands:
                if not isinstance(operand, int | Literal):
                    types[operand.index] = register_type(operand.dtype)
        return [f"{types[i]} s{i}" for i in sorted(types)]

    def _argument_names(self) -> list[str]:
        return [parameter.rpartition(" ")[2].lstrip("*") for parameter in self._parameters()]

    def _describe(self) -> str:
        over = " x ".join(map(str, self.kernel.sizes)) or "one element"
        return f"Over {over}. {self.kernel.comment}".strip().replace("*/", "* /")

    def _grain(self) -> int:
        per_unit = max(1, self.nest.work // max(1, self.nest.extent))
        return max(1, _SHARE_WORK // per_unit)

    # Totals of split reductions: an array per reduction, one set per chunk.

    def _place_totals(self) -> tuple[dict[int, int], int]:
        offsets, end = {}, 0
        for value in sorted(self.nest.split):
            offsets[value] = end
            size = 8 if self._total_type(value) in ("f64", "i64") else 4
            end += -(-prod(self.kernel.sizes_of(value)) * size // _LINE) * _LINE
        return offsets, end

    def _folds_vector(self, value: int) -> bool:
        return self.nest.vector in self.kernel.narrowed_axes(self.kernel.span_of(value))

    def _sums_floats(self, value: int) -> bool:
        instruction = self._instruction(value)
        return instruction.op in (rd.reduce_sum, rd.reduce_prod) and instruction.dtype.is_floating_point

    def _total_type(self, value: int) -> str:
        """Totals over blocks are f64: they lose nothing, and cost little where lanes were added up before."""
        if self._sums_floats(value) and (self._folds_vector(value) or self.nest.vector is None):
            return "f64"
        kind = register_type(self._dtype(value))
        return {"_Bool": "i32", "u8": "i32", "i8": "i32", "i16": "i32", "u32": "i64"}.get(kind, kind)

    def _total_dtype(self, value: int) -> DType:
        return float64 if self._total_type(value) == "f64" else self._dtype(value)

    # Indices.

    def _index(
        self, sizes: Sequence[int], strides: Sequence[int], offset: int = 0, names: Sequence[str] | None = None
    ) -> str:
        at = names or [f"i{axis}" for axis in range(len(sizes))]
        terms = [
            at[axis] if stride == 1 else f"{at[axis]} * {stride}"
            for axis, (size, stride) in enumerate(zip(sizes, strides, strict=True))
            if size != 1 and stride != 0
        ]
        if offset or not terms:
            terms.append(str(offset))
        return " + ".join(terms)

    def _place_of(self, value: int) -> str:
        """Where a value lies in a row-major array of its own extents."""
        sizes = self.kernel.sizes_of(value)
        return self._index(sizes, contiguous_strides(sizes))

    def _lane(self) -> str:
        return f"i{self.nest.vector} - first{self.nest.vector}"

    def _kept_place(self) -> str:
        axes = [axis for axis in sorted(self.kernel.row_axes)]
        sizes = [self.kernel.sizes[axis] for axis in axes]
        terms = [
            f"i{axis}" if stride == 1 else f"i{axis} * {stride}"
            for axis, size, stride in zip(axes, sizes, contiguous_strides(tuple(sizes)), strict=True)
            if size != 1
        ]
        place = " + ".join(terms) or "0"
        return f"({place}) * {self.nest.tile} + {self._lane()}" if self.lanes else place

    # Loops.

    def _units(self) -> None:
        nest, out = self.nest, self.out
        if nest.split:
            for value in sorted(nest.split):
                kind, count = self._total_type(value), prod(self.kernel.sizes_of(value))
                out.add(f"{kind} *const total{value} = ({kind} *)(totals + {self.total_offsets[value]});")
                start = c_ops.identity(self._instruction(value).op, self._total_dtype(value))
                out.add(f"for (i64 i = 0; i < {count}; i++) total{value}[i] = {start};")
        with out.block("for (i64 unit = begin; unit < end; unit++)"):
            self._decode_unit()
            self._unit_body()

    def _decode_unit(self) -> None:
        nest, out = self.nest, self.out
        extents = [(f"i{axis}", self.kernel.sizes[axis]) for axis in nest.units]
        extents += [(f"tile{axis}", -(-self.kernel.sizes[axis] // length)) for axis, length in nest.tiles]
        step = 1
        lines = []
        for position, (name, size) in reversed(list(enumerate(extents))):
            text = "unit" if step == 1 else f"unit / {step}"
            lines.append(f"const i64 {name} = {text}{f' % {size}' if position else ''};")
            step *= max(size, 1)
        out.add(*reversed(lines))
        for axis, length in nest.tiles:
            size, end = self.kernel.sizes[axis], f"first{axis} + {length}"
            out.add(f"const i64 first{axis} = tile{axis} * {length};")
            out.add(f"const i64 last{axis} = {end if size % length == 0 else f'{end} < {size} ? {end} : {size}'};")
        for load in sorted(nest.staged):
            self._stage(load)

    def _stage(self, number: int) -> None:
        """Copy the unit's tile of a load into a buffer in which the vectorized axis is the inner one."""
        (across, _), (vector, _) = self.nest.tiles
        load = self.kernel.loads[number]
        starts = [f"first{axis}" if axis in (across, vector) else f"i{axis}" for axis in range(len(load.sizes))]
        place = self._index(load.sizes, load.strides, load.offset, starts)
        rows, lanes = f"last{across} - first{across}", f"last{vector} - first{vector}"
        self.out.add(f"{memory_type(load.dtype)} turned{number}[{STAGED_TILE * STAGED_TILE}];")
        self.out.add(
            f"lg_turn_tile_{load.dtype.itemsize}(x{number} + {place}, {load.strides[vector]}, {lanes}, {rows}, turned{number});"
        )

    def _range(self, axis: int) -> tuple[str, str]:
        if axis in dict(self.nest.tiles):
            return f"first{axis}", f"last{axis}"
        return "0", str(self.kernel.sizes[axis])

    def _vector_range(self) -> tuple[str, str]:
        return self._range(self.nest.vector or 0)

    def _for(self, axis: int, begin: str, end: str) -> str:
        return f"for (i64 i{axis} = {begin}; i{axis} < {end}; i{axis}++)"

    def _unit_body(self) -> None:
        if self.nest.shape is Shape.SHORT:
            begin, end = self._vector_range()
            self.out.add("#pragma omp simd")
            with self.out.block(self._for(self.nest.vector or 0, begin, end)):
                self._passes()
        else:
            self._passes()

    def _passes(self) -> None:
        self.known = {}
        kept = {value for row_pass in self.plan.passes for value in row_pass.kept}
        elements = prod(self.kernel.sizes[axis] for axis in self.kernel.row_axes)
        for value in sorted(kept):
            count = elements * (self.nest.tile or 1) if self.lanes else elements
            self.out.add(f"{register_type(self._dtype(value))} kept{value}[{count}];")
        self._row_stage(self.plan.known)
        for row_pass in self.plan.passes:
            self._pass(row_pass)

    def _pass(self, row_pass: RowPass) -> None:
        """All loops of one pass, then the row values known after it."""
        own = [value for value in row_pass.reductions if value not in self.nest.split]
        for value in own:
            self._declare_total(value)
        before = dict(self.known)
        if row_pass.computed or row_pass.reductions or row_pass.stores:
            self._middle(row_pass, list(self.nest.middle))
        self.known = before
        if not self.lanes:
            for value in own:
                total = rounded(f"({register_type(self._dtype(value))})total{value}", self._dtype(value))
                self.out.add(f"const {register_type(self._dtype(value))} v{value} = {total};")
                self.known[value] = f"v{value}"
                self._store_row(value)
        self._row_stage([value for value in row_pass.finished if self.lanes or value not in own])

    def _declare_total(self, value: int) -> None:
        kind, start = self._total_type(value), c_ops.identity(self._instruction(value).op, self._total_dtype(value))
        if not self.lanes:
            self.out.add(f"{kind} total{value} = {start};")
            return
        self.out.add(f"{kind} total{value}[{self.nest.tile}];")
        self.out.add(f"for (i64 lane = 0; lane < {self.nest.tile}; lane++) total{value}[lane] = {start};")

    def _middle(self, row_pass: RowPass, axes: list[int]) -> None:
        if axes:
            axis = axes[0]
            if self.nest.shape is Shape.SHORT:
                self.out.add(f"#pragma GCC unroll {max(1, self.kernel.sizes[axis])}")
            with self.out.block(self._for(axis, *self._range(axis))):
                self._middle(row_pass, axes[1:])
        elif self.nest.shape is Shape.SHORT or self.nest.vector is None:
            self._element(row_pass)
        else:
            self._vector_loop(row_pass)

    def _vector_loop(self, row_pass: RowPass) -> None:
        axis = self.nest.vector or 0
        begin, end = self._vector_range()
        in_lanes = [value for value in row_pass.reductions if self._folds_vector(value)]
        self._hoisted_loads(row_pass)
        self._hoisted_divisors(row_pass)
        length = self.kernel.sizes[axis]
        if self.nest.tile is None and length > _LONG_ROW and any(self._sums_floats(value) for value in in_lanes):
            with self.out.block(f"for (i64 block = 0; block < {length}; block += {TILE})"):
                end = f"(block + {TILE} < {length} ? block + {TILE} : {length})" if length % TILE else f"block + {TILE}"
                self._lanes_loop(row_pass, in_lanes, "block", end)
        else:
            self._lanes_loop(row_pass, in_lanes, begin, end)
        self.divisors = {}

    def _lanes_loop(self, row_pass: RowPass, in_lanes: list[int], begin: str, end: str) -> None:
        """The innermost loop, vectorized; reductions along it keep a running value per lane."""
        clauses = []
        for value in in_lanes:
            op, dtype = self._instruction(value).op, self._dtype(value)
            self.out.add(f"{register_type(dtype)} lane{value} = {c_ops.identity(op, dtype)};")
            clauses.append(c_ops.lane_clause(op, dtype, f"lane{value}"))
            if c_ops.ignores_nan(op, dtype):
                self.out.add(f"i32 unordered{value} = 0;")
                clauses.append(f"reduction(| : unordered{value})")
        self.out.add(" ".join(["#pragma omp simd", *clauses]))
        with self.out.block(self._for(self.nest.vector or 0, begin, end)):
            self._element(row_pass)
        for value in in_lanes:
            if c_ops.ignores_nan(self._instruction(value).op, self._dtype(value)):
                nan = literal(float("nan"), self._dtype(value))
                self.out.add(f"lane{value} = unordered{value} ? {nan} : lane{value};")
            self._combine(value, self._total(value), f"lane{value}")

    def _total(self, value: int) -> str:
        if value in self.nest.split:
            return f"total{value}[{self._place_of(value)}]"
        return f"total{value}[{self._lane()}]" if self.lanes else f"total{value}"

    def _combine(self, value: int, total: str, element: str) -> None:
        dtype = self._total_dtype(value)
        self.out.add(f"{total} = {c_ops.combined(self._instruction(value).op, dtype, total, element)};")

    # Statements.

    def _element(self, row_pass: RowPass) -> None:
        """One element of the pass: loads, operations, stores, running values."""
        outer = dict(self.known)
        for value in row_pass.recalled:
            kept = any(value in p.kept for p in self.plan.passes)
            if kept:
                self._define(value, f"kept{value}[{self._kept_place()}]")
            else:
                place = f"out{self.kernel.stores.index(value)}[{self._place_of(value)}]"
                self._define(value, loaded(place, self._dtype(value)))
        for value in row_pass.computed:
            self._compute(value)
            if value in row_pass.kept:
                self.out.add(f"kept{value}[{self._kept_place()}] = {self.known[value]};")
        for position in row_pass.stores:
            self._store(position)
        for value in row_pass.reductions:
            (operand,) = self._operands(self._instruction(value))
            if self.nest.vector is not None and self.nest.shape is not Shape.SHORT and self._folds_vector(value):
                op, dtype = self._instruction(value).op, self._dtype(value)
                self.out.add(f"lane{value} = {c_ops.lane_update(op, dtype, f'lane{value}', operand)};")
                if c_ops.ignores_nan(op, dtype):
                    self.out.add(f"unordered{value} |= {operand} != {operand};")
            else:
                self._combine(value, self._total(value), operand)
        self.known = outer

    def _compute(self, value: int) -> None:
        instruction = self._instruction(value)
        operands = self._operands(instruction)
        check = self._check(value, operands)
        if check:
            self.out.add(f"if ({check}) *refused = REFUSED;")
        if value in self.divisors:
            text = rounded(f"lg_divide_f32({operands[0]}, {self.divisors[value]})", instruction.dtype)
        else:
            text = c_ops.expression(instruction.op, self._operand_dtype(instruction), instruction.dtype, operands)
        self._define(value, text)

    def _check(self, value: int, operands: list[str] | None = None) -> str | None:
        instruction = self._instruction(value)
        if len(instruction.operands) != 2:
            return None
        divisor = instruction.operands[1]
        if isinstance(divisor, Literal) and divisor.value > 0:
            return None
        return c_ops.division_check(instruction.op, instruction.dtype, operands or ["", ""])

    def _define(self, value: int, text: str) -> None:
        self.out.add(f"const {register_type(self._dtype(value))} v{value} = {text};")
        self.known[value] = f"v{value}"

    def _operand_dtype(self, instruction: Instruction) -> DType:
        operand = instruction.operands[-1]
        return self._dtype(operand) if isinstance(operand, int) else operand.dtype

    def _operands(self, instruction: Instruction) -> list[str]:
        return [self._operand(operand) for operand in instruction.operands]

    def _operand(self, operand: Operand) -> str:
        if isinstance(operand, Literal):
            text = literal(operand.value, operand.dtype)
            return f"({text})" if text.startswith("-") else text
        if not isinstance(operand, int):
            return f"s{operand.index}"
        if operand not in self.known:
            if operand >= self.first:
                return self._row_value(operand)
            self._load(operand)
        return self.known[operand]

    def _row_value(self, value: int) -> str:
        assert self.lanes, f"value {value} is read before it is known"
        return f"row{value}[{self._lane()}]"

    def _load(self, value: int) -> None:
        load = self.kernel.loads[value]
        if value in self.nest.staged:
            (across, _), _ = self.nest.tiles
            text = f"turned{value}[(i{across} - first{across}) * {STAGED_TILE} + {self._lane()}]"
        else:
            text = f"x{value}[{self._index(load.sizes, load.strides, load.offset)}]"
        self._define(value, loaded(text, load.dtype))

    def _hoisted_loads(self, row_pass: RowPass) -> None:
        """What does not change along the vectorized axis is read before its loop: stores could alias it."""
        vector = self.nest.vector or 0
        for value in (*row_pass.computed, *row_pass.reductions):
            for operand in self._instruction(value).operands:
                if isinstance(operand, int) and operand < self.first and operand not in self.known:
                    load = self.kernel.loads[operand]
                    if load.strides[vector] == 0 or load.sizes[vector] == 1:
                        self._load(operand)

    def _hoisted_divisors(self, row_pass: RowPass) -> None:
        """What divides every element of the innermost loop is prepared once, before it."""
        for value in row_pass.computed:
            instruction = self._instruction(value)
            if instruction.op is ew.div and instruction.dtype is not float64 and self._is_uniform(instruction.operands[1]):
                self.out.add(f"const divisor divisor{value} = lg_divisor({self._operand(instruction.operands[1])});")
                self.divisors[value] = f"divisor{value}"

    def _is_uniform(self, operand: Operand) -> bool:
        """Whether an operand is the same for all elements of the innermost loop."""
        if not isinstance(operand, int):
            return True
        if operand in self.known:
            return operand < self.first or self.kernel.span_of(operand) is not Span.FULL
        return False

    def _store(self, position: int) -> None:
        value = self.kernel.stores[position]
        self.out.add(f"out{position}[{self._place_of(value)}] = {stored(self.known[value], self._dtype(value))};")

    def _store_row(self, value: int) -> None:
        for position, out in enumerate(self.kernel.stores):
            if out == value:
                self._store(position)

    def _row_stage(self, values: Sequence[int]) -> None:
        """Row values: plain statements, or in lanes a loop over the tile that fills one small array per value."""
        if not values:
            return
        if not self.lanes:
            for value in values:
                self._compute(value)
                self._store_row(value)
            return
        for value in values:
            self.out.add(f"{register_type(self._dtype(value))} row{value}[{self.nest.tile}];")
        self.out.add("#pragma omp simd")
        outer = dict(self.known)
        with self.out.block(self._for(self.nest.vector or 0, *self._vector_range())):
            for value in values:
                if self._is_reduction(value):
                    kind = register_type(self._dtype(value))
                    self._define(value, rounded(f"({kind})total{value}[{self._lane()}]", self._dtype(value)))
                else:
                    self._compute(value)
                self.out.add(f"row{value}[{self._lane()}] = {self.known[value]};")
                self._store_row(value)
        self.known = outer

    # The second function of split reductions.

    def _finish_functions(self) -> list[tuple[str, int, list[str]]]:
        """Per span of split reductions: its name, how many elements it finishes, its body."""
        functions = []
        for span in (Span.ROW, Span.COLUMN):
            split = [value for value in sorted(self.nest.split) if self.kernel.span_of(value) is span]
            if split:
                functions.append((span.value, prod(self.kernel.sizes_of(split[0])), self._finish_body(span, split)))
        return functions

    def _finish_body(self, span: Span, split: list[int]) -> list[str]:
        self.out, self.known = _Lines(), {}
        sizes = self.kernel.sizes_of(split[0])
        with self.out.block("for (i64 element = begin; element < end; element++)"):
            step = 1
            lines = []
            for axis in reversed(range(len(sizes))):
                if sizes[axis] != 1:
                    lines.append(f"const i64 i{axis} = element / {step} % {sizes[axis]};")
                    step *= max(sizes[axis], 1)
            self.out.add(*reversed(lines))
            for value in split:
                self._finish_total(value)
            if span is Span.ROW:
                for value in self._values():
                    if self.kernel.span_of(value) is Span.ROW and value not in self.nest.split:
                        if self.nest.shape is Shape.SPLIT:
                            self._compute(value)
                            self._store_row(value)
        return self.out.lines

    def _finish_total(self, value: int) -> None:
        op, dtype = self._instruction(value).op, self._dtype(value)
        wide = float64 if self._sums_floats(value) else dtype
        kind = "f64" if wide is float64 else self._total_type(value)
        chunk = f"((const {self._total_type(value)} *)(totals + chunk * {self.totals_stride} + {self.total_offsets[value]}))"
        self.out.add(f"{kind} total{value} = {c_ops.identity(op, wide)};")
        with self.out.block(f"for (i64 chunk = 0; chunk < {self.nest.chunks}; chunk++)"):
            self.out.add(f"total{value} = {c_ops.combined(op, wide, f'total{value}', f'{chunk}[element]')};")
        self._define(value, rounded(f"({register_type(dtype)})total{value}", dtype))
        self._store_row(value)
