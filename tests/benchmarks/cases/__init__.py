"""All cases by name, in the order of the tables."""

from __future__ import annotations

from tests.benchmarks.case import Case
from tests.benchmarks.cases import (
    contractions,
    convolution,
    inference,
    movement,
    optimizer,
    pointwise,
    reductions,
    rows,
    training,
)

_FAMILIES = (pointwise, rows, reductions, movement, contractions, convolution, optimizer, training, inference)

CASES: dict[str, Case] = {case.name: case for family in _FAMILIES for case in family.CASES}
