"""Renders a schedule as one CUDA program: all its kernels, and the table of what is launched in which order."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import prod

from lazygrad.codegen.clike.editing import code_alone, functions_of, inside_marks, renamed
from lazygrad.codegen.driver import opening
from lazygrad.codegen.editing import NO_EDITS, Edits
from lazygrad.codegen.escaping import Code
from lazygrad.codegen.kernel import Kernel
from lazygrad.codegen.lower import LoweredKernel
from lazygrad.ir.node import Node
from lazygrad.memory.slots import Place
from lazygrad.passes.views import view_of
from lazygrad.targets.base import LoweredProgram
from lazygrad.targets.cuda.finishing import finishings, held, normalized
from lazygrad.targets.cuda.grouping import Member, are_independent, member_of, write_group
from lazygrad.targets.cuda.library import write_call
from lazygrad.targets.cuda.table import Address, CheckStep, Entry, FillStep, KernelStep, Parameter
from lazygrad.targets.cuda.templates import render
from lazygrad.targets.cuda.writer import Writer, number_of
from lazygrad.targets.executable import LoadError

# Preludes besides the first one, by what in a program asks for them.
_PRELUDES = (
    ("half", re.compile(r"b?f16")),
    ("float8", re.compile(r"\bf8e")),
    ("complex", re.compile(r"\bc(64|128)\b")),
    ("complex_inverses", re.compile(r"\blg_a(sin|cos|tan)h?_c(64|128)\b")),
    ("math", re.compile(r"\blg_[a-z0-9_]+_(f32|f64)\b|\blg_logistic\b")),
    ("special", re.compile(r"\blg_((lgamma|digamma|trigamma|erfinv)_|(gamma|dirichlet)_slope\b)")),
    ("bessel", re.compile(r"\blg_([ik][01]e?|bessel_[jy][01]|airy_ai|airy_ai_prime)\(")),
    ("gamma_family", re.compile(r"\blg_(gammaincc?|zeta)\(")),
    ("quantile_slopes", re.compile(r"\blg_(gamma|dirichlet)_slope\(")),
    ("polynomials", re.compile(r"\blg_(chebyshev_t|hermite_h|hermite_he|gegenbauer|laguerre)\(")),
    ("normal_distribution", re.compile(r"\blg_(erfcx|log_ndtr|ndtri)\(")),
    ("number_parts", re.compile(r"\blg_(gcd|lcm|frexp_mantissa|frexp_exponent|next)\(")),
    ("integers", re.compile(r"\blg_[a-z_]+_(u8|i8|i16|i32|i64|w32)\b")),
    ("combining", re.compile(r"\blg_(sum|largest)\b")),
    ("tiles", re.compile(r"\blg_(plain|load_tile)\b")),
    ("lines", re.compile(r"\blg_(from_below|logaddexp|log_sum|key)\b")),
    ("atomics", re.compile(r"\blg_atomic_")),
)
_BUILT_ON_MATH = {"special", "combining", "tiles"}


_KERNEL = re.compile(r'extern "C" __global__[^{;]*?(\w+)\((?!\d+\))')


@dataclass(frozen=True, slots=True)
class CudaSource:
    """The fifth form in CUDA.

    Attributes:
        text: a program of kernels; its last comment is the launch table.
        kernels: the names of its kernels.
        table: what is done, in order.
        arena_bytes: the scratch memory it needs.
        functions: what the first function of each distinct kernel is called; none where nothing is computed.
        is_ordered: whether sums that have an atomic form and one in order have the latter; None if there is none.
        code: the functions in ``text``, in order.
        edits: those of its kernels that are others' work.
    """

    text: str
    kernels: tuple[str, ...]
    table: tuple[Entry, ...]
    arena_bytes: int
    functions: Mapping[Kernel, str]
    is_ordered: bool | None
    code: tuple[str, ...]
    edits: Edits = field(default_factory=dict)

    def __str__(self) -> str:
        return self.text


def render_cuda_module(program: LoweredProgram, title: str = "", edits: Edits = NO_EDITS) -> CudaSource:
    """The CUDA program of ``program``; its opening comment begins with ``title``.

    Args:
        program: what is rendered.
        title: see above.
        edits: kernels whose functions are others' work. They share no launch with other kernels. Where arrays are
            aligned otherwise than those of the original, a kernel stays as it is.

    Raises:
        NoCudaForm: an operation has none.
        LoadError: an edited source lacks a function.
    """
    return _ModuleRenderer(program, title, edits).run()


class _ModuleRenderer:
    def __init__(self, program: LoweredProgram, title: str, edits: Edits) -> None:
        self.program, self.title, self.edits = program, title, edits
        self.schedule = program.schedule
        self.writer = Writer(program.schedule, program.memory)
        self.functions: dict[Kernel, str] = {}

    def run(self) -> CudaSource:
        writer, lowered = self.writer, iter(self.program.kernels)
        last = max((i for i, group in enumerate(self.schedule.steps) if _may_refuse(group.nodes)), default=-1)
        waiting: list[Member] = []  # kernels whose turn it is, which may share a launch with what follows
        for number, group in enumerate(self.schedule.steps):
            call = None if group.is_library else next(lowered)
            member = None if call is None or call.kernel in self.edits else member_of(writer, call)
            if member is None or not are_independent(waiting, member):
                self._together(waiting)
            writer.begin(number)
            if member is not None:
                waiting.append(member)
            elif call is not None:
                begin, first = len(writer.entries), len(writer.sources)
                self._call(call)
                self._name([call.kernel], begin)
                if call.kernel in self.edits:
                    self._edit(call.kernel, first)
            else:
                write_call(writer, group.nodes[0], self._check if number == last else lambda: None)
            if number == last and not group.is_library:
                self._check()
        self._together(waiting)
        if writer.refusing:
            words = Address(Place.ARENA, 0, writer.words_at)
            writer.entries.insert(0, Entry(FillStep(words, 0, 4 * len(writer.refusing)), 0))
        kernels = tuple(
            dict.fromkeys(entry.step.launch.kernel for entry in writer.entries if isinstance(entry.step, KernelStep))
        )
        text, code, is_ordered = self._text(), tuple(writer.sources), writer.is_ordered
        table = tuple(writer.entries)
        return CudaSource(text, kernels, table, writer.arena_bytes, self.functions, is_ordered, code, self.edits)

    def _check(self) -> None:
        """Wait for what may refuse; from here on inputs may be written over."""
        words = Address(Place.ARENA, 0, self.writer.words_at)
        if self.writer.refusing:
            self.writer.add(CheckStep(words, tuple(self.writer.refusing)))

    def _text(self) -> str:
        writer = self.writer
        code = "\n".join(writer.sources)
        needed = {name for name, pattern in _PRELUDES if pattern.search(code)}
        if needed & _BUILT_ON_MATH:
            needed.add("math")
        preludes = ["prelude", *[name for name, _ in _PRELUDES if name in needed]]
        return render(
            "module.cu.j2",
            title=opening(self.title, self.schedule.steps, len(writer.sources), self.program.memory.arena_bytes),
            needs_halves="half" in preludes,
            preludes=[render(f"{name}.cuh") for name in preludes],
            kernels=writer.sources,
            table=[(entry.number, str(entry.step)) for entry in writer.entries],
        )

    # Kernels.

    def _together(self, waiting: list[Member]) -> None:
        """Launch kernels that do not wait for each other: those of one body together."""
        bodies: dict[object, list[Member]] = {}
        for member in waiting:
            bodies.setdefault(member.key, []).append(member)
        waiting.clear()
        for members in bodies.values():
            begin = len(self.writer.entries)
            if len(members) > 1:
                write_group(self.writer, members)
            else:
                self._call(members[0].call)
            self._name([member.call.kernel for member in members], begin)

    def _name(self, kernels: Sequence[Kernel], begin: int) -> None:
        """Note which function was launched first for some kernels."""
        for entry in self.writer.entries[begin:]:
            if isinstance(entry.step, KernelStep):
                self.functions |= dict.fromkeys(kernels, entry.step.launch.kernel)
                return

    def _edit(self, kernel: Kernel, first: int) -> None:
        """Put somebody's functions in the place of those that were rendered from ``first`` on."""
        sources, edited = self.writer.sources, self.edits[kernel]
        name, rendered = self.functions.get(kernel), "\n".join(sources[first:])
        if name is None or not rendered:
            return
        original = renamed(inside_marks(edited.original)[0], edited.name, name)
        if code_alone(rendered) != code_alone(original):
            return
        functions = functions_of(edited, name)
        for function in _KERNEL.findall(rendered):
            if function not in _KERNEL.findall(functions):
                raise LoadError(f"the edited source defines no kernel {renamed(function, name, edited.name)!r}")
        sources[first:] = [Code(f'{functions}#line 1 "the rest of the plan"\n')]

    def _call(self, call: LoweredKernel) -> None:
        loads = [self.writer.address(view_of(node)[0]) for node in call.arguments]
        stores = [self.writer.address(node) for node in call.outputs]
        self._kernel(normalized(call.kernel), loads, stores, call.scalars)

    def _kernel(
        self, kernel: Kernel, loads: Sequence[Address], stores: Sequence[Address], scalars: Sequence[Node]
    ) -> None:
        """Launch a kernel, and those that finish its split reductions."""
        writer = self.writer
        if not any(prod(kernel.sizes_of(store.value)) for store in kernel.stores):
            return
        made = writer.kernel(kernel, loads, stores)
        partials = {
            value: writer.scratch(parts * prod(kernel.sizes_of(value)) * held(kernel.dtype_of(value)).itemsize)
            for value, parts in made.partials.items()
        }
        numbers = [parameter for index in made.scalars for parameter in number_of(scalars[index])]
        refused: list[Parameter] = [writer.word()] if made.refuses else []
        parameters = [*loads, *stores, *numbers, *partials.values(), *refused]
        writer.launch(made.name, made.nest.grid, made.nest.block, parameters)
        for finishing in finishings(kernel, made.partials):
            own = [*[partials[value] for value in finishing.partials], *[loads[i] for i in finishing.loads]]
            self._kernel(finishing.kernel, own, [stores[i] for i in finishing.stores], scalars)


def _may_refuse(nodes: list[Node]) -> bool:
    return any(node.op.may_refuse(node.attrs, node.dtype) for node in nodes)
