"""The kernel form: one loop nest over axes, with loads, a scalar body and stores. Every renderer reads it.

Values are numbered: loads come first, then one value per instruction. An operand is a value's number, a literal
that is part of the program, or a runtime scalar.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from lazygrad.codegen.escaping import Words
from lazygrad.ir.dtype import DType, Scalar
from lazygrad.ir.op import Kind, Op
from lazygrad.ir.shape import Shape
from lazygrad.passes.fusion_legality import NO_AXES, Span


@dataclass(frozen=True, slots=True)
class Literal:
    """A number written into the source."""

    value: Scalar
    dtype: DType


@dataclass(frozen=True, slots=True)
class RuntimeScalar:
    """A number handed over at each run: the kernel's ``index``-th scalar parameter."""

    index: int
    dtype: DType


Operand = int | Literal | RuntimeScalar
Ranges = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Load:
    """One input array, seen in the kernel's axes.

    Attributes:
        dtype: element type.
        sizes: per axis, the size of the array there: the axis's own, or 1 where it is broadcast.
        strides, offset: where an element lies in the stored buffer, in elements; 0 where broadcast.
        inside: of a masked load, per axis the range of indices at which the array is read; empty if everywhere.
        fill: what a masked load holds outside, a number or another load of one element.
    """

    dtype: DType
    sizes: Shape
    strides: tuple[int, ...]
    offset: int
    inside: Ranges = ()
    fill: Operand | None = None

    def varies_along(self, axis: int) -> bool:
        """Whether neighbours along an axis can differ."""
        is_masked = bool(self.inside) and self.inside[axis] != (0, self.sizes[axis])
        return is_masked or (self.strides[axis] != 0 and self.sizes[axis] != 1)

    @property
    def array_sizes(self) -> Shape:
        """The extents of the array itself."""
        return tuple(end - begin for begin, end in self.inside) if self.inside else self.sizes


@dataclass(frozen=True, slots=True)
class Store:
    """One output array.

    Attributes:
        value: what is written to it.
        strides: where an element lies, in elements; 0 along axes where the value has size 1.
    """

    value: int
    strides: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Instruction:
    """One scalar operation, or a reduction over the kernel's row axes.

    Attributes:
        op: an elementwise or reduction primitive.
        operands: see `Operand`.
        dtype: of the result.
        span: whether the result has one element per index, per row (size 1 on the row axes) or per column.
        attrs: of a `require`, the error and its message; other ops need none here.
    """

    op: Op
    operands: tuple[Operand, ...]
    dtype: DType
    span: Span
    attrs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Kernel:
    """A group lowered to a loop nest.

    Attributes:
        sizes: extent of each axis, outermost first, after neighbouring axes were merged where strides allow.
        row_axes: the axes that reductions fold and along which row values have size 1.
        column_axes: the axes that column reductions fold; nothing in the kernel reads their results.
        loads, instructions: the body.
        stores: the outputs, in order.
        scalars: how many runtime scalars it takes.
        needs_whole_row: a full value depends on a row value.
        name: from the ops, the user's module path; not part of its structure.
        comment: user positions; not part of its structure.
    """

    sizes: Shape
    row_axes: frozenset[int]
    column_axes: frozenset[int]
    loads: tuple[Load, ...]
    instructions: tuple[Instruction, ...]
    stores: tuple[Store, ...]
    scalars: int
    needs_whole_row: bool
    name: str = field(compare=False, default="kernel")
    comment: Words = field(compare=False, default=Words())

    @property
    def values(self) -> range:
        """The numbers of the instructions' values; those of loads are smaller."""
        return range(len(self.loads), len(self.loads) + len(self.instructions))

    def is_load(self, value: int) -> bool:
        return value < len(self.loads)

    def instruction(self, value: int) -> Instruction:
        """What computes a value that is not a load."""
        return self.instructions[value - len(self.loads)]

    def dtype_of(self, operand: Operand) -> DType:
        if not isinstance(operand, int):
            return operand.dtype
        return self.loads[operand].dtype if self.is_load(operand) else self.instruction(operand).dtype

    def span_of(self, value: int) -> Span:
        return Span.FULL if self.is_load(value) else self.instruction(value).span

    @property
    def computes_with_scalars_alone(self) -> bool:
        """Whether an instruction reads runtime scalars, and no array."""
        return any(
            any(isinstance(operand, RuntimeScalar) for operand in instruction.operands)
            and not any(isinstance(operand, int) for operand in instruction.operands)
            for instruction in self.instructions
        )

    def is_reduction(self, value: int) -> bool:
        """Whether a value folds axes; a reduction over axes of size 1 only is a copy."""
        if self.is_load(value):
            return False
        instruction = self.instruction(value)
        return instruction.op.kind is Kind.REDUCTION and instruction.span is not Span.FULL

    def narrowed_axes(self, span: Span) -> frozenset[int]:
        """The axes along which values of this span have size 1, and which reductions to this span fold."""
        if span is Span.FULL:
            return NO_AXES
        return self.row_axes if span is Span.ROW else self.column_axes

    def sizes_of(self, value: int) -> Shape:
        """The extents of a value along the kernel's axes."""
        if self.is_load(value):
            return self.loads[value].sizes
        narrowed = self.narrowed_axes(self.span_of(value))
        return tuple(1 if axis in narrowed else size for axis, size in enumerate(self.sizes))

    def __str__(self) -> str:
        columns = f", column axes {sorted(self.column_axes)}" if self.column_axes else ""
        lines = [f"kernel {self.name}: axes {list(self.sizes)}, row axes {sorted(self.row_axes)}{columns}"]
        for i, load in enumerate(self.loads):
            mask = f" inside={list(load.inside)} else {_show(load.fill)}" if load.fill is not None else ""
            lines.append(f"    v{i}: {load.dtype.short} = load strides={load.strides} offset={load.offset}{mask}")
        for i, instruction in enumerate(self.instructions, len(self.loads)):
            operands = ", ".join(_show(operand) for operand in instruction.operands)
            span = "" if instruction.span is Span.FULL else f" ({instruction.span.value})"
            lines.append(f"    v{i}: {instruction.dtype.short}{span} = {instruction.op.name}({operands})")
        lines += [f"    store v{store.value} strides={store.strides}" for store in self.stores]
        return "\n".join(lines)


def _show(operand: Operand) -> Any:
    if isinstance(operand, int):
        return f"v{operand}"
    return repr(operand.value) if isinstance(operand, Literal) else f"s{operand.index}"
