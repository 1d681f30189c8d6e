"""A kernel in a loop nest of C: what is vectorized, what is streamed, and how totals are kept."""

from __future__ import annotations

from functools import cached_property
from math import prod

from lazygrad.codegen.clike.facts import KernelFacts
from lazygrad.codegen.clike.passes import PassPlan, plan_passes
from lazygrad.codegen.kernel import Kernel
from lazygrad.ir.dtype import DType, complex128, float64
from lazygrad.targets.c.dialect import C
from lazygrad.targets.c.loops import LoopNest, LoopShape
from lazygrad.targets.c.streams import streamed_outputs

# Rows kept between passes should leave room in a first-level cache.
_KEPT_BYTES = 1 << 15
_LINE = 64  # bytes of a cache line: chunks' totals don't share one
_PAGE = 4096
_TOTAL_SIZES = {"f64": 8, "i64": 8, "c64": 8, "c128": 16}
_MANY = 256  # elements that a total of 32 bits takes in
_WIDER_TOTALS = {"_Bool": "i32", "u8": "i32", "i8": "i32", "i16": "i32", "w32": "i64"}


def pass_plan(kernel: Kernel, nest: LoopNest) -> PassPlan:
    """The passes a C kernel makes."""
    lanes = nest.tile if nest.shape is LoopShape.LANES and nest.tile else 1
    kept = prod(kernel.sizes[axis] for axis in kernel.row_axes) * lanes
    return plan_passes(kernel, _KEPT_BYTES // max(kept * 4, 1), nest.split)


class NestFacts(KernelFacts):
    """A kernel with its loop nest.

    Attributes:
        nest: its loops.
        in_lanes: row values are small arrays, one element per lane of a tile.
    """

    def __init__(self, kernel: Kernel, nest: LoopNest) -> None:
        super().__init__(kernel, pass_plan(kernel, nest), C)
        self.nest = nest
        self.in_lanes = nest.shape is LoopShape.LANES

    @property
    def vector(self) -> int:
        """The vectorized axis, for code that is not reached without one."""
        return self.nest.vector if self.nest.vector is not None else 0

    @cached_property
    def streamed(self) -> frozenset[int]:
        """Positions of the outputs that are written past the caches."""
        return streamed_outputs(self.kernel, self.nest, self.passes)

    def lane(self) -> str:
        """The position within the unit's tile of the vectorized axis."""
        return f"i{self.vector} - first{self.vector}"

    def bounds_of(self, axis: int) -> tuple[str, str]:
        """Where the indices of a unit begin and end along an axis."""
        if axis in dict(self.nest.tiles):
            return f"first{axis}", f"last{axis}"
        return "0", str(self.kernel.sizes[axis])

    def kept_count(self) -> int:
        """Elements of the buffer that keeps one value between passes."""
        return self.row_extent * (self.nest.tile or 1) if self.in_lanes else self.row_extent

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
        """Totals over blocks are wide, which costs little where lanes were added up before, or where there are so many
        blocks that their rounding would be seen."""
        if self.folds_vector(value) or self.nest.vector is None or self._folded(value) > _MANY:
            return self._wide_type(value)
        kind = self.register(value)
        return _WIDER_TOTALS.get(kind, kind)

    def _folded(self, value: int) -> int:
        """How many elements one total takes in, one after another."""
        axes = self.kernel.narrowed_axes(self.kernel.span_of(value))
        count = prod([self.kernel.sizes[axis] for axis in axes])
        return count // max(self.nest.chunks, 1) if value in self.nest.split else count

    def _wide_type(self, value: int) -> str:
        kind = self.dialect.register_type(self.wide_dtype(value))
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
        """Bytes from one chunk's totals to the next one's: no multiple of a page, or those of an element would share
        one set of a cache."""
        stride = sum(self._total_bytes(value) for value in self.nest.split)
        return stride + _LINE if stride and stride % _PAGE == 0 else stride

    def _total_bytes(self, value: int) -> int:
        size = _TOTAL_SIZES.get(self.total_type(value), 4)
        return -(-prod(self.kernel.sizes_of(value)) * size // _LINE) * _LINE
