"""What a C-like language calls things: types, literals, functions, and how values move between memory and registers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import copysign, isinf, isnan
from typing import ClassVar

from lazygrad.host.dtypes import to_numpy
from lazygrad.ir.dtype import Category, DType, Scalar, bfloat16, bool_, float16, float32, float64
from lazygrad.ir.op import Op

Spelling = Callable[..., str]  # (dialect, dtype of the operands, *operands) -> expression


class Dialect:
    """A C-like language. Each has a subclass that says what it calls otherwise.

    What stands here is plain C over a prelude of the language's own. The prelude defines the short names of dtypes
    (``f32``) as types, and a function ``lg_<op>_<type>`` per op that no operator of C spells.

    Attributes:
        truth_value, stored_truth_value: the types of a truth value in a register and in memory.
        spellings: of ops that the language spells in its own way; of others `spellings.SPELLINGS` holds.
    """

    truth_value: ClassVar[str] = "bool"
    stored_truth_value: ClassVar[str] = "bool8"
    spellings: ClassVar[Mapping[Op, Spelling]] = {}

    # Types.

    def type_name(self, dtype: DType) -> str:
        """The type of a number."""
        return dtype.short

    def memory_type(self, dtype: DType) -> str:
        """The type of an element in memory."""
        return self.stored_truth_value if dtype is bool_ else self.type_name(dtype)

    def register_type(self, dtype: DType) -> str:
        """The type of a value inside a kernel: 16-bit floats are held as f32."""
        if dtype is bool_:
            return self.truth_value
        return self.type_name(float32 if dtype.is_half else dtype)

    def loaded(self, text: str, dtype: DType) -> str:
        """The expression that reads the memory element ``text`` into a register."""
        if dtype is bfloat16:
            return f"lg_load_bf16({text})"
        return f"({self.register_type(dtype)}){text}" if dtype is float16 else text

    def stored(self, text: str, dtype: DType) -> str:
        """The expression that turns a register into a memory element."""
        if dtype is bfloat16:
            return f"lg_store_bf16({text})"
        return f"({self.memory_type(dtype)}){text}" if dtype is float16 else text

    def rounded(self, text: str, dtype: DType) -> str:
        """``text`` rounded to what memory of a 16-bit dtype could hold, so that results do not depend on fusion."""
        return f"lg_round_{dtype.short}({text})" if dtype.is_half else text

    # Functions.

    def input_parameter(self, dtype: DType, name: str) -> str:
        """The declaration of an array that a kernel reads."""
        return f"const {self.memory_type(dtype)} *{name}"

    def output_parameter(self, dtype: DType, name: str) -> str:
        """The declaration of an array that it writes."""
        return f"{self.memory_type(dtype)} *{name}"

    def function(self, name: str, dtype: DType, operands: tuple[str, ...]) -> str:
        """The call of the prelude's function of an op, for operands of ``dtype``; 16-bit floats are computed as f32."""
        suffix = float32.short if dtype.is_half else dtype.short
        return f"lg_{name}_{suffix}({', '.join(operands)})"

    # Literals.

    def literal(self, value: Scalar, dtype: DType) -> str:
        """A number of type ``dtype``; floats are written as their shortest text that reads back equal."""
        if dtype is bool_:
            return "1" if value else "0"
        if dtype.category is Category.INTEGER:
            return _integer(int(value.real), dtype)
        if dtype.is_complex:
            number, part = complex(value), dtype.to_real()
            return self.complex_number(self.literal(number.real, part), self.literal(number.imag, part), dtype)
        held = float(to_numpy(dtype).type(value))
        if isnan(held):
            return self.not_a_number(dtype)
        if isinf(held):
            return f"{'-' if held < 0 else ''}{self.infinity(dtype)}"
        text = repr(held) if dtype is float64 else str(to_numpy(float32).type(held))
        if copysign(1.0, held) < 0 and held == 0:
            text = "-0.0"
        return f"{text}{'' if '.' in text or 'e' in text else '.0'}{float_suffix(dtype)}"

    def not_a_number(self, dtype: DType) -> str:
        """NaN of a real type."""
        return f"(({self.register_type(dtype)})NAN)"

    def infinity(self, dtype: DType) -> str:
        """Positive infinity of a real type."""
        return f"(({self.register_type(dtype)})INFINITY)"

    def complex_number(self, real: str, imaginary: str, dtype: DType) -> str:
        """A number of a complex type from its parts."""
        return self.function("complex", dtype, (real, imaginary))


def float_suffix(dtype: DType) -> str:
    """What C writes behind a literal of a real type, and behind the name of a function of libm."""
    return "" if dtype is float64 else "f"


def _integer(value: int, dtype: DType) -> str:
    if value == -(2**63):
        return "(-9223372036854775807LL - 1)"
    wide = dtype.itemsize == 8 or (dtype.itemsize == 4 and not dtype.signed)
    return f"{value}{'LL' if value < 2**63 else 'ULL'}" if wide else str(value)
