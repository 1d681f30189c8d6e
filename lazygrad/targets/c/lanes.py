"""Running values of a vectorized loop, one per lane: what OpenMP is told, and how a lane takes in an element."""

from __future__ import annotations

from lazygrad.codegen.clike.reductions import combined
from lazygrad.ir.dtype import DType, bool_
from lazygrad.ir.op import Op
from lazygrad.ir.primitives import reduction as rd
from lazygrad.targets.c.dialect import C

# OpenMP's words for a reduction, of numbers and of bools.
_SYMBOLS: dict[Op, tuple[str, str]] = {
    rd.reduce_sum: ("+", "|"),
    rd.reduce_prod: ("*", "&"),
    rd.reduce_max: ("max", "|"),
    rd.reduce_min: ("min", "&"),
}


def lane_clause(op: Op, dtype: DType, total: str) -> str:
    """The OpenMP clause under which a loop may keep one running value per vector lane."""
    if op is rd.reduce_prod and dtype.is_complex:
        return f"reduction(lg_product : {total})"
    numbers, bools = _SYMBOLS[op]
    return f"reduction({bools if dtype is bool_ else numbers} : {total})"


def ignores_nan(op: Op, dtype: DType) -> bool:
    """Whether `lane_update` misses NaN; a loop then looks for it on the side, which keeps its chain of steps short."""
    return op.is_exact and dtype.is_floating_point


def lane_update(op: Op, dtype: DType, total: str, value: str) -> str:
    """A lane's running value after one more element."""
    if ignores_nan(op, dtype):
        return f"{value} {'>' if op is rd.reduce_max else '<'} {total} ? {value} : {total}"
    return combined(C, op, dtype, total, value)
