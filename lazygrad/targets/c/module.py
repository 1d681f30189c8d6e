"""Renders a schedule as one C translation unit: a function per distinct kernel, and a driver that runs all steps.

The driver is run by one thread, step by step. A kernel or a call that is worth it hands out its units to a team.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from lazygrad.codegen.driver import Step, kernel_arguments, opening
from lazygrad.codegen.editing import Edits
from lazygrad.codegen.escaping import Code, Words, code_lines, joined
from lazygrad.codegen.kernel import Kernel
from lazygrad.codegen.lower import LoweredKernel
from lazygrad.codegen.naming import Names, kernel_comment
from lazygrad.ir.dtype import DType
from lazygrad.ir.node import Node
from lazygrad.ir.primitives.indexing import concat
from lazygrad.passes.destinations import runs_elsewhere
from lazygrad.passes.views import view_of
from lazygrad.targets.base import LoweredProgram
from lazygrad.targets.c.dialect import C
from lazygrad.targets.c.epilogue import following, is_race, takes_epilogue
from lazygrad.targets.c.kernel import CKernel, render_c_kernel
from lazygrad.targets.c.library_functions import ATTRIBUTES, in_library, is_serial, names_of
from lazygrad.targets.c.regions import Region
from lazygrad.targets.c.storage import StoredValues
from lazygrad.targets.c.templates import render

_RESERVED = """auto break case char const continue default do double else enum extern float for goto if inline int long
register restrict return short signed sizeof static struct switch typedef union unsigned void volatile
while asm typeof CALLED STRAIGHT
bool8 u8 i8 i16 i32 u16 u32 w32 i64 u64 f16 bf16 f32 f64 c64 c128 any8 any16 any32 any64 any128 scalar_slot
array team solo
inputs outputs arena scalars threads host readings refused run stop totals OK REFUSED BOOL U8 I8 I16 I32 I64 F16
BF16 F32 F64 W32 C64 C128 U16 U32 U64 F8E4M3FN F8E5M2 F8E4M3FNUZ F8E5M2FNUZ F8E8M0FNU
f8e4m3fn f8e5m2 f8e4m3fnuz f8e5m2fnuz f8e8m0fnu with closure chunk main
linux unix i386 mips sparc sun
acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh erf erfc exp exp2 expm1 fabs floor fma fmax fmin
fmod hypot ldexp lgamma log log10 log1p log2 logb nearbyint pow remainder rint round sin sincos sinh sqrt tan tanh
tgamma trunc""".split()  # other kernels call these functions of C
# What the driver calls, and its runtime scalars.
_RESERVED_PATTERN = r"(lg|LG)_\w*|s\d+|epilogue|part_function"
_KERNEL_ENDINGS = (
    "_units",
    "_part",
    "_arguments",
    *(f"_finish_{span}{end}" for span in ("row", "column") for end in ("", "_part")),
)
_LINE = 64

_STOP: Step = (Code("if (refused) goto stop;"), Words())


@dataclass(frozen=True, slots=True)
class CSource:
    """The fifth form in C.

    Attributes:
        text: a translation unit with ``run(inputs, outputs, arena, scalars, threads, host)``.
        rendered: the distinct kernels' functions.
        arena_bytes: the scratch memory it needs: the schedule's arena and the totals of split reductions behind it.
        scalar_dtypes: of the runtime scalars, by slot.
        host_steps: numbers of the steps that numpy does when the driver calls back.
        library_calls: names of the ready-made functions that it calls, and of what these need for its dtypes.
        is_serial: no step is worth a second thread.
        steps_of_lines: numbers of the steps that each statement of the driver runs, in order; none for a statement
            that only looks at whether one refused.
        readings: of a source with a clock, the numbers of the steps between two looks at it.
        edits: those of its kernels that are others' work.
    """

    text: str
    rendered: Mapping[Kernel, CKernel]
    arena_bytes: int
    scalar_dtypes: dict[int, DType]
    host_steps: tuple[int, ...]
    library_calls: frozenset[str]
    is_serial: bool
    steps_of_lines: tuple[tuple[int, ...], ...]
    readings: tuple[tuple[int, ...], ...] = ()
    edits: Edits = field(default_factory=dict)

    @property
    def kernels(self) -> tuple[CKernel, ...]:
        """The functions in the order in which they stand."""
        return tuple(self.rendered.values())

    @property
    def functions(self) -> Mapping[Kernel, str]:
        return {kernel: function.name for kernel, function in self.rendered.items()}

    def __str__(self) -> str:
        return self.text


def render_c_module(program: LoweredProgram, title: str = "", clocked: bool = False) -> CSource:
    """The translation unit of ``program``.

    Args:
        program: what is rendered.
        title: how its opening comment begins.
        clocked: whether it notes the time after each step.
    """
    return _ModuleRenderer(program, title, clocked).run()


class _ModuleRenderer:
    def __init__(self, program: LoweredProgram, title: str, clocked: bool) -> None:
        self.clocked = clocked
        self.schedule, self.memory, self.lowered, self.title = program.schedule, program.memory, program.kernels, title
        self.names = Names(_RESERVED, _RESERVED_PATTERN)
        self.kernels: dict[Kernel, CKernel] = {}
        for step in self.lowered:
            if step.kernel not in self.kernels:
                name = self.names.unique(step.kernel.name, *_KERNEL_ENDINGS)
                self.kernels[step.kernel] = render_c_kernel(step.kernel, name)
        self.values = StoredValues(self.schedule, self.memory, self.names)
        self.totals_at = -(-self.memory.arena_bytes // _LINE) * _LINE
        self.totals_bytes = max((kernel.totals_bytes for kernel in self.kernels.values()), default=0)
        self.host_steps: list[int] = []
        self.library_calls: set[str] = set()
        self.epilogues: dict[tuple[str, int], tuple[str, Code]] = {}
        self.lines: list[Step] = []
        self.steps_of_lines: list[tuple[int, ...]] = []
        self.is_serial = True
        self.has_refused = False
        self.readings: list[tuple[int, ...]] = []
        self._look_at_clock()

    def run(self) -> CSource:
        lowered = iter(self.lowered)
        steps = list(enumerate(self.schedule.steps))
        while steps:
            number, group = steps.pop(0)
            if not group.is_library:
                self._kernel_step(number, next(lowered))
                self._look_at_clock(number)
                continue
            call = group.nodes[0]
            then = next(lowered) if steps and not steps[0][1].is_library and takes_epilogue(call) else None
            if then is not None and self._call_with_epilogue(number, call, then):
                steps.pop(0)
                self._look_at_clock(number, number + 1)
                continue
            self._library_step(number, call)
            self._look_at_clock(number)
            if then is not None:
                steps.pop(0)
                self._kernel_step(number + 1, then)
                self._look_at_clock(number + 1)
        text = render(
            "module.c.j2",
            title=opening(self.title, self.schedule.steps, len(self.kernels), self.memory.arena_bytes),
            kernels=[kernel.source for kernel in self.kernels.values()],
            epilogues=[text for _, text in self.epilogues.values()],
            bindings=code_lines(self.values.bindings()),
            scalars=[_scalar(i, dtype) for i, dtype in sorted(self.values.scalars.items())],
            steps=self.lines,
            is_serial=self.is_serial,
            has_stop=self.has_refused,
            readings=len(self.readings) + 1 if self.clocked else 0,
        )
        return CSource(
            text,
            self.kernels,
            self.totals_at + self.totals_bytes,
            self.values.scalars,
            tuple(self.host_steps),
            frozenset(self.library_calls),
            self.is_serial,
            tuple(self.steps_of_lines),
            tuple(self.readings),
        )

    # Steps.

    def _look_at_clock(self, *steps: int) -> None:
        """After these steps; after none of them, before the first."""
        if self.clocked:
            self.readings += [steps] if steps else []
            self.lines.append((Code(f"readings[{len(self.readings)}] = lg_now();"), Words()))
            self.steps_of_lines.append(())

    def _step(self, numbers: tuple[int, ...], line: str, serial: bool, refuses: bool, places: Words) -> None:
        self.lines.append((Code(line), places))
        self.steps_of_lines.append(numbers)
        self.is_serial = self.is_serial and serial
        if refuses:
            self.has_refused = True
            self.lines.append(_STOP)
            self.steps_of_lines.append(())

    def _kernel_step(self, number: int, step: LoweredKernel) -> None:
        kernel = self.kernels[step.kernel]
        arguments = ["&solo" if kernel.is_serial else "&team", *self._own_arguments(kernel, step)]
        line = f"{kernel.name}({', '.join(arguments)});"
        self._step((number,), line, kernel.is_serial, kernel.refuses, step.kernel.comment)

    def _own_arguments(self, kernel: CKernel, step: LoweredKernel) -> list[str]:
        """For the kernel's parameters."""
        totals = [f"arena + {self.totals_at}"] if kernel.nest.split else []
        return [*self._kernel_arguments(step), *totals, *(["&refused"] if kernel.refuses else [])]

    def _kernel_arguments(self, step: LoweredKernel) -> list[str]:
        return kernel_arguments(
            step,
            load=lambda node, _: self.values.name(view_of(node)[0]),
            store=lambda node, _: self.values.name(node),
            scalar=self.values.runtime_scalar,
        )

    def _call_with_epilogue(self, number: int, call: Node, step: LoweredKernel) -> bool:
        """Run the kernel after a call on the parts that are finished, if it can follow part by part."""
        kernel = self.kernels[step.kernel]
        cut = following(call, step, kernel)
        if cut is None or is_race(self._regions(call.inputs), [self.values.regions[node] for node in step.outputs]):
            return False
        arguments = ", ".join(self._own_arguments(kernel, step))
        after, own = self._epilogue(kernel, cut.units), f"&(struct {kernel.name}_arguments){{{arguments}}}"
        closure = f"&(epilogue){{{after}, {own}, {cut.parts}}}"
        line = f"lg_{call.op.name}_epilogue({self._call_arguments(call, False)}, {closure});"
        self.library_calls |= names_of(call.op.name, call.dtype)
        places = joined("; ", [kernel_comment([call]), step.kernel.comment])
        self._step((number, number + 1), line, False, kernel.refuses, places)
        return True

    def _epilogue(self, kernel: CKernel, units: int) -> str:
        """The name of the function that runs ``kernel`` on ``units`` units per part."""
        key = (kernel.name, units)
        if key not in self.epilogues:
            own = self.names.unique(f"after_{kernel.name}")
            self.epilogues[key] = (own, render("epilogue.c.j2", name=own, kernel=kernel.name, units=units))
        return self.epilogues[key][0]

    def _regions(self, sources: Sequence[Node]) -> list[Region]:
        """What views of stored values occupy."""
        bases = [view_of(source)[0] for source in sources]
        return [self.values.regions[base] for base in bases if base in self.values.regions]

    def _library_step(self, number: int, node: Node) -> None:
        places = kernel_comment([node])
        if not in_library(node):
            self.host_steps.append(number)
            self._step((number,), f"if (host({number}) != OK) refused = REFUSED;", True, True, places)
            return
        self.library_calls |= names_of(node.op.name, node.dtype)
        if node.op is concat:
            self._copy_parts(number, node)
            return
        serial, refuses = is_serial(node), node.op.may_refuse(node.attrs, node.dtype)
        call = f"lg_{node.op.name}({self._call_arguments(node, serial)})"
        line = f"if ({call} != OK) refused = REFUSED;" if refuses else f"{call};"
        self._step((number,), line, serial, refuses, places)

    def _call_arguments(self, node: Node, serial: bool) -> str:
        """Team, output, inputs and attributes of a call."""
        numbers = ", ".join(str(int(value)) for value in ATTRIBUTES[node.op](node)) or "0"
        inputs = ", ".join(self.values.array(source) for source in node.inputs) or "{0}"
        return (
            f"{'&solo' if serial else '&team'}, &(array){self.values.array(node)}, "
            f"(array[]){{{inputs}}}, {len(node.inputs)}, (i64[]){{{numbers}}}"
        )

    def _copy_parts(self, number: int, node: Node) -> None:
        """What is left to do for a concatenation: parts that lie elsewhere, piece by piece."""
        serial, lines = is_serial(node), []
        for run in runs_elsewhere(node, self.schedule.destinations):
            piece = self.values.part(node, run)
            parts = ", ".join(self.values.array(part) for part in run.parts)
            team = "&solo" if serial else "&team"
            call = f"&(array){piece}, (array[]){{{parts}}}, {len(run.parts)}, (i64[]){{{node['axis']}}}"
            lines.append(f"lg_concat({team}, {call});")
        self._step((number,), " ".join(lines), serial, False, kernel_comment([node]))


def _scalar(slot: int, dtype: DType) -> Code:
    """Scalars arrive as 16-byte slots that hold the number in its own type."""
    element = C.loaded(f"LG_NUMBER({C.memory_type(dtype)}, scalars[{slot}])", dtype)
    return Code(f"const {C.register_type(dtype)} s{slot} = {element};")
