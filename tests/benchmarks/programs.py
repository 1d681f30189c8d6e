"""Whole programs beside PyTorch: ``python -m tests.benchmarks programs``.

The programs are those of `tests/programs`, which tests hold to PyTorch's losses; here their steps are timed, each
program in processes of its own, on the default path: no ``compile``, and a compiler that works beside the program.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, log
from pathlib import Path
from statistics import mean, median
from typing import Any

from tests.benchmarks.frameworks import THREADS
from tests.benchmarks.processes import ROOT, ContenderFailed, environment
from tests.benchmarks.program_worker import CLOCKS, FIRST_STEPS, ProgramTimes
from tests.programs.loading import NAMES

EARLIER_PROCESSES = 4  # each computes other values in the first steps than the one before, until all is planned
COLUMNS = (
    "program",
    f"torch, first {FIRST_STEPS}: ms a step",
    "steady",
    f"lazygrad, first {FIRST_STEPS}",
    "steady",
    "first: ratio",
    "first steps again",
    "again: ratio",
    "steady: ratio",
    "planned a step",
    "interpreted",
    "plans",
    "MiB",
    "grew by",
)
EXPLANATION = """\
Ratios are torch's time over lazygrad's. The first steps include what a program makes before them. Planned and
interpreted is what steady steps still had to plan, and computed without a plan because it was new. MiB are resident
beyond what the imported library takes, and by how much that grew in the steady steps. The first steps are those of a
process that finds no plan on disk; again, those of one that finds what four earlier ones have kept."""


@dataclass(frozen=True)
class Row:
    """A program's times with each library, one for each process."""

    program: str
    torch: Sequence[ProgramTimes]
    lazygrad: Sequence[ProgramTimes]
    again: float

    @property
    def first(self) -> tuple[float, float]:
        """Milliseconds a step of torch and lazygrad."""
        return median(times.first for times in self.torch), median(times.first for times in self.lazygrad)

    @property
    def steady(self) -> tuple[float, float]:
        return median(times.steady for times in self.torch), median(times.steady for times in self.lazygrad)

    @property
    def from_import(self) -> tuple[float, float]:
        """Milliseconds from the import of the library to the end of its first steps."""
        torch, lazygrad = (
            median([each.importing + FIRST_STEPS * each.first for each in times])
            for times in (self.torch, self.lazygrad)
        )
        return torch, lazygrad

    def a_step(self, count: str) -> float:
        return mean(getattr(times, count) / times.steps for times in self.lazygrad)

    def __str__(self) -> str:
        times = [
            f"{value:.2f}" for first, steady in zip(self.first, self.steady, strict=True) for value in (first, steady)
        ]
        ratios = [f"{theirs / ours:.2f}" for theirs, ours in (self.first, self.steady)]
        again = [f"{self.again:.2f}", f"{self.first[0] / self.again:.2f}"]
        new = [f"{self.a_step(count):.2f}" for count in ("planned", "interpreted")]
        last = self.lazygrad[-1]
        return row(
            self.program,
            *times,
            ratios[0],
            *again,
            ratios[1],
            *new,
            last.plans,
            f"{last.resident:.0f}",
            f"{last.grown:.1f}",
        )


def main(arguments: Sequence[str]) -> int:
    """Measure and print; the status is 1 when a program failed."""
    options = parse_arguments(arguments)
    rows: list[Row] = []
    lines = [row(*COLUMNS), row("---", *("---:" for _ in COLUMNS[1:]))]
    print(*lines, sep="\n", flush=True)
    failed = False
    for program in options.names or NAMES:
        try:
            rows.append(measure(program, options.processes, options.threads, options.clock))
            lines.append(str(rows[-1]))
        except ContenderFailed as failure:
            failed = True
            lines.append(row(program, str(failure).strip().splitlines()[-1].replace("|", "/")))
        print(lines[-1], flush=True)
        if options.write is not None:  # after every program: a run takes long, and may be stopped
            options.write.write_text("\n".join([*lines, "", summary(rows), "", EXPLANATION, ""]), encoding="utf-8")
    print(f"\n{summary(rows)}\n\n{EXPLANATION}")
    return failed


def parse_arguments(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks programs", description=__doc__.split("\n\n")[0])
    parser.add_argument("names", nargs="*", metavar="name", help=f"which to run, default all: {', '.join(NAMES)}")
    parser.add_argument("--processes", type=int, default=1, help="processes per program and library (default 1)")
    parser.add_argument("--threads", type=int, default=THREADS, help=f"of each library (default {THREADS})")
    parser.add_argument("--clock", choices=CLOCKS, default="wall", help="what times are of (default wall)")
    parser.add_argument("--write", type=Path, metavar="FILE", help="also write the table to this markdown file")
    options = parser.parse_args(arguments)
    unknown = set(options.names) - set(NAMES)
    if unknown:
        parser.error(f"no program is called {', '.join(sorted(unknown))}; there are {', '.join(NAMES)}")
    return options


def measure(program: str, processes: int, threads: int, clock: str) -> Row:
    """Both libraries in turn, so many times."""
    times: dict[str, list[ProgramTimes]] = {"torch": [], "lazygrad": []}
    for _ in range(processes):
        for library, measured in times.items():
            measured.append(times_of(program, library, threads, clock))
    again = [first_steps_again(program, threads, clock) for _ in range(EARLIER_PROCESSES + processes)]
    return Row(program, times["torch"], times["lazygrad"], median(again[EARLIER_PROCESSES:]))


def times_of(program: str, library: str, threads: int, clock: str) -> ProgramTimes:
    """What a fresh process measures.

    Raises:
        ContenderFailed: the process did.
    """
    return ProgramTimes(**_answer([program, library, str(threads), clock], threads, LAZYGRAD_KEEP_PLANS="0"))


def first_steps_again(program: str, threads: int, clock: str) -> float:
    """Milliseconds a step of lazygrad's first steps, with what earlier processes have kept on disk.

    Raises:
        ContenderFailed: the process did.
    """
    first: float = _answer([program, "lazygrad", str(threads), clock, "first"], threads, LAZYGRAD_KEEP_PLANS="1")
    return first


def _answer(arguments: Sequence[str], threads: int, **settings: str) -> Any:
    variables = environment() | settings
    variables |= dict.fromkeys(("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"), str(threads))
    command = [sys.executable, "-m", "tests.benchmarks.program_worker", *arguments]
    done = subprocess.run(command, cwd=ROOT, env=variables, capture_output=True, text=True)
    if done.returncode:
        raise ContenderFailed(f"exit status {done.returncode}\n{done.stderr[-2000:]}")
    return json.loads(done.stdout)


def summary(rows: Sequence[Row]) -> str:
    """How many programs keep pace, and the means of the ratios."""
    if not rows:
        return "no program was measured"
    parts = []
    again = [(row.first[0], row.again) for row in rows]
    for name, pairs in (
        ("steady", [row.steady for row in rows]),
        ("first steps", [row.first for row in rows]),
        ("first steps again", again),
        ("first steps with the import of the library", [row.from_import for row in rows]),
    ):
        ratios = sorted(theirs / ours for theirs, ours in pairs)
        ahead = sum(ratio >= 1 for ratio in ratios)
        parts.append(
            f"{name}: {ahead} of {len(ratios)} programs as fast as torch, median {median(ratios):.2f}, geometric mean "
            f"{exp(mean(map(log, ratios))):.2f}, least {ratios[0]:.2f}"
        )
    return "; ".join(parts)


def row(*cells: object) -> str:
    return f"| {' | '.join(map(str, cells))} |"
