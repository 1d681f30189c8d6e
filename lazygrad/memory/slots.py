"""Where a value of a plan lies, and what may take its place: what is left of a memory plan where one only runs."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Place(Enum):
    """Where a stored value lives."""

    INPUT = "input"  # a buffer handed over at each run
    OUTPUT = "output"  # a buffer that outlives the run
    ARENA = "arena"  # scratch memory of the plan, shared by values whose lifetimes do not overlap


@dataclass(frozen=True, slots=True)
class Slot:
    """The place of one stored value; ``index`` counts within its kind of place."""

    place: Place
    index: int

    @property
    def is_output(self) -> bool:
        return self.place is Place.OUTPUT


@dataclass(frozen=True, slots=True)
class Donation:
    """Output number ``output`` can be written over input slot ``input``.

    A run uses an output's first pair whose input nobody else needs.
    """

    output: int
    input: int
