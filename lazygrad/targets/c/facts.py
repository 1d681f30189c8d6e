"""What the functions of one C kernel have in common: its values, their types, where they lie, where totals are kept."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from math import prod

from lazygrad.codegen.kernel import Instruction, Kernel, RuntimeScalar
from lazygrad.ir.dtype import DType, complex128, float64
from lazygrad.ir.view import contiguous_strides
from lazygrad.targets.c.loops import LoopNest, Shape, plan_loops
from lazygrad.targets.c.passes import PassPlan, plan_passes
from lazygrad.targets.c.streams import streamed_outputs
from lazygrad.targets.c.types import memory_type, register_type

_LINE = 64  # bytes of a cache line: chunks' totals don't share one
_TOTAL_SIZES = {"f64": 8, "i64": 8, "c64": 8, "c128": 16}
_WIDER_TOTALS = {"_Bool": "i32", "u8": "i32", "i8": "i32", "i16": "i32", "u32": "i64"}


def pass_plan(kernel: Kernel, nest: LoopNest) -> PassPlan:
    """The passes a C kernel makes."""
    lanes = nest.tile if nest.shape is Shape.LANES and nest.tile else 1
    kept = prod(kernel.sizes[axis] for axis in kernel.row_axes) * lanes
    return plan_passes(kernel, kept, nest.split)


class KernelFacts:
    """A kernel with its loop nest and passes, and the C words for its parts.

    Attributes:
        kernel, nest, passes: what is rendered.
        first: the number of the first instruction's value.
        in_lanes: row values are small arrays, one element per lane of a tile.
    """

    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel
        self.nest = plan_loops(kernel)
        self.passes = pass_plan(kernel, self.nest)
        self.first = len(kernel.loads)
        self.in_lanes = self.nest.shape is Shape.LANES

    @property
    def vector(self) -> int:
        """The vectorized axis, for code that is not reached without one."""
        return self.nest.vector if self.nest.vector is not None else 0

    def values(self) -> range:
        return range(self.first, self.first + len(self.kernel.instructions))

    def instruction(self, value: int) -> Instruction:
        return self.kernel.instructions[value - self.first]

    def dtype(self, value: int) -> DType:
        return self.kernel.loads[value].dtype if value < self.first else self.instruction(value).dtype

    def register(self, value: int) -> str:
        """The C type of a value inside the kernel."""
        return register_type(self.dtype(value))

    # Parameters.

    @cached_property
    def parameters(self) -> list[str]:
        """Declarations of what all functions of the kernel take: loads, outputs, scalars."""
        loads = [f"const {memory_type(load.dtype)} *x{i}" for i, load in enumerate(self.kernel.loads)]
        outs = [f"{memory_type(self.dtype(store.value))} *out{i}" for i, store in enumerate(self.kernel.stores)]
        return loads + outs + self._scalar_parameters()

    def _scalar_parameters(self) -> list[str]:
        operands = [operand for instruction in self.kernel.instructions for operand in instruction.operands]
        operands += [load.fill for load in self.kernel.loads if load.fill is not None]
        scalars = [operand for operand in operands if isinstance(operand, RuntimeScalar)]
        types = {scalar.index: register_type(scalar.dtype) for scalar in scalars}
        return [f"{types[i]} s{i}" for i in sorted(types)]

    # Where values lie.

    def index(
        self, sizes: Sequence[int], strides: Sequence[int], offset: int = 0, names: Sequence[str] | None = None
    ) -> str:
        """The expression of an element's place; ``names`` are the indices, default ``i0``, ``i1``, …"""
        at = names or [f"i{axis}" for axis in range(len(sizes))]
        terms = [
            at[axis] if stride == 1 else f"{at[axis]} * {stride}"
            for axis, (size, stride) in enumerate(zip(sizes, strides, strict=True))
            if size != 1 and stride != 0
        ]
        if offset or not terms:
            terms.append(str(offset))
        return " + ".join(terms)

    def place_of(self, value: int) -> str:
        """Where a value lies in a row-major array of its own extents."""
        sizes = self.kernel.sizes_of(value)
        return self.index(sizes, contiguous_strides(sizes))

    def place_in(self, position: int, names: Sequence[str] | None = None) -> str:
        """Where the element at hand lies in an output, or that at the indices ``names``."""
        store = self.kernel.stores[position]
        return self.index(self.kernel.sizes_of(store.value), store.strides, names=names)

    @cached_property
    def streamed(self) -> frozenset[int]:
        """Positions of the outputs that are written past the caches."""
        return streamed_outputs(self.kernel, self.nest, self.passes)

    def memory_of(self, position: int) -> str:
        """The C type of an output's elements in memory."""
        return memory_type(self.dtype(self.kernel.stores[position].value))

    def memory_size(self, position: int) -> int:
        """Bytes of an output's element."""
        return self.dtype(self.kernel.stores[position].value).itemsize

    def lane(self) -> str:
        """The position within the unit's tile of the vectorized axis."""
        return f"i{self.vector} - first{self.vector}"

    def kept_count(self) -> int:
        """Elements of the buffer that keeps one value between passes."""
        rows = prod(self.kernel.sizes[axis] for axis in self.kernel.row_axes)
        return rows * (self.nest.tile or 1) if self.in_lanes else rows

    def kept_place(self) -> str:
        """Where the element at hand lies in such a buffer."""
        axes = sorted(self.kernel.row_axes)
        sizes = tuple(self.kernel.sizes[axis] for axis in axes)
        place = self.index(sizes, contiguous_strides(sizes), names=[f"i{axis}" for axis in axes])
        return f"({place}) * {self.nest.tile} + {self.lane()}" if self.in_lanes else place

    # Reductions.

    def folds_vector(self, value: int) -> bool:
        """Whether a reduction runs along the vectorized axis."""
        return self.nest.vector in self.kernel.narrowed_axes(self.kernel.span_of(value))

    def adds_up_floats(self, value: int) -> bool:
        instruction = self.instruction(value)
        return instruction.op.folding is not None and not instruction.op.is_exact and instruction.dtype.differentiable

    def wide_dtype(self, value: int) -> DType:
        """The dtype in which blocks of a sum or product of floats are combined: it loses nothing."""
        if not self.adds_up_floats(value):
            return self.dtype(value)
        return complex128 if self.dtype(value).is_complex else float64

    def total_type(self, value: int) -> str:
        """Totals over blocks are wide, which costs little where lanes were added up before."""
        if self.folds_vector(value) or self.nest.vector is None:
            return self._wide_type(value)
        kind = self.register(value)
        return _WIDER_TOTALS.get(kind, kind)

    def _wide_type(self, value: int) -> str:
        kind = register_type(self.wide_dtype(value))
        return _WIDER_TOTALS.get(kind, kind)

    def total_dtype(self, value: int) -> DType:
        return self.wide_dtype(value) if self.total_type(value) in ("f64", "c128") else self.dtype(value)

    @cached_property
    def total_offsets(self) -> dict[int, int]:
        """Where in a chunk's totals each split reduction's array begins, in bytes."""
        offsets, end = {}, 0
        for value in sorted(self.nest.split):
            offsets[value] = end
            end += self._total_bytes(value)
        return offsets

    @cached_property
    def totals_stride(self) -> int:
        """Bytes from one chunk's totals to the next one's."""
        return sum(self._total_bytes(value) for value in self.nest.split)

    def _total_bytes(self, value: int) -> int:
        size = _TOTAL_SIZES.get(self.total_type(value), 4)
        return -(-prod(self.kernel.sizes_of(value)) * size // _LINE) * _LINE
