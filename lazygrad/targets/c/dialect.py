"""C as gcc and clang take it, over the prelude in codegen_templates/c/plan.h."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from lazygrad.codegen.clike.dialect import Dialect, Spelling, float_suffix
from lazygrad.codegen.clike.spellings import SPELLINGS, by_kind
from lazygrad.ir.dtype import DType
from lazygrad.ir.op import Op
from lazygrad.ir.primitives import elementwise as ew


def _abs(dialect: Dialect, dtype: DType, x: str) -> str:
    return f"__builtin_fabs{float_suffix(dtype)}({x})"


def _conj(dialect: Dialect, dtype: DType, x: str) -> str:
    return dialect.complex_number(f"__real__ {x}", f"-__imag__ {x}", dtype)


class CDialect(Dialect):
    """Its prelude needs no header of the standard library, so what these define are builtins here."""

    truth_value: ClassVar[str] = "_Bool"
    spellings: ClassVar[Mapping[Op, Spelling]] = {
        ew.abs_: by_kind(_abs, SPELLINGS[ew.abs_], complexes=SPELLINGS[ew.abs_]),
        ew.real: lambda dialect, dtype, x: f"__real__ {x}",
        ew.imag: lambda dialect, dtype, x: f"__imag__ {x}",
        ew.conj: _conj,
        ew.complex_: lambda dialect, dtype, x, y: dialect.complex_number(x, y, dtype),
    }

    def not_a_number(self, dtype: DType) -> str:
        return f'__builtin_nan{float_suffix(dtype)}("")'

    def infinity(self, dtype: DType) -> str:
        return f"__builtin_inf{float_suffix(dtype)}()"

    def complex_number(self, real: str, imaginary: str, dtype: DType) -> str:
        return f"__builtin_complex({real}, {imaginary})"


C = CDialect()
