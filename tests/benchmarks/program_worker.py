"""The process that one program runs in: ``python -m tests.benchmarks.program_worker PROGRAM LIBRARY THREADS CLOCK``.

It prints what it measured as JSON. With a fifth argument, ``first``, it measures the first steps only, and then goes on
until what a later process can use is on disk.
"""

from __future__ import annotations

import importlib
import json
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from tests.benchmarks.worker import private_stdout
from tests.programs.loading import steps

Clock = Callable[[], float]

FIRST_STEPS = 5
ROUND_STEPS, ROUND_SECONDS = 60, 2.0  # of the warm-up
LEAST_ROUNDS, MOST_ROUNDS = 2, 10
LATER_PLANS_SECONDS = 1.2  # after these, lazygrad plans what this process ran once and a later one may run again
WINDOWS = 5
WINDOW_STEPS, WINDOW_SECONDS = 6, 0.15
MEBIBYTE = 2**20
CLOCKS: dict[str, Clock] = {"wall": time.perf_counter, "processor": time.process_time}
"""The second counts the time of this process' threads only, so it says something on a busy machine, for one thread."""


@dataclass(frozen=True)
class ProgramTimes:
    """What one program cost in one process.

    Attributes:
        importing: milliseconds to import the library and what makes optimizers.
        first: milliseconds a step of the first `FIRST_STEPS`, with what the program makes before them.
        steady: milliseconds a step after the warm-up, median of `WINDOWS` windows; misses count in.
        steps: in all windows.
        planned: realizations in the windows that had to plan; 0 where the library has no plans.
        interpreted: those that were computed without a plan.
        plans: in the cache at the end.
        resident: MiB beyond what the imported library takes, at the end.
        grown: MiB by which that grew while the windows were measured.
    """

    importing: float
    first: float
    steady: float
    steps: int
    planned: int
    interpreted: int
    plans: int
    resident: float
    grown: float


def measure(program: str, name: str, threads: int, clock: Clock) -> ProgramTimes:
    start = clock()
    library = importlib.import_module(name)
    library.set_num_threads(threads)
    library.optim.SGD([library.zeros(1, requires_grad=True)], lr=0.1)  # imports what it needs when it is first made
    importing, imported = clock() - start, resident_bytes()
    run = steps(program, name)
    first = seconds(run, FIRST_STEPS, clock) / FIRST_STEPS
    warm_up(run, library, clock)
    before, resident = counts(library), resident_bytes()
    count = window_steps(run, clock)
    windows = [seconds(run, count, clock) / count for _ in range(WINDOWS)]
    after, at_end = counts(library), resident_bytes()
    return ProgramTimes(
        importing=1000 * importing,
        first=1000 * first,
        steady=1000 * median(windows),
        steps=count * (WINDOWS + 1),
        planned=after.planned - before.planned,
        interpreted=after.interpreted - before.interpreted,
        plans=after.plans,
        resident=(at_end - imported) / MEBIBYTE,
        grown=(at_end - resident) / MEBIBYTE,
    )


def measure_first(program: str, name: str, threads: int, clock: Clock) -> float:
    """Milliseconds a step of the first steps."""
    library = importlib.import_module(name)
    library.set_num_threads(threads)
    library.optim.SGD([library.zeros(1, requires_grad=True)], lr=0.1)
    run = steps(program, name)
    first = seconds(run, FIRST_STEPS, clock) / FIRST_STEPS
    warm_up(run, library, clock)
    time.sleep(LATER_PLANS_SECONDS)
    for _ in range(2):  # a plan is compiled once it is made
        library.wait_for_compiler()
    return 1000 * first


def warm_up(run: Iterator[object], library: Any, clock: Clock) -> None:
    """Go on until a round was neither planned nor interpreted, and all is compiled.

    A plan is made when its program was interpreted a few times, and compiled once it has run: a program of twenty
    lengths takes more rounds than one of a single length.
    """
    now = Counts()
    for number in range(MOST_ROUNDS):
        before, now = now, counts(library)
        if number >= LEAST_ROUNDS and now == before:
            break
        end = clock() + ROUND_SECONDS
        for _ in islice(run, ROUND_STEPS):
            if clock() > end:
                break
        if hasattr(library, "wait_for_compiler"):
            library.wait_for_compiler()


def window_steps(run: Iterator[object], clock: Clock) -> int:
    """How many steps make a window."""
    return max(WINDOW_STEPS, round(WINDOW_SECONDS / (seconds(run, WINDOW_STEPS, clock) / WINDOW_STEPS)))


def seconds(run: Iterator[object], count: int, clock: Clock) -> float:
    start = clock()
    for _ in range(count):
        next(run)
    return clock() - start


class Counts(NamedTuple):
    """Of the plan cache, since the start of the process."""

    planned: int = 0
    interpreted: int = 0
    plans: int = 0


def counts(library: Any) -> Counts:
    if not hasattr(library, "cache_info"):
        return Counts()
    info = library.cache_info()
    return Counts(info.misses, info.interpreted, info.size)


def resident_bytes() -> int:
    status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    return 1024 * int(status["VmRSS"].split()[0])


def main() -> None:
    replies = private_stdout()
    warnings.simplefilter("ignore")
    program, name, threads, clock, *only = sys.argv[1:]
    if only:
        print(json.dumps(measure_first(program, name, int(threads), CLOCKS[clock])), file=replies)
    else:
        print(json.dumps(asdict(measure(program, name, int(threads), CLOCKS[clock]))), file=replies)


if __name__ == "__main__":
    main()
