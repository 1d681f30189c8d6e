"""What renders the steps of a plan writes into: its kernels, its launch table, and the scratch memory of steps."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from lazygrad.codegen.escaping import Code
from lazygrad.codegen.kernel import Kernel
from lazygrad.codegen.naming import Names
from lazygrad.host.determinism import is_deterministic
from lazygrad.ir.node import Node
from lazygrad.memory.plan import MemoryPlan
from lazygrad.memory.slots import Place
from lazygrad.passes.schedule import Schedule
from lazygrad.targets.cuda.driver import Launch
from lazygrad.targets.cuda.kernel import CudaKernel, render_kernel
from lazygrad.targets.cuda.nest import Variant
from lazygrad.targets.cuda.table import Address, Entry, KernelStep, Number, Parameter, Step
from lazygrad.targets.cuda.templates import render

_ALIGNMENT = 256
# Words of C++ and of CUDA, whose functions have no namespace.
_RESERVED = """
auto bool break case catch char class const constexpr continue default delete do double else enum explicit extern false
final float for friend goto if inline int long namespace new operator override private protected public register return
short signed sizeof static struct switch template this throw true try typedef typename union unsigned using virtual void
volatile while and or not xor asm nullptr main half clock printf assert memcpy memset malloc free linux unix
bool8 u8 i8 i16 i32 u16 u32 w32 i64 u64 f16 bf16 f32 f64 c64 c128 LG
exp exp2 exp10 expm1 log log2 log10 log1p logb sqrt rsqrt cbrt sin cos tan sinpi cospi asin acos atan sinh cosh tanh
asinh acosh atanh erf erfc erfinv erfcinv erfcx lgamma tgamma floor ceil trunc round rint abs labs pow fmod remainder
copysign atan2 hypot min max div norm frexp ldexp isnan isinf signbit normcdf fma
""".split()
_RESERVED_PATTERN = r"lg_\w*|LG_\w*|[xs]\d+|out\d+|partial\d+|__\w*|\w+f"  # CUDA's functions of floats end in f


class Writer:
    """Collects a plan's kernels and steps.

    Attributes:
        schedule, memory: of the plan.
        names: of kernels.
        sources: of distinct kernels, in order.
        entries: the launch table.
        refusing: numbers of the steps that may refuse, in the order of their words.
        number: of the schedule's step at hand.
        is_ordered: whether sums that have an atomic form and one in order have the latter; None if there is none.
    """

    def __init__(self, schedule: Schedule, memory: MemoryPlan) -> None:
        self.schedule, self.memory = schedule, memory
        self.names = Names(_RESERVED, _RESERVED_PATTERN)
        self.sources: list[Code] = []
        self.entries: list[Entry] = []
        self.refusing: list[int] = []
        self.number = 0
        self.is_ordered: bool | None = None
        self._kernels: dict[Variant, CudaKernel] = {}
        self._functions: dict[tuple[object, ...], str] = {}
        self.words_at = _aligned(memory.arena_bytes)
        steps = sum(any(n.op.may_refuse(n.attrs, n.dtype) for n in group.nodes) for group in schedule.steps)
        self._scratch_begin = self._scratch_at = _aligned(self.words_at + 4 * steps)
        self.arena_bytes = self._scratch_begin

    def begin(self, number: int) -> None:
        """Go on with the schedule's step of this number; scratch memory of the one before is free again."""
        self.number, self._scratch_at = number, self._scratch_begin

    def add(self, step: Step) -> None:
        """Put a step into the table."""
        self.entries.append(Entry(step, self.number))

    def orders_sums(self) -> bool:
        """Whether a sum whose bits depend on the order of its terms is taken in order."""
        self.is_ordered = is_deterministic()
        return self.is_ordered

    # Memory.

    def address(self, node: Node) -> Address:
        """Where a stored value begins."""
        return address_of(self.schedule, self.memory, node)

    def scratch(self, size: int) -> Address:
        """Memory for the step at hand."""
        found, self._scratch_at = self._scratch_at, _aligned(self._scratch_at + max(size, 1))
        self.arena_bytes = max(self.arena_bytes, self._scratch_at)
        return Address(Place.ARENA, 0, found)

    def scratch_mark(self) -> int:
        """Where scratch memory that is taken from now on begins."""
        return self._scratch_at

    def free_scratch(self, mark: int) -> None:
        """What was taken since `scratch_mark` is free again, for steps that come later."""
        self._scratch_at = mark

    def word(self) -> Address:
        """The number that becomes 1 where the step at hand refuses an operand."""
        if self.number not in self.refusing:
            self.refusing.append(self.number)
        return Address(Place.ARENA, 0, self.words_at + 4 * self.refusing.index(self.number))

    # Kernels.

    def kernel(self, kernel: Kernel, loads: Sequence[Address], stores: Sequence[Address]) -> CudaKernel:
        """The function of a kernel for arrays at these addresses."""
        variant = Variant(kernel, tuple(map(_is_packable, loads)), tuple(map(_is_packable, stores)))
        found = self._kernels.get(variant)
        if found is None:
            found = self._kernels[variant] = render_kernel(variant, self.names.unique(kernel.name))
            self.sources.append(found.source)
        return found

    def library(self, template: str, word: str, **values: Any) -> str:
        """The name of the function that a template makes of ``values``; equal ones are made once."""
        key = (template, *sorted((name, str(value)) for name, value in values.items()))
        return self.function(key, word, lambda name: render(f"library/{template}.cu.j2", name=name, **values))

    def function(self, key: tuple[object, ...], word: str, make: Callable[[str], Code]) -> str:
        """The name of the function that ``make`` renders under a name; it is made once for a key."""
        name = self._functions.get(key)
        if name is None:
            name = self._functions[key] = self.names.unique(word)
            self.sources.append(make(name))
        return name

    def launch(
        self,
        kernel: str,
        grid: int | tuple[int, int, int],
        block: int,
        parameters: Sequence[Parameter],
        shared: int = 0,
    ) -> None:
        """Put a launch into the table."""
        whole = (grid, 1, 1) if isinstance(grid, int) else grid
        self.add(KernelStep(Launch(kernel, whole, block, shared), tuple(parameters)))


def address_of(schedule: Schedule, memory: MemoryPlan, node: Node) -> Address:
    """Where a stored value begins."""
    destination = schedule.destinations.get(node)
    if destination is not None:
        return address_of(schedule, memory, destination.root) + destination.view.offset * node.dtype.itemsize
    slot = memory.slots[node]
    if slot.place is Place.ARENA:
        return Address(Place.ARENA, 0, memory.temporaries[slot.index].offset)
    return Address(slot.place, slot.index)


def number_of(node: Node) -> list[Parameter]:
    """The parameters of a kernel that hold a runtime scalar."""
    if node.dtype.is_complex:
        return [Number(node["slot"], node.dtype, part) for part in ("real", "imag")]
    return [Number(node["slot"], node.dtype)]


def _aligned(size: int) -> int:
    return -(-size // _ALIGNMENT) * _ALIGNMENT


def _is_packable(address: Address) -> bool:
    return address.offset % 16 == 0
