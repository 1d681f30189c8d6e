"""A kernel with its nest: parameters, index types, and which values a thread keeps in registers."""

from __future__ import annotations

from functools import cached_property
from math import prod

from lazygrad.codegen.clike.facts import KernelFacts
from lazygrad.codegen.kernel import RuntimeScalar
from lazygrad.ir.dtype import DType
from lazygrad.passes.fusion_legality import Span
from lazygrad.targets.cuda.dialect import CUDA
from lazygrad.targets.cuda.nest import Nest, Variant, packs_load, packs_store, pass_plan, reads_once

_SHORT = 1 << 30  # places below it, and steps beyond them, fit 32 bits


class CudaFacts(KernelFacts):
    """A kernel with its nest.

    Attributes:
        variant, nest: what is rendered, and how it is spread.
    """

    def __init__(self, variant: Variant, nest: Nest) -> None:
        super().__init__(variant.kernel, pass_plan(variant.kernel, nest), CUDA)
        self.variant, self.nest = variant, nest

    def identity(self, value: int) -> str:
        folding, dtype = self.instruction(value).op.folding, self.total_dtype(value)
        assert folding is not None
        return self.dialect.literal(folding.neutral(dtype), dtype)

    # Extents.

    def extent(self, axes: tuple[int, ...]) -> int:
        return prod(self.kernel.sizes[axis] for axis in axes)

    @cached_property
    def units(self) -> int:
        return self.extent(self.nest.units)

    @cached_property
    def packets(self) -> int:
        """Of a unit."""
        return self.extent(self.nest.elements) // self.nest.width

    @property
    def last(self) -> int:
        """The axis that packets lie along."""
        return len(self.kernel.sizes) - 1

    @cached_property
    def at(self) -> str:
        """The type of indices and places."""
        spans = [prod(self.kernel.sizes), *[1 + self._reach(i) for i in range(len(self.kernel.loads))]]
        spans += [
            sum(stride * size for stride, size in zip(store.strides, self.kernel.sizes, strict=True))
            for store in self.kernel.stores
        ]
        spans += [self.parts(value) * prod(self.kernel.sizes_of(value)) for value in self.nest.split]
        return "i32" if max(spans) < _SHORT else "i64"

    def _reach(self, number: int) -> int:
        load = self.kernel.loads[number]
        steps = zip(load.strides, self.kernel.sizes, strict=True)
        return abs(load.offset) + sum(abs(stride) * size for stride, size in steps)

    # Parameters.

    def _scalar_parameters(self) -> list[str]:
        return [f"const {kind} *__restrict__ {name}_at" for name, kind in self.scalars.items()]

    @cached_property
    def scalars(self) -> dict[str, str]:
        """The types of the numbers that a kernel reads, by name; a complex one is two."""
        found: dict[str, str] = {}
        for index, dtype in used_scalars(self).items():
            kind = self.dialect.register_type(dtype.to_real() if dtype.is_complex else dtype)
            found |= {name: kind for name in ([f"s{index}_re", f"s{index}_im"] if dtype.is_complex else [f"s{index}"])}
        return found

    # Packets and registers.

    def packs_load(self, number: int) -> bool:
        return packs_load(self.variant, number, self.nest.width)

    def packs_store(self, position: int) -> bool:
        return packs_store(self.variant, position, self.nest.width)

    def is_of_unit(self, number: int) -> bool:
        """Whether a load is read once for all elements of a unit."""
        is_one_element = self.extent(self.nest.elements) == 1  # which one thread reads, the one that may write over it
        return not is_one_element and reads_once(self.kernel, self.kernel.loads[number], self.nest)

    @cached_property
    def resident_loads(self) -> dict[int, int]:
        """Loads that threads keep in registers from one pass to the next, with the pass that reads them first."""
        found = {}
        for number, load in enumerate(self.kernel.loads) if self.nest.resident else ():
            reading = [i for i, each in enumerate(self.passes.passes) if each.reads(number, self.kernel)]
            if len(reading) > 1 and not load.inside and not self.is_of_unit(number):
                found[number] = reading[0]
        return found

    # Split reductions.

    def parts(self, value: int) -> int:
        """How many totals of each of a split reduction's elements are left in memory."""
        return self.nest.chunks if self.kernel.span_of(value) is Span.ROW else self.nest.teams(self.units)

    def keeps_total(self, value: int) -> bool:
        """Whether a thread keeps its elements' totals of a column reduction in registers."""
        count = prod(self.kernel.sizes_of(value))
        return bool(self.nest.resident) and count == self.extent(self.nest.elements)


def used_scalars(facts: KernelFacts) -> dict[int, DType]:
    """The runtime scalars that a kernel reads, in the order of its parameters."""
    kernel = facts.kernel
    operands = [operand for instruction in kernel.instructions for operand in instruction.operands]
    operands += [load.fill for load in kernel.loads if load.fill is not None]
    found = {operand.index: operand.dtype for operand in operands if isinstance(operand, RuntimeScalar)}
    return dict(sorted(found.items()))
