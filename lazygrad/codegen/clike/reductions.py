"""Reductions as running values: how one takes in another element, and where it starts."""

from __future__ import annotations

from lazygrad.codegen.clike.dialect import Dialect
from lazygrad.codegen.clike.spellings import spelled
from lazygrad.ir.dtype import DType
from lazygrad.ir.op import Op


def combined(dialect: Dialect, op: Op, dtype: DType, total: str, value: str) -> str:
    """The running value after one more element, or two running values as one."""
    assert op.folding is not None
    return spelled(dialect, op.folding.combine, dtype, [total, value])


def identity(dialect: Dialect, op: Op, dtype: DType) -> str:
    """The running value before the first element."""
    assert op.folding is not None
    neutral = op.folding.neutral(dtype)
    return dialect.literal(neutral, dtype) if op.is_exact else str(neutral)  # 0 and 1 need no type
