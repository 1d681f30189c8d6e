"""All cases by name, in the order of the tables."""

from __future__ import annotations

from tests.benchmarks.case import Case
from tests.benchmarks.cases import (
    contractions,
    convolution,
    graphs,
    inference,
    loading,
    movement,
    optimizer,
    pointwise,
    reductions,
    rows,
    sequences,
    training,
)

_FAMILIES = (
    pointwise,
    rows,
    reductions,
    movement,
    contractions,
    convolution,
    optimizer,
    training,
    sequences,
    inference,
    loading,
)

CASES: dict[str, Case] = {case.name: case for family in _FAMILIES for case in family.CASES}

ALL_CASES = CASES | {case.name: case for case in (pointwise.CHAIN_64M, graphs.RECORDING, *graphs.PLANNING.values())}
"""Also those whose steady speed is not what is measured."""
