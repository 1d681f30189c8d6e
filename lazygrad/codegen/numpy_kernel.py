"""Renders one kernel as a numpy function: ufuncs with ``out=`` on cache-sized blocks, scratch reused by liveness."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from lazygrad.codegen.kernel import Instruction, Kernel, Literal, Operand
from lazygrad.codegen.naming import Names
from lazygrad.codegen.numpy_ops import COPIES, DIVISIONS, PARTS, REDUCTIONS, SELECT, UFUNCS, literal, reduction_identity
from lazygrad.codegen.numpy_schedule import BlockSchedule, Loop, schedule_blocks
from lazygrad.codegen.templates import template
from lazygrad.ir.dtype import Category, DType, bool_
from lazygrad.ir.node import Kind
from lazygrad.ir.primitives import elementwise as ew
from lazygrad.ir.primitives import reduction as rd
from lazygrad.ir.shape import Shape
from lazygrad.passes.fusion_legality import Span

_FEW = 16  # elements that are folded one by one rather than by numpy's own loop


@dataclass(frozen=True, slots=True)
class Accumulator:
    """A reduction finished after the loops: where its partial results live and how two of them combine."""

    value: int
    shape: Shape
    dtype: str
    ufunc: str
    identity: str


@dataclass(frozen=True, slots=True)
class NumpyKernel:
    """Source of one kernel and how to call it.

    Attributes:
        name: of the function; ``name_finish`` exists when there are accumulators.
        source: one or two function definitions.
        schedule: the loops, for the caller to spread over threads.
        accumulators: partial results, passed before the other arguments.
    """

    name: str
    source: str
    schedule: BlockSchedule
    accumulators: tuple[Accumulator, ...]


def render_kernel(kernel: Kernel, name: str) -> NumpyKernel:
    """The numpy source of ``kernel`` as a function called ``name``."""
    return _KernelRenderer(kernel, name).run()


class _KernelRenderer:
    def __init__(self, kernel: Kernel, name: str) -> None:
        self.kernel, self.name = kernel, name
        self.schedule = schedule_blocks(kernel)
        self.loads = len(kernel.loads)
        names = Names(["np", "special", "scratch", "start", "stop"])
        self.load_names = [names.unique(f"x{i}" if len(kernel.loads) > 1 else "x") for i in range(self.loads)]
        outputs = len(kernel.stores)
        self.out_names = [names.unique(f"out{i}" if outputs > 1 else "out") for i in range(outputs)]
        self.scalar_names = [names.unique(f"s{i}") for i in range(kernel.scalars)]
        self.values = range(self.loads, self.loads + len(kernel.instructions))
        self.stored_at: dict[int, list[int]] = {}
        for position, value in enumerate(kernel.stores):
            self.stored_at.setdefault(value, []).append(position)
        self.after_loops = self._finish_values()
        self.accumulated = [v for v in self.values if v in self.after_loops and self.instruction(v).op in REDUCTIONS]
        self.accumulators = self._accumulators()

    def run(self) -> NumpyKernel:
        in_loop = [v for v in self.values if v not in self.after_loops]
        finish = [v for v in self.values if v in self.after_loops and v not in self.accumulated]
        text = template("numpy/kernel.py.j2").render(
            name=self.name,
            comment=self._describe(),
            parameters=self._parameters(),
            loop=["start", "stop"] if self.schedule.loops else [],
            accumulators=self._accumulator_names(),
            blocks=self._block_lines([*in_loop, *self.accumulated]),
            finish=self._finish_lines(finish) if self.accumulators else [],
        )
        return NumpyKernel(self.name, text, self.schedule, self.accumulators)

    def dtype(self, operand: Operand) -> DType:
        """The dtype of an operand."""
        if not isinstance(operand, int):
            return operand.dtype
        return self.kernel.loads[operand].dtype if operand < self.loads else self.instruction(operand).dtype

    def instruction(self, value: int) -> Instruction:
        return self.kernel.instructions[value - self.loads]

    def _finish_values(self) -> set[int]:
        """Values that exist only once the loops over row axes are done: reductions and what follows from them."""
        if not self.schedule.accumulates:
            return set()
        looped = frozenset(loop.axis for loop in self.schedule.loops)
        rows_are_split = bool(looped & self.kernel.row_axes)
        later: set[int] = set()
        for value in self.values:
            instruction = self.instruction(value)
            from_later = any(isinstance(o, int) and o in later for o in instruction.operands)
            unfinished = instruction.op.kind is Kind.REDUCTION and looped & self.folded_axes(instruction)
            if unfinished or from_later or (rows_are_split and instruction.span is Span.ROW):
                later.add(value)
        return later

    def folded_axes(self, instruction: Instruction) -> frozenset[int]:
        return self.kernel.narrowed_axes(instruction.span)

    def _accumulators(self) -> tuple[Accumulator, ...]:
        result = []
        for value in self.accumulated:
            op, dtype = self.instruction(value).op, self.instruction(value).dtype
            identity = reduction_identity(op, dtype)
            result.append(Accumulator(value, self.kernel.sizes_of(value), dtype.name, REDUCTIONS[op], identity))
        return tuple(result)

    def _accumulator_names(self) -> list[str]:
        return [f"total{i}" for i in range(len(self.accumulators))]

    def _parameters(self) -> list[str]:
        return [*self.load_names, *self.out_names, *self.scalar_names]

    def _describe(self) -> str:
        over = "×".join(map(str, self.kernel.sizes)) or "one element"
        return f"Over {over}. {self.kernel.comment}".strip()

    # The block: what one iteration of the innermost loop does.

    def _block_lines(self, values: list[int]) -> list[str]:
        loops = self.schedule.loops
        body = _Body(self, self.kernel.sizes, loops, values)
        lines: list[str] = body.scratch_lines()
        indent = ""
        for depth, loop in enumerate(loops):
            lines.append(indent + _for_line(loop, depth))
            indent += "    "
            lines.append(f"{indent}{_stop(depth)} = min({_index(depth)} + {loop.step}, {_limit(loop, depth)})")
        lines += [indent + line for line in body.lines()]
        return lines

    def _finish_lines(self, values: list[int]) -> list[str]:
        body = _Body(self, self.kernel.sizes, (), values)
        for accumulator, name in zip(self.accumulators, self._accumulator_names(), strict=True):
            body.location[accumulator.value] = name
        lines = body.scratch_lines() + body.lines()
        for accumulator, name in zip(self.accumulators, self._accumulator_names(), strict=True):
            for position in self.stored_at.get(accumulator.value, ()):
                lines.append(f"np.copyto({self.out_names[position]}, {name})")
        return lines


class _Body:
    """Straight-line numpy calls for some values, with scratch arrays handed out by liveness."""

    def __init__(self, renderer: _KernelRenderer, sizes: Shape, loops: tuple[Loop, ...], values: list[int]) -> None:
        self.renderer, self.kernel = renderer, renderer.kernel
        self.loops, self.values = loops, values
        self.block_sizes = tuple(
            next((min(loop.step, loop.extent) for loop in loops if loop.axis == axis), size)
            for axis, size in enumerate(sizes)
        )
        self.location: dict[int, str] = {}
        self.scratch: list[tuple[Shape, str]] = []
        self.free: dict[tuple[Shape, str], list[str]] = {}
        self.owned: dict[int, tuple[tuple[Shape, str], str]] = {}
        self._lines: list[str] | None = None

    def scratch_lines(self) -> list[str]:
        self.lines()
        if not self.scratch:
            return []
        specs = ", ".join(
            f"({shape}, np.{dtype})" if dtype != "bfloat16" else f"({shape}, bfloat16)" for shape, dtype in self.scratch
        )
        prefix = "t" if not self.loops else "buffer"
        names = ", ".join(f"{prefix}{i}" for i in range(len(self.scratch)))
        return [f"{names}{',' if len(self.scratch) == 1 else ''} = scratch({specs})"]

    def lines(self) -> list[str]:
        if self._lines is None:
            self._lines = self._render()
        return self._lines

    def _render(self) -> list[str]:
        body: list[str] = []
        last_use = self._last_uses()
        for position, value in enumerate(self.values):
            body += self._statement(value, position, last_use)
        return self._binding_lines() + body

    def _last_uses(self) -> dict[int, int]:
        last: dict[int, int] = {}
        for position, value in enumerate(self.values):
            for operand in self.renderer.instruction(value).operands:
                if isinstance(operand, int):
                    last[operand] = position
        return last

    def _binding_lines(self) -> list[str]:
        """At the top of a block, cut every array that spans a looped axis down to the block."""
        lines = []
        for i, name in enumerate(self.renderer.load_names):
            index = self._index(self.kernel.loads[i].sizes)
            if index and any(i == o for v in self.values for o in self.renderer.instruction(v).operands):
                lines.append(f"{self._block_name(name)} = {name}[{index}]")
        for position, value in enumerate(self.kernel.stores):
            name = self.renderer.out_names[position]
            index = self._index(self.kernel.sizes_of(value))
            if value in self.values and index and value not in self.renderer.accumulated:
                lines.append(f"{self._block_name(name)} = {name}[{index}]")
        if self.loops:
            for i, (shape, _) in enumerate(self.scratch):
                index = self._scratch_index(shape)
                lines.append(f"t{i} = buffer{i}[{index}]" if index else f"t{i} = buffer{i}")
        return lines

    def _block_name(self, name: str) -> str:
        return f"{name}_"

    def _index(self, sizes: Shape) -> str:
        """The slice of an array of these sizes that belongs to the current block; empty when it is all of it."""
        last = max((loop.axis for loop in self.loops if sizes[loop.axis] != 1), default=-1)
        parts = []
        for axis in range(last + 1):
            depth = next((d for d, loop in enumerate(self.loops) if loop.axis == axis and sizes[axis] != 1), None)
            parts.append(":" if depth is None else f"{_index(depth)}:{_stop(depth)}")
        return ", ".join(parts)

    def _scratch_index(self, shape: Shape) -> str:
        """The last block can be shorter than the scratch array; on the outermost axis any thread's last one."""
        parts, needed = [], False
        for axis, size in enumerate(shape):
            depth = next((d for d, loop in enumerate(self.loops) if loop.axis == axis and size != 1), None)
            if depth is None or (depth and self.loops[depth].extent % self.loops[depth].step == 0):
                parts.append(":")
            else:
                parts.append(f": {_stop(depth)} - {_index(depth)}")
                needed = True
        while parts and parts[-1] == ":":
            parts.pop()
        return ", ".join(parts) if needed else ""

    # Statements.

    def _statement(self, value: int, position: int, last_use: dict[int, int]) -> list[str]:
        instruction = self.renderer.instruction(value)
        operands = [self._operand(operand) for operand in instruction.operands]
        if value in self.renderer.accumulated:
            return self._accumulate(value, instruction, operands, position, last_use)
        dying = [
            o
            for o in dict.fromkeys(instruction.operands)
            if isinstance(o, int) and last_use[o] == position and o in self.owned
        ]
        target = self._target(value, instruction, dying)
        if self._folds_few(instruction):
            lines = [f"fold_few({REDUCTIONS[instruction.op]}, {operands[0]}, {self._axes_text(instruction)}, {target})"]
        else:
            if self._drops_imaginary_part(instruction):
                operands = [f"{operands[0]}.real"]
            lines = _compute(instruction, operands, target, self._axes_text(instruction))
        lines += self._extra_stores(value, target)
        for operand in dying:
            self._release(operand)
        return lines

    def _operand(self, operand: Operand) -> str:
        if isinstance(operand, int):
            if operand in self.location and operand >= self.renderer.loads:
                return self.location[operand]
            name = self.renderer.load_names[operand]
            return self._block_name(name) if self._index(self.kernel.loads[operand].sizes) else name
        if isinstance(operand, Literal):
            return literal(operand.value)
        return self.renderer.scalar_names[operand.index]

    def _target(self, value: int, instruction: Instruction, dying: list[int]) -> str:
        """Where the result goes: straight into an output, over a dying operand, or into scratch."""
        stored = self.renderer.stored_at.get(value, ())
        if stored:
            name = self.renderer.out_names[stored[0]]
            self.location[value] = self._block_name(name) if self._index(self.kernel.sizes_of(value)) else name
            return self.location[value]
        key = (self._block_shape(value), instruction.dtype.name)
        reusable = instruction.op in UFUNCS
        for operand in dying:
            owned_key, name = self.owned[operand]
            if reusable and owned_key == key:
                del self.owned[operand]
                self.owned[value] = (key, name)
                self.location[value] = name
                dying.remove(operand)
                return name
        available = self.free.get(key)
        name = available.pop() if available else self._new_scratch(key)
        self.owned[value] = (key, name)
        self.location[value] = name
        return name

    def _block_shape(self, value: int) -> Shape:
        sizes = self.kernel.sizes_of(value)
        return tuple(size if size == 1 else block for block, size in zip(self.block_sizes, sizes, strict=True))

    def _new_scratch(self, key: tuple[Shape, str]) -> str:
        self.scratch.append(key)
        return f"t{len(self.scratch) - 1}"

    def _release(self, value: int) -> None:
        key, name = self.owned.pop(value)
        self.free.setdefault(key, []).append(name)

    def _extra_stores(self, value: int, target: str) -> list[str]:
        lines = []
        for position in self.renderer.stored_at.get(value, ())[1:]:
            name = self.renderer.out_names[position]
            destination = self._block_name(name) if self._index(self.kernel.sizes_of(value)) else name
            lines.append(f"np.copyto({destination}, {target})")
        return lines

    def _folds_few(self, instruction: Instruction) -> bool:
        """Whether the axes that a maximum folds are so short that numpy's own loop would be all overhead."""
        if instruction.op not in (rd.reduce_max, rd.reduce_min) or instruction.span is Span.FULL:
            return False
        return prod(self.kernel.sizes[axis] for axis in self.renderer.folded_axes(instruction)) in range(1, _FEW)

    def _drops_imaginary_part(self, instruction: Instruction) -> bool:
        """Whether a cast turns complex numbers into real ones; truth values look at both parts."""
        if instruction.op is not ew.cast or instruction.dtype.is_complex or instruction.dtype is bool_:
            return False
        (operand,) = instruction.operands
        return self.renderer.dtype(operand).is_complex

    def _axes_text(self, instruction: Instruction) -> str:
        axes = sorted(self.renderer.folded_axes(instruction))
        return str(axes[0]) if len(axes) == 1 else str(tuple(axes))

    def _accumulate(
        self, value: int, instruction: Instruction, operands: list[str], position: int, last_use: dict[int, int]
    ) -> list[str]:
        total = f"total{self.renderer.accumulated.index(value)}"
        index = self._index(self.kernel.sizes_of(value))
        block = f"{total}[{index}]" if index else total
        ufunc = REDUCTIONS[instruction.op]
        partial = f"{ufunc}.reduce({operands[0]}, axis={self._axes_text(instruction)}, keepdims=True)"
        for operand in dict.fromkeys(instruction.operands):
            if isinstance(operand, int) and last_use[operand] == position and operand in self.owned:
                self._release(operand)
        return [f'{ufunc}({block}, {partial}, out={block}, casting="unsafe")']


def _compute(instruction: Instruction, operands: list[str], target: str, axes: str) -> list[str]:
    op = instruction.op
    if op in PARTS:
        return [f"np.copyto({target}, {operands[0]}.{PARTS[op]})"]
    if op in COPIES:
        return [f'np.copyto({target}, {operands[-1]}, casting="unsafe")']
    if op is SELECT:
        return [f"select({target}, {', '.join(operands)})"]
    if op in REDUCTIONS:
        return [f"{REDUCTIONS[op]}.reduce({operands[0]}, axis={axes}, keepdims=True, out={target})"]
    call = f"{UFUNCS[op]}({', '.join(operands)}, out={target})"
    return [f"refuse_zero({operands[1]})", call] if _may_divide_by_zero(instruction) else [call]


def _may_divide_by_zero(instruction: Instruction) -> bool:
    """Only integers are asked: floats give infinity or NaN."""
    if instruction.op not in DIVISIONS or instruction.dtype.category is Category.FLOAT:
        return False
    divisor = instruction.operands[1]
    return not (isinstance(divisor, Literal) and divisor.value != 0)


def _index(depth: int) -> str:
    return "ijklmn"[depth]


def _stop(depth: int) -> str:
    return f"{_index(depth)}_end"


def _limit(loop: Loop, depth: int) -> str:
    return "stop" if depth == 0 else str(loop.extent)


def _for_line(loop: Loop, depth: int) -> str:
    return f"for {_index(depth)} in range({'start' if depth == 0 else 0}, {_limit(loop, depth)}, {loop.step}):"
