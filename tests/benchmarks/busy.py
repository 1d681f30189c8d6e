"""Steady speed on a machine that others use too: programs that compute without a pause run beside all contenders."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

from tests.benchmarks import steady
from tests.benchmarks.case import Case, Contender
from tests.benchmarks.cases import CASES
from tests.benchmarks.measurement import Measurement

_LOW_PRIORITY = 10
_PROGRAM = "import os; os.nice({nice}); print(flush=True)\nwhile True: pass"


@dataclass(frozen=True)
class BusyCase:
    """A case beside competitors.

    Attributes:
        name: for the command line.
        case: what the contenders do.
        competitors: how many programs compute meanwhile, each on one thread.
        nice: by how much their priority is below the contenders'.
    """

    name: str
    case: Case
    competitors: int
    nice: int = 0

    @property
    def title(self) -> str:
        """For the tables."""
        priority = " of low priority" if self.nice else ""
        return f"{self.case.title}, beside {self.competitors} busy programs{priority}"


def measure(busy: BusyCase, contenders: Sequence[Contender], processes: int, rounds: int) -> Measurement:
    """As `steady.measure`; the competitors are no interference."""
    with competing(busy.competitors, busy.nice):
        measurement = steady.measure(busy.case, contenders, processes, rounds)
    return replace(measurement, title=busy.title, work=None, interference=None)


@contextmanager
def competing(count: int, nice: int = 0) -> Iterator[list[subprocess.Popen[str]]]:
    """So many processes that compute, all of them under way."""
    program = [sys.executable, "-c", _PROGRAM.format(nice=nice)]
    processes = [subprocess.Popen(program, stdout=subprocess.PIPE, text=True) for _ in range(count)]
    try:
        for process in processes:
            assert process.stdout is not None
            process.stdout.readline()
        yield processes
    finally:
        for process in processes:
            process.kill()
            process.communicate()


BUSY_CASES = {
    busy.name: busy
    for name in ("mlp", "cnn")
    for busy in (
        *(BusyCase(f"{name}_beside_{count}", CASES[name], count) for count in (0, 1, 2, 4)),
        BusyCase(f"{name}_beside_1_low", CASES[name], 1, _LOW_PRIORITY),
    )
}
