"""Reductions as running values: how one takes in another element, and where it starts."""

from __future__ import annotations

from lazygrad.codegen.clike.dialect import Dialect
from lazygrad.codegen.clike.spellings import spelled
from lazygrad.ir.dtype import DType
from lazygrad.ir.op import Op
from lazygrad.ir.primitives import elementwise as ew
from lazygrad.ir.primitives import reduction as rd

_COMBINATIONS: dict[Op, Op] = {
    rd.reduce_sum: ew.add,
    rd.reduce_prod: ew.mul,
    rd.reduce_max: ew.maximum,
    rd.reduce_min: ew.minimum,
}


def combined(dialect: Dialect, op: Op, dtype: DType, total: str, value: str) -> str:
    """The running value after one more element, or two running values as one."""
    return spelled(dialect, _COMBINATIONS[op], dtype, [total, value])


def identity(dialect: Dialect, op: Op, dtype: DType) -> str:
    """The running value before the first element."""
    if op in (rd.reduce_sum, rd.reduce_prod):
        return "0" if op is rd.reduce_sum else "1"
    return dialect.literal(dtype.lowest if op is rd.reduce_max else dtype.highest, dtype)
