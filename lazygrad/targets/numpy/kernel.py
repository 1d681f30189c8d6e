"""Renders one kernel as a numpy function: ufuncs with ``out=`` on cache-sized blocks, scratch reused by liveness."""

from __future__ import annotations

from dataclasses import dataclass

from lazygrad.codegen.escaping import Code, code_lines
from lazygrad.codegen.kernel import Kernel
from lazygrad.ir.dtype import float32, float64
from lazygrad.ir.shape import Shape
from lazygrad.targets.numpy.body import Body, block_start, block_stop
from lazygrad.targets.numpy.facts import NumpyFacts
from lazygrad.targets.numpy.ops import dtype_source, is_summed_by_levels, reduction_identity, reduction_ufunc
from lazygrad.targets.numpy.schedule import BlockSchedule, Loop, schedule_blocks
from lazygrad.targets.numpy.templates import render

Statement = tuple[str, int | None]  # a line, and the value that it makes


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
        statements: of all of them, without what is said about them.
        values: for each statement, the value of the kernel that it makes, or None.
        schedule: the loops, for the caller to spread over threads.
        accumulators: partial results, passed before the other arguments.
    """

    name: str
    source: Code
    statements: tuple[Code, ...]
    values: tuple[int | None, ...]
    schedule: BlockSchedule
    accumulators: tuple[Accumulator, ...]


def render_kernel(kernel: Kernel, name: str, schedule: BlockSchedule | None = None) -> NumpyKernel:
    """The numpy source of ``kernel`` as a function called ``name``; ``schedule`` has its loops, if they were chosen."""
    return _KernelRenderer(kernel, name, schedule or schedule_blocks(kernel)).run()


class _KernelRenderer:
    def __init__(self, kernel: Kernel, name: str, schedule: BlockSchedule) -> None:
        self.name, self.facts = name, NumpyFacts(kernel, schedule)
        self.accumulators = self._accumulators()

    def run(self) -> NumpyKernel:
        in_loop = [v for v in self.facts.kernel.values if v not in self.facts.after_loops]
        finish = [
            v for v in self.facts.kernel.values if v in self.facts.after_loops and v not in self.facts.accumulated
        ]
        block_lines = self._block_lines([*in_loop, *self.facts.accumulated])
        finish_lines = self._finish_lines(finish) if self.accumulators else []
        blocks, finishing = (code_lines([line for line, _ in lines]) for lines in (block_lines, finish_lines))
        values = tuple([value for _, value in (*block_lines, *finish_lines)])
        text = render(
            "kernel.py.j2",
            name=self.name,
            sizes=self.facts.kernel.sizes,
            places=self.facts.kernel.comment,
            parameters=self._parameters(),
            loop=["start", "stop"] if self.facts.schedule.loops else [],
            accumulators=self._accumulator_names(),
            blocks=blocks,
            finish=finishing,
        )
        return NumpyKernel(self.name, text, (*blocks, *finishing), values, self.facts.schedule, self.accumulators)

    def _accumulators(self) -> tuple[Accumulator, ...]:
        result = []
        for value in self.facts.accumulated:
            op, dtype = self.facts.kernel.instruction(value).op, self.facts.kernel.dtype_of(value)
            ufunc, identity = reduction_ufunc(op), reduction_identity(op, dtype)
            wide = float64 if dtype is float32 and is_summed_by_levels(op, dtype) else dtype
            result.append(Accumulator(value, self.facts.kernel.sizes_of(value), wide.name, ufunc, identity))
        return tuple(result)

    def _accumulator_names(self) -> list[str]:
        return [f"total{i}" for i in range(len(self.accumulators))]

    def _parameters(self) -> list[str]:
        return [*self.facts.load_names, *self.facts.out_names, *self.facts.scalar_names]

    # The block: what one iteration of the innermost loop does.

    def _block_lines(self, values: list[int]) -> list[Statement]:
        loops = self.facts.schedule.loops
        body = Body(self.facts, loops, values)
        lines = body.scratch_lines()
        indent = ""
        for depth, loop in enumerate(loops):
            lines.append(indent + _for_line(loop, depth))
            indent += "    "
            end = f"{block_start(depth)} + {loop.step}"
            lines.append(f"{indent}{block_stop(depth)} = min({end}, {_limit(loop, depth)})")
        statements = [indent + line for line in body.lines()]
        return [*[(line, None) for line in lines], *zip(statements, body.values_of_lines, strict=True)]

    def _finish_lines(self, values: list[int]) -> list[Statement]:
        body = Body(self.facts, (), values)
        for accumulator, name in zip(self.accumulators, self._accumulator_names(), strict=True):
            body.location[accumulator.value] = name
        lines: list[Statement] = [(line, None) for line in body.scratch_lines()]
        for accumulator, name in zip(self.accumulators, self._accumulator_names(), strict=True):
            dtype = self.facts.kernel.dtype_of(accumulator.value).name
            if accumulator.dtype != dtype:
                lines.append((f"{name} = {name}.astype({dtype_source(dtype)})", accumulator.value))
        lines += zip(body.lines(), body.values_of_lines, strict=True)
        for accumulator, name in zip(self.accumulators, self._accumulator_names(), strict=True):
            for position in self.facts.stored_at.get(accumulator.value, ()):
                lines.append((f"np.copyto({self.facts.out_names[position]}, {name})", accumulator.value))
        return lines


def _limit(loop: Loop, depth: int) -> str:
    return "stop" if depth == 0 else str(loop.extent)


def _for_line(loop: Loop, depth: int) -> str:
    return f"for {block_start(depth)} in range({'start' if depth == 0 else 0}, {_limit(loop, depth)}, {loop.step}):"
