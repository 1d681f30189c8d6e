"""How each scalar op is spelled in C."""

from __future__ import annotations

from collections.abc import Callable

from lazygrad.ir.dtype import Category, DType, bool_, float16, float64
from lazygrad.ir.op import Op, Refusal
from lazygrad.ir.primitives import elementwise as ew
from lazygrad.ir.primitives import reduction as rd
from lazygrad.targets.c.types import float_suffix, literal, register_type, rounded

Spelling = Callable[..., str]  # (dtype of the operands, *operands) -> expression

# Float functions of vector_math.h; every other spelling works on any type.
_FUNCTIONS = (
    ew.exp, ew.exp2, ew.expm1, ew.log, ew.log2, ew.log10, ew.log1p, ew.sqrt,
    ew.sin, ew.cos, ew.tan, ew.asin, ew.acos, ew.atan,
    ew.sinh, ew.cosh, ew.tanh, ew.asinh, ew.acosh, ew.atanh,
    ew.erf, ew.erfc, ew.erfinv, ew.lgamma, ew.digamma, ew.trigamma,
    ew.sign, ew.floor, ew.ceil, ew.trunc, ew.round_,
    ew.floor_div, ew.remainder, ew.fmod, ew.pow_, ew.atan2, ew.maximum, ew.minimum,
)  # fmt: skip

_INFIX = {
    ew.div: "/",
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


def _function(op: Op) -> Spelling:
    return lambda dtype, *x: f"lg_{op.name}_{float_suffix(dtype)}({', '.join(x)})"


def _infix(symbol: str) -> Spelling:
    return lambda dtype, x, y: f"{x} {symbol} {y}"


def _by_kind(floats: Spelling, integers: Spelling, bools: Spelling | None = None) -> Spelling:
    def spell(dtype: DType, *x: str) -> str:
        if dtype.is_floating_point:
            return floats(dtype, *x)
        return (bools or integers)(dtype, *x) if dtype is bool_ else integers(dtype, *x)

    return spell


def _integer_function(name: str) -> Spelling:
    return lambda dtype, *x: f"lg_{name}_{dtype.short}({', '.join(x)})"


def _same(dtype: DType, x: str) -> str:
    return x


def _integer_sign(dtype: DType, x: str) -> str:
    return f"({x} > 0) - ({x} < 0)"


SPELLINGS: dict[Op, Spelling] = {
    **{op: _function(op) for op in _FUNCTIONS},
    **{op: _infix(symbol) for op, symbol in _INFIX.items()},
    ew.add: _by_kind(_infix("+"), _infix("+"), _infix("|")),
    ew.mul: _by_kind(_infix("*"), _infix("*"), _infix("&")),
    ew.neg: lambda dtype, x: f"-{x}",
    ew.abs_: _by_kind(
        lambda dtype, x: f"__builtin_fabs{'' if dtype is float64 else 'f'}({x})",
        lambda dtype, x: f"{x} < 0 ? -{x} : {x}" if dtype.is_signed else x,
    ),
    ew.sign: _by_kind(_function(ew.sign), _integer_sign, _same),
    **{op: _by_kind(_function(op), _same) for op in (ew.floor, ew.ceil, ew.trunc, ew.round_)},
    ew.floor_div: _by_kind(_function(ew.floor_div), _integer_function("floor_div")),
    ew.remainder: _by_kind(_function(ew.remainder), _integer_function("remainder")),
    ew.fmod: _by_kind(_function(ew.fmod), _integer_function("fmod")),
    ew.pow_: _by_kind(_function(ew.pow_), _integer_function("pow")),
    ew.maximum: _by_kind(_function(ew.maximum), lambda dtype, x, y: f"{x} > {y} ? {x} : {y}", _infix("|")),
    ew.minimum: _by_kind(_function(ew.minimum), lambda dtype, x, y: f"{x} < {y} ? {x} : {y}", _infix("&")),
    ew.invert: lambda dtype, x: f"!{x}" if dtype is bool_ else f"~{x}",
    ew.isnan: lambda dtype, x: f"{x} != {x}",
    ew.copysign: _function(ew.copysign),
    ew.shift_left: _integer_function("shift_left"),
    ew.shift_right: _integer_function("shift_right"),
    ew.where: lambda dtype, condition, x, y: f"{condition} ? {x} : {y}",
    ew.real: lambda dtype, x: f"__real__ {x}",
    ew.imag: lambda dtype, x: f"__imag__ {x}",
    ew.conj: lambda dtype, x: f"__builtin_complex(__real__ {x}, -__imag__ {x})",
    ew.complex_: lambda dtype, x, y: f"__builtin_complex({x}, {y})",
    ew.contiguous: _same,
    ew.clone: _same,
    ew.after: lambda dtype, token, x: x,
    ew.require: lambda dtype, condition, x: x,
    **{op: _same for op in _REDUCTIONS},  # over axes of size 1; others are running values
}


def _complex_function(op: Op) -> Spelling:
    return lambda dtype, *x: f"lg_{op.name}_{dtype.short}({', '.join(x)})"


# Of complex numbers, where C or complex.h spell it in another way than of real ones.
COMPLEX_SPELLINGS: dict[Op, Spelling] = {op: _complex_function(op) for op in (ew.mul, ew.div, ew.abs_)}


def expression(op: Op, operand_dtype: DType, result: DType, operands: list[str]) -> str:
    """``op`` applied to ``operands``, rounded to ``result`` where that is a 16-bit float.

    Args:
        op: an elementwise primitive.
        operand_dtype: of the last operand (the first of `where` is a condition).
        result: of the value.
        operands: C expressions that need no parentheses: names and literals.
    """
    if op is ew.cast:
        return _cast(operands[0], operand_dtype, result)
    text = _spelled(op, operand_dtype, *operands)
    return text if op.is_exact else rounded(text, result)


def _spelled(op: Op, dtype: DType, *operands: str) -> str:
    spelling = (COMPLEX_SPELLINGS.get(op) if dtype.is_complex else None) or SPELLINGS[op]
    return spelling(dtype, *operands)


def _cast(text: str, source: DType, target: DType) -> str:
    if target is bool_:
        return f"{text} != 0"
    if source.is_complex and not target.is_complex:
        return _cast(f"(__real__ {text})", source.to_real(), target)
    if source is float64 and target is float16:
        return f"(f32)(f16){text}"  # rounding to f32 on the way would round twice
    if target.is_half:
        return rounded(f"(f32){text}", target)
    if source.is_floating_point and target.category is Category.INTEGER and target.itemsize < 4:
        return f"({target.short})(i32){text}"  # the low bits of the number, as numpy has it on this machine
    return f"({register_type(target)}){text}"


def refusal(op: Op, dtype: DType, operands: list[str]) -> str | None:
    """The condition under which an elementwise op refuses its operands, if it can; numpy then raises the error."""
    if not op.may_refuse((), dtype):
        return None
    return f"!{operands[0]}" if op.refuses is Refusal.CONDITION else f"{operands[1]} == 0"


# Reductions: how a running value takes one more, the clause that lets the compiler do so in lanes, and the start.


def combined(op: Op, dtype: DType, total: str, value: str) -> str:
    """The running value after one more element."""
    assert op.folding is not None
    return _spelled(op.folding.combine, dtype, total, value)


# The operators that OpenMP knows, of numbers and of bools.
_LANE_SYMBOLS: dict[Op, tuple[str, str]] = {
    rd.reduce_sum: ("+", "|"),
    rd.reduce_prod: ("*", "&"),
    rd.reduce_max: ("max", "|"),
    rd.reduce_min: ("min", "&"),
}


def lane_clause(op: Op, dtype: DType, total: str) -> str:
    """The OpenMP clause under which a loop may keep one running value per vector lane."""
    if op is rd.reduce_prod and dtype.is_complex:
        return f"reduction(lg_product : {total})"
    numbers, bools = _LANE_SYMBOLS[op]
    return f"reduction({bools if dtype is bool_ else numbers} : {total})"


def ignores_nan(op: Op, dtype: DType) -> bool:
    """Whether `lane_update` misses NaN; a loop then looks for it on the side, which keeps its chain of steps short."""
    return op.is_exact and dtype.is_floating_point


def lane_update(op: Op, dtype: DType, total: str, value: str) -> str:
    """A lane's running value after one more element."""
    if ignores_nan(op, dtype):
        return f"{value} {'>' if op is rd.reduce_max else '<'} {total} ? {value} : {total}"
    return combined(op, dtype, total, value)


def identity(op: Op, dtype: DType) -> str:
    """The running value before the first element."""
    assert op.folding is not None
    neutral = op.folding.neutral(dtype)
    return str(neutral) if op in (rd.reduce_sum, rd.reduce_prod) else literal(neutral, dtype)  # 0 and 1 have no suffix
