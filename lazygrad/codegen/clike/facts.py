"""A kernel in a C-like language: its values, their types, and the expressions of places in arrays."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from math import prod

from lazygrad.codegen.clike.dialect import Dialect
from lazygrad.codegen.clike.passes import PassPlan
from lazygrad.codegen.clike.reductions import identity
from lazygrad.codegen.kernel import Instruction, Kernel, RuntimeScalar
from lazygrad.ir.dtype import DType
from lazygrad.ir.view import contiguous_strides


class KernelFacts:
    """A kernel with its passes, and a language's words for its parts.

    Attributes:
        kernel, passes, dialect: what is rendered, and in which language.
    """

    def __init__(self, kernel: Kernel, passes: PassPlan, dialect: Dialect) -> None:
        self.kernel, self.passes, self.dialect = kernel, passes, dialect

    def instruction(self, value: int) -> Instruction:
        return self.kernel.instruction(value)

    def dtype(self, value: int) -> DType:
        return self.kernel.dtype_of(value)

    def register(self, value: int) -> str:
        """The type of a value inside the kernel."""
        return self.dialect.register_type(self.dtype(value))

    def total_dtype(self, value: int) -> DType:
        """The dtype in which a reduction's running value is computed."""
        return self.dtype(value)

    def total_type(self, value: int) -> str:
        """The type of a reduction's running value."""
        return self.dialect.register_type(self.total_dtype(value))

    def identity(self, value: int) -> str:
        """A reduction's running value before the first element."""
        return identity(self.dialect, self.instruction(value).op, self.total_dtype(value))

    # Parameters.

    @cached_property
    def parameters(self) -> list[str]:
        """Declarations of what all functions of the kernel take: loads, outputs, scalars."""
        kernel, dialect = self.kernel, self.dialect
        loads = [dialect.input_parameter(load.dtype, f"x{i}") for i, load in enumerate(kernel.loads)]
        outs = [dialect.output_parameter(self.dtype(each.value), f"out{i}") for i, each in enumerate(kernel.stores)]
        return loads + outs + self._scalar_parameters()

    def _scalar_parameters(self) -> list[str]:
        operands = [operand for instruction in self.kernel.instructions for operand in instruction.operands]
        operands += [load.fill for load in self.kernel.loads if load.fill is not None]
        scalars = [operand for operand in operands if isinstance(operand, RuntimeScalar)]
        types = {scalar.index: self.dialect.register_type(scalar.dtype) for scalar in scalars}
        return [f"{types[i]} s{i}" for i in sorted(types)]

    # Where values lie.

    def indices(self) -> list[str]:
        """The names of the indices."""
        return [f"i{axis}" for axis in range(len(self.kernel.sizes))]

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

    def place_in_row(self) -> str:
        """Where the element at hand lies in an array that holds one row."""
        axes = sorted(self.kernel.row_axes)
        sizes = tuple(self.kernel.sizes[axis] for axis in axes)
        return self.index(sizes, contiguous_strides(sizes), names=[f"i{axis}" for axis in axes])

    @property
    def row_extent(self) -> int:
        """How many elements one row has."""
        return prod(self.kernel.sizes[axis] for axis in self.kernel.row_axes)

    def memory_of(self, position: int) -> str:
        """The type of an output's elements in memory."""
        return self.dialect.memory_type(self.dtype(self.kernel.stores[position].value))

    def memory_size(self, position: int) -> int:
        """Bytes of an output's element."""
        return self.dtype(self.kernel.stores[position].value).itemsize
