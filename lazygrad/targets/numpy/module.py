"""Renders a schedule as one readable Python module: a function per distinct kernel, and ``run`` that calls them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from lazygrad.codegen.driver import Step, kernel_arguments, opening, value_names
from lazygrad.codegen.editing import Edits
from lazygrad.codegen.escaping import Code, Words, code_lines
from lazygrad.codegen.kernel import Kernel
from lazygrad.codegen.lower import LoweredKernel
from lazygrad.codegen.naming import Names, kernel_comment
from lazygrad.ir.dtype import STORAGE_DTYPES, bfloat16, float32, float64
from lazygrad.ir.node import Node
from lazygrad.ir.op import Op
from lazygrad.ir.primitives import movement as mv
from lazygrad.ir.primitives.indexing import concat
from lazygrad.ir.primitives.leaf import constant, scalar
from lazygrad.ir.view import View
from lazygrad.memory.slots import Place
from lazygrad.passes.destinations import Run, runs_elsewhere
from lazygrad.targets.base import LoweredProgram
from lazygrad.targets.numpy.kernel import NumpyKernel, render_kernel
from lazygrad.targets.numpy.ops import dtype_source, literal
from lazygrad.targets.numpy.schedule import BlockSchedule
from lazygrad.targets.numpy.templates import render

_SUPPORT = ("accumulate", "bfloat16", "complex_of_parts", "fold_few", "pad", "parallel", "power", "refuse_zero",
            "remainder", "require", "scratch", "select", "sign", "special", "sum_by_levels", "trigamma", "windows",
            *(dtype.name for dtype in STORAGE_DTYPES if dtype.is_float8))  # fmt: skip
_RESERVED = ("np", "complex", "run", "look_at_clock", "inputs", "outputs", "arena", "scalars", "totals", *_SUPPORT)

_CLOCK: Step = (Code("look_at_clock()"), Words())


@dataclass(frozen=True, slots=True)
class NumpySource:
    """The fifth form: rendered code.

    Attributes:
        text: a Python module with ``run(inputs, outputs, arena, scalars)``.
        rendered: the functions of distinct kernels, in order.
        lowered: per kernel step of the schedule, what it runs.
        calls: names of the library functions it uses.
        steps_of_lines: numbers of the steps that the last lines of ``text`` belong to, one for each of these lines.
        edits: kernels whose functions are replaced when the module is loaded; ``text`` shows what by.
    """

    text: str
    rendered: dict[Kernel, NumpyKernel]
    lowered: tuple[LoweredKernel, ...]
    calls: tuple[str, ...]
    steps_of_lines: tuple[int, ...]
    edits: Edits = field(default_factory=dict)

    @property
    def kernels(self) -> tuple[Kernel, ...]:
        """The distinct kernels, in the order of their functions."""
        return tuple(self.rendered)

    @property
    def functions(self) -> Mapping[Kernel, str]:
        return {kernel: function.name for kernel, function in self.rendered.items()}

    def step_of_line(self, line: int) -> int | None:
        """The number of the step that a line of ``text``, counted from 1, belongs to."""
        first = self.text.rstrip().count("\n") + 2 - len(self.steps_of_lines)
        return self.steps_of_lines[line - first] if line >= first else None

    def __str__(self) -> str:
        return self.text


def render_module(
    program: LoweredProgram,
    title: str = "",
    blocks: Sequence[BlockSchedule] | None = None,
    clocked: bool = False,
) -> NumpySource:
    """The numpy module of ``program``.

    Args:
        program: what is rendered.
        title: how its docstring begins.
        blocks: per distinct kernel, how it was cut at another size of the program; default: as suits it.
        clocked: whether it calls ``look_at_clock``, which it does not define, before the first step and after each.

    Raises:
        IndexError: ``blocks`` is of another program.
    """
    return _ModuleRenderer(program, title, blocks, clocked).run()


class _ModuleRenderer:
    def __init__(
        self, program: LoweredProgram, title: str, blocks: Sequence[BlockSchedule] | None, clocked: bool
    ) -> None:
        self.blocks, self.look_at_clock = blocks, [_CLOCK] if clocked else []
        self.schedule, self.memory, self.lowered, self.title = program.schedule, program.memory, program.kernels, title
        libraries = [group.nodes[0].op.name for group in self.schedule.steps if group.is_library]
        self.calls = tuple(dict.fromkeys(libraries))
        self.names = Names((*_RESERVED, *self.calls))
        self.functions: dict[Kernel, NumpyKernel] = {}
        self.value_names: dict[Node, str] = {}

    def run(self) -> NumpySource:
        steps: list[Step] = [*self.look_at_clock]
        functions = [self._function(step.kernel) for step in self.lowered]
        stored = (*self.memory.slots, *self.schedule.destinations)
        self.value_names = value_names(stored, self.schedule.fused.graph.names, self.names)
        calls = zip(self.lowered, functions, strict=True)
        steps_of_lines: list[int] = [0] * len(steps)
        for number, group in enumerate(self.schedule.steps):
            lines = self._library_step(group.nodes[0]) if group.is_library else self._kernel_step(*next(calls))
            lines = [*lines, *self.look_at_clock]
            steps += lines
            steps_of_lines += [number] * len(lines)
        statements = [code for function in self.functions.values() for code in function.statements]
        words = set(re.findall(r"\w+", "\n".join([*statements, *[code for code, _ in steps]])))
        text = render(
            "module.py.j2",
            title=opening(self.title, self.schedule.steps, len(self.functions), self.memory.arena_bytes),
            calls=self.calls,
            support=[name for name in _SUPPORT if name in words],
            kernels=[function.source for function in self.functions.values()],
            bindings=code_lines(self._bindings()),
            steps=steps,
        )
        return NumpySource(text, self.functions, self.lowered, self.calls, tuple(steps_of_lines))

    def _function(self, kernel: Kernel) -> NumpyKernel:
        function = self.functions.get(kernel)
        if function is None:
            schedule = None if self.blocks is None else self.blocks[len(self.functions)].over(kernel)
            name = self.names.unique(kernel.name, "_finish")
            function = self.functions[kernel] = render_kernel(kernel, name, schedule)
        return function

    # Names of stored values.

    def _bindings(self) -> list[str]:
        """One line per stored value: its name, its place and its type."""
        sources = {Place.INPUT: "inputs", Place.OUTPUT: "outputs", Place.ARENA: "arena"}
        lines = []
        for place, source in sources.items():
            placed = [(slot.index, node) for node, slot in self.memory.slots.items() if slot.place is place]
            for index, node in sorted(placed, key=lambda pair: pair[0]):
                lines.append(f"{self.value_names[node]} = {source}[{index}]  # {node.type}")
        for node, inside in self.schedule.destinations.items():  # in the order in which they contain each other
            piece = self._piece(inside.joined, inside.axis, inside.start, inside.stop)
            shape = inside.joined.type.shape
            narrowed = (*shape[: inside.axis], inside.stop - inside.start, *shape[inside.axis + 1 :])
            lines.append(f"{self.value_names[node]} = {_reshaped(piece, narrowed, node.shape)}  # {node.type}")
        return lines

    def _piece(self, joined: Node, axis: int, start: int, stop: int) -> str:
        """A slice of a stored value along one axis."""
        is_all = stop - start == joined.shape[axis]
        return self.value_names[joined] + ("" if is_all else f"[{':, ' * axis}{start}:{stop}]")

    # Steps of run().

    def _library_step(self, node: Node) -> list[Step]:
        if node.op is concat:
            return [self._copied(node, run) for run in runs_elsewhere(node, self.schedule.destinations)]
        arguments = [self.value_names[node], *(self._argument(source) for source in node.inputs)]
        attrs = [f"{name}={_attribute(value)}" for name, value in node.named_attrs()]
        return [(Code(f"{node.op.name}({', '.join(arguments + attrs)})"), kernel_comment([node]))]

    def _copied(self, joined: Node, run: Run) -> Step:
        """A piece of a concatenation whose parts lie elsewhere."""
        piece = self._piece(joined, joined["axis"], run.start, run.stop)
        arguments = [piece, *(self._argument(part) for part in run.parts)]
        return Code(f"concat({', '.join(arguments)}, axis={joined['axis']})"), kernel_comment([joined])

    def _kernel_step(self, lowered: LoweredKernel, function: NumpyKernel) -> list[Step]:
        kernel = lowered.kernel
        arguments = kernel_arguments(
            lowered,
            load=lambda node, load: _reshaped(self._argument(node), node.shape, load.array_sizes),
            store=lambda node, store: _reshaped(self.value_names[node], node.shape, kernel.sizes_of(store.value)),
            scalar=lambda node: self._scalar(node, kernel.computes_with_scalars_alone),
        )
        return [(Code(line), kernel.comment) for line in _call(function, arguments)]

    def _scalar(self, node: Node, alone: bool = False) -> str:
        """A runtime scalar.

        A Python number takes the dtype of the array it meets, as a weak type. What knows no weak types gets a number
        of its dtype: bfloat16, a cast to another dtype, and ufuncs that meet no array (``alone``).
        """
        text = f"scalars[{node['slot']}]"
        if node.dtype.is_half or (alone and node.dtype is float32):
            return f"{dtype_source(node.dtype.name)}{'.type' if node.dtype is bfloat16 else ''}({text})"
        return text

    def _argument(self, node: Node) -> str:
        """An expression for the numpy view a step reads."""
        base, steps = mv.view_chain(node)
        if base.op is scalar:
            return self._scalar(base)
        if base.op is constant:
            return literal(base["value"], base.dtype)
        text, shape = self.value_names[base], base.shape
        for op, attrs in steps:
            text, shape = _moved(text, shape, op, attrs)
        return text


def _attribute(value: Any) -> str:
    """An attribute in Python source: a number, a string, or a tuple of them."""
    if isinstance(value, tuple):
        return f"({', '.join(map(_attribute, value))}{',' if len(value) == 1 else ''})"
    return literal(value, float64) if isinstance(value, float | complex) else repr(value)


def _call(function: NumpyKernel, arguments: list[str]) -> list[str]:
    schedule, listed = function.schedule, ", ".join(arguments)
    if not schedule.loops:
        return [f"{function.name}({listed})"]
    extent = schedule.loops[0].extent
    if not function.accumulators:
        return [f"parallel({function.name}, {extent}, {schedule.grain}, {listed})"]
    parts = ", ".join(f"({a.ufunc}, {a.shape}, {dtype_source(a.dtype)}, {a.identity})" for a in function.accumulators)
    return [
        f"totals = accumulate({function.name}, {extent}, {schedule.grain}, [{parts}], {listed})",
        f"{function.name}_finish(*totals, {listed})",
    ]


def _reshaped(text: str, shape: tuple[int, ...], sizes: tuple[int, ...]) -> str:
    return text if shape == sizes else f"{text}.reshape({_tuple(sizes)})"


def _tuple(sizes: tuple[int, ...]) -> str:
    return ", ".join(map(str, sizes)) if sizes else "()"


def _moved(text: str, shape: tuple[int, ...], op: Op, attrs: tuple[Any, ...]) -> tuple[str, tuple[int, ...]]:
    """One movement op as a numpy view expression, and the shape it gives."""
    if op is mv.reshape:
        return f"{text}.reshape({_tuple(attrs[0])})", attrs[0]
    moved = getattr(View.contiguous(shape), op.name)(*attrs)
    if op is mv.permute:
        return f"{text}.transpose({_tuple(attrs[0])})", moved.shape
    if op is mv.expand:
        return f"np.broadcast_to({text}, {attrs[0]})", moved.shape
    if op is mv.slice_:
        parts = [
            ":" if (a, b, s) == (0, n, 1) else f"{a}:{b}" + (f":{s}" if s != 1 else "")
            for a, b, s, n in zip(*attrs, shape, strict=True)
        ]
        while parts and parts[-1] == ":":
            parts.pop()
        return f"{text}[{', '.join(parts)}]", moved.shape
    if op is mv.flip:
        parts = ["::-1" if axis in attrs[0] else ":" for axis in range(len(shape))]
        return f"{text}[{', '.join(parts)}]", moved.shape
    if op is mv.windows:
        return f"windows({text}, {attrs[0]}, {attrs[1]}, {attrs[2]})", moved.shape
    return f"np.diagonal({text}, {', '.join(map(str, attrs))})", moved.shape
