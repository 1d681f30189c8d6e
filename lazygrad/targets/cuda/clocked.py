"""A plan whose steps are timed by marks in the device's own queue of work, which nobody waits for in between."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from lazygrad.targets.base import LoweredProgram
from lazygrad.targets.cuda.executable import CudaCode
from lazygrad.targets.cuda.module import CudaSource
from lazygrad.targets.cuda.numbers import PlanMemory
from lazygrad.targets.executable import Clocked


class ClockedCudaCode(CudaCode, Clocked):
    """Steps that share a launch, and those that launch nothing, are one reading with the next that does."""

    def __init__(self, source: CudaSource, program: LoweredProgram, memory: PlanMemory) -> None:
        super().__init__(source, program, memory)
        numbers = [entry.number for entry in source.table]
        self._ends = {i for i, number in enumerate(numbers) if numbers[i + 1 : i + 2] != [number]}
        bounds = [-1, *[numbers[i] for i in sorted(self._ends)]]
        if self._ends:
            bounds[-1] = len(program.schedule.steps) - 1
        self.readings = tuple([tuple(range(before + 1, last + 1)) for before, last in pairwise(bounds)])
        self._marks: list[Any] = []

    def _do(self) -> None:
        self._bind()
        self._marks = [self._driver.mark(True)]
        for i, ask in enumerate(self._asks):
            ask()
            if i in self._ends:
                self._marks.append(self._driver.mark(True))

    def nanoseconds(self) -> list[int]:
        self._driver.wait(self._marks[-1])
        return [round(1e6 * self._driver.milliseconds(before, after)) for before, after in pairwise(self._marks)]
