"""C names of element types, and how values move between memory and registers."""

from __future__ import annotations

from math import copysign, isinf, isnan

from lazygrad.host.dtypes import to_numpy
from lazygrad.ir.dtype import Category, DType, Scalar, bfloat16, bool_, float16, float32, float64


def memory_type(dtype: DType) -> str:
    """The C type of an element in memory."""
    return "bool8" if dtype is bool_ else dtype.short


def register_type(dtype: DType) -> str:
    """The C type of a value inside a kernel: 16-bit floats are held as f32, truth values as _Bool."""
    if dtype is bool_:
        return "_Bool"
    return "f32" if dtype.is_half else dtype.short


def loaded(text: str, dtype: DType) -> str:
    """The expression that reads the memory element ``text`` into a register."""
    if dtype is bfloat16:
        return f"lg_load_bf16({text})"
    return f"(f32){text}" if dtype is float16 else text


def stored(text: str, dtype: DType) -> str:
    """The expression that turns a register into a memory element."""
    if dtype is bfloat16:
        return f"lg_store_bf16({text})"
    return f"(f16){text}" if dtype is float16 else text


def rounded(text: str, dtype: DType) -> str:
    """``text`` rounded to what memory of a 16-bit dtype could hold, so that results do not depend on fusion."""
    return f"lg_round_{dtype.short}({text})" if dtype.is_half else text


def float_suffix(dtype: DType) -> str:
    """The type in the names of math functions."""
    if dtype.is_complex:
        return dtype.short
    return "f64" if dtype is float64 else "f32"


def literal(value: Scalar, dtype: DType) -> str:
    """A number of type ``dtype`` in C source; floats are written as their shortest text that reads back equal."""
    if dtype is bool_:
        return "1" if value else "0"
    if dtype.category is Category.INTEGER:
        return _integer(int(value.real), dtype)
    if dtype.is_complex:
        number = complex(value)
        return f"__builtin_complex({literal(number.real, dtype.to_real())}, {literal(number.imag, dtype.to_real())})"
    held = float(to_numpy(dtype).type(value))
    suffix = "" if dtype is float64 else "f"
    if isnan(held):
        return f'__builtin_nan{suffix}("")'
    if isinf(held):
        return f"{'-' if held < 0 else ''}__builtin_inf{suffix}()"
    text = repr(held) if dtype is float64 else str(to_numpy(float32).type(held))
    if copysign(1.0, held) < 0 and held == 0:
        text = "-0.0"
    return f"{text}{'' if '.' in text or 'e' in text else '.0'}{suffix}"


def _integer(value: int, dtype: DType) -> str:
    if value == -(2**63):
        return "(-9223372036854775807LL - 1)"
    wide = dtype.itemsize == 8 or dtype.short == "u32"
    return f"{value}LL" if wide else str(value)
