"""CUDA C++ as NVRTC takes it, over the preludes in codegen_templates/cuda."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from lazygrad.codegen.clike.dialect import Dialect, Spelling
from lazygrad.codegen.clike.spellings import SPELLINGS, by_kind, function
from lazygrad.ir.dtype import Category, DType, float16, float32
from lazygrad.ir.op import Op
from lazygrad.ir.primitives import elementwise as ew


class NoCudaForm(NotImplementedError):
    """An operation that this target does not compute, by name."""


class CudaDialect(Dialect):
    """Truth values are ``bool``; 16-bit floats are types of CUDA's headers."""

    spellings: ClassVar[Mapping[Op, Spelling]] = {
        ew.abs_: by_kind(function(ew.abs_), SPELLINGS[ew.abs_], complexes=function(ew.abs_)),
        ew.complex_: lambda dialect, dtype, x, y: dialect.complex_number(x, y, dtype.to_complex()),
    }

    def loaded(self, text: str, dtype: DType) -> str:
        return f"lg_load_f16({text})" if dtype is float16 else super().loaded(text, dtype)

    def stored(self, text: str, dtype: DType) -> str:
        return f"lg_store_f16({text})" if dtype is float16 else super().stored(text, dtype)

    def shared_array(self, dtype: DType, name: str, count: int) -> str:
        """The declaration of shared memory for values of registers. Those with constructors lie in plain bytes."""
        kind = self.register_type(dtype)
        if not dtype.is_complex:
            return f"__shared__ {kind} {name}[{count}];"
        return f"{_shared_bytes(dtype, name, count)} {kind} *const {name} = ({kind} *){name}_bytes;"

    def shared_tile(self, dtype: DType, name: str, rows: int, columns: int) -> str:
        """The declaration of shared memory for elements of memory; 16-bit floats have constructors, too."""
        kind = self.memory_type(dtype)
        if not dtype.is_complex and not dtype.is_half:
            return f"__shared__ {kind} {name}[{rows}][{columns}];"
        cast = f"{kind} (*const {name})[{columns}] = ({kind} (*)[{columns}]){name}_bytes;"
        return f"{_shared_bytes(dtype, name, rows * columns)} {cast}"

    def not_a_number(self, dtype: DType) -> str:
        return f"lg_nan_{_computed(dtype).short}()"

    def infinity(self, dtype: DType) -> str:
        return f"lg_infinity_{_computed(dtype).short}()"


def _shared_bytes(dtype: DType, name: str, count: int) -> str:
    return f"__shared__ __align__({dtype.itemsize}) u8 {name}_bytes[{count * dtype.itemsize}];"


def _computed(dtype: DType) -> DType:
    return float32 if dtype.category is Category.FLOAT and dtype.itemsize < 4 else dtype


CUDA = CudaDialect()
