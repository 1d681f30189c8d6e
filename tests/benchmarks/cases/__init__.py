"""All cases by name, in the order of the tables."""

from __future__ import annotations

from tests.benchmarks.case import Case
from tests.benchmarks.cases import (
    contractions,
    convolution,
    data,
    graphs,
    inference,
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
    data,
)

CASES: dict[str, Case] = {case.name: case for family in _FAMILIES for case in family.CASES}

GROUPS = {family.__name__.rpartition(".")[2]: [case.name for case in family.CASES] for family in _FAMILIES}
"""The names of a file's cases, by the name of the file."""

ALL_CASES = CASES | {case.name: case for case in (pointwise.CHAIN_64M, graphs.RECORDING, *graphs.PLANNING.values())}
"""Also those whose steady speed is not what is measured."""
