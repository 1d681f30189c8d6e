"""How each scalar op is spelled: by an operator of C, or as a call of the prelude's function."""

from __future__ import annotations

from lazygrad.codegen.clike.dialect import Dialect, Spelling
from lazygrad.ir.dtype import Category, DType, bool_, float16, float64, int32
from lazygrad.ir.op import Op, Refusal
from lazygrad.ir.primitives import elementwise as ew
from lazygrad.ir.primitives import reduction as rd

# Functions of floats; every other spelling works on any type.
_FUNCTIONS = (
    ew.exp, ew.exp2, ew.expm1, ew.log, ew.log2, ew.log10, ew.log1p, ew.sqrt,
    ew.sin, ew.cos, ew.tan, ew.asin, ew.acos, ew.atan,
    ew.sinh, ew.cosh, ew.tanh, ew.asinh, ew.acosh, ew.atanh,
    ew.erf, ew.erfc, ew.erfinv, ew.lgamma, ew.digamma, ew.trigamma,
    ew.sign, ew.floor, ew.ceil, ew.trunc, ew.round_,
    ew.floor_div, ew.remainder, ew.fmod, ew.pow_, ew.atan2, ew.maximum, ew.minimum,
)  # fmt: skip
# The same of any type, and of the parts of complex numbers.
_OTHER_FUNCTIONS = (ew.copysign, ew.shift_left, ew.shift_right, ew.real, ew.imag, ew.conj, ew.complex_)

_INFIX = {
    ew.sub: "-",
    ew.eq: "==",
    ew.ne: "!=",
    ew.lt: "<",
    ew.le: "<=",
    ew.gt: ">",
    ew.ge: ">=",
    ew.bitwise_and: "&",
    ew.bitwise_or: "|",
    ew.bitwise_xor: "^",
}

_REDUCTIONS = (rd.reduce_sum, rd.reduce_prod, rd.reduce_max, rd.reduce_min)


def function(op: Op) -> Spelling:
    """A call of the prelude's function."""
    return lambda dialect, dtype, *x: dialect.function(op.name, dtype, x)


def infix(symbol: str) -> Spelling:
    """An operator between two operands."""
    return lambda dialect, dtype, x, y: f"{x} {symbol} {y}"


def by_kind(
    floats: Spelling, integers: Spelling, bools: Spelling | None = None, complexes: Spelling | None = None
) -> Spelling:
    """Another spelling per kind of operands; bools and complex numbers are spelled as integers if nothing is said."""
    spellings = {
        Category.BOOL: bools or integers,
        Category.INTEGER: integers,
        Category.FLOAT: floats,
        Category.COMPLEX: complexes or integers,
    }
    return lambda dialect, dtype, *x: spellings[dtype.category](dialect, dtype, *x)


def _same(dialect: Dialect, dtype: DType, x: str) -> str:
    return x


def _integer_abs(dialect: Dialect, dtype: DType, x: str) -> str:
    return f"{x} < 0 ? -{x} : {x}" if dtype.is_signed else x


def _integer_sign(dialect: Dialect, dtype: DType, x: str) -> str:
    return f"({x} > 0) - ({x} < 0)"


SPELLINGS: dict[Op, Spelling] = {
    **{op: function(op) for op in (*_FUNCTIONS, *_OTHER_FUNCTIONS)},
    **{op: infix(symbol) for op, symbol in _INFIX.items()},
    ew.add: by_kind(infix("+"), infix("+"), infix("|")),
    ew.mul: by_kind(infix("*"), infix("*"), infix("&"), function(ew.mul)),
    ew.div: by_kind(infix("/"), infix("/"), complexes=function(ew.div)),
    ew.neg: lambda dialect, dtype, x: f"-{x}",
    ew.abs_: by_kind(function(ew.abs_), _integer_abs, complexes=function(ew.abs_)),
    ew.sign: by_kind(function(ew.sign), _integer_sign, _same),
    **{op: by_kind(function(op), _same) for op in (ew.floor, ew.ceil, ew.trunc, ew.round_)},
    ew.maximum: by_kind(function(ew.maximum), lambda dialect, dtype, x, y: f"{x} > {y} ? {x} : {y}", infix("|")),
    ew.minimum: by_kind(function(ew.minimum), lambda dialect, dtype, x, y: f"{x} < {y} ? {x} : {y}", infix("&")),
    ew.invert: lambda dialect, dtype, x: f"!{x}" if dtype is bool_ else f"~{x}",
    ew.isnan: lambda dialect, dtype, x: f"{x} != {x}",
    ew.where: lambda dialect, dtype, condition, x, y: f"{condition} ? {x} : {y}",
    ew.contiguous: _same,
    ew.clone: _same,
    ew.after: lambda dialect, dtype, token, x: x,
    ew.require: lambda dialect, dtype, condition, x: x,
    **{op: _same for op in _REDUCTIONS},  # over axes of size 1; others are running values
}


def expression(dialect: Dialect, op: Op, operand_dtype: DType, result: DType, operands: list[str]) -> str:
    """``op`` applied to ``operands``, rounded to ``result`` where that is a 16-bit float.

    Args:
        dialect: the language.
        op: an elementwise primitive.
        operand_dtype: of the last operand (the first of `where` is a condition).
        result: of the value.
        operands: expressions that need no parentheses: names and literals.
    """
    if op is ew.cast:
        return _cast(dialect, operands[0], operand_dtype, result)
    text = spelled(dialect, op, operand_dtype, operands)
    return text if op.is_exact else dialect.rounded(text, result)


def spelled(dialect: Dialect, op: Op, operand_dtype: DType, operands: list[str]) -> str:
    """``op`` applied to ``operands``, before anything is rounded."""
    spelling = dialect.spellings.get(op) or SPELLINGS[op]
    return spelling(dialect, operand_dtype, *operands)


def _cast(dialect: Dialect, text: str, source: DType, target: DType) -> str:
    if target is bool_:
        return f"{text} != 0"
    if source.is_complex and not target.is_complex:
        part = spelled(dialect, ew.real, source, [text])
        return _cast(dialect, f"({part})", source.to_real(), target)
    if source is float64 and target is float16:
        once = dialect.stored(text, target)  # rounding to f32 on the way would round twice
        return dialect.loaded(once, target)
    to = f"({dialect.register_type(target)})"
    if target.is_half:
        return dialect.rounded(f"{to}{text}", target)
    if source.is_floating_point and target.category is Category.INTEGER and target.itemsize < 4:
        low_bits = f"({dialect.register_type(int32)}){text}"  # of the number, as numpy has it on this machine
        return f"{to}{low_bits}"
    return f"{to}{text}"


def condition_of_refusal(op: Op, dtype: DType, operands: list[str]) -> str | None:
    """The condition under which an elementwise op refuses its operands, if it can; numpy then raises the error."""
    if not op.may_refuse((), dtype):
        return None
    return f"!{operands[0]}" if op.refuses is Refusal.CONDITION else f"{operands[1]} == 0"
