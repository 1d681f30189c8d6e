"""The command line: ``python -m tests.benchmarks [names…] [--rounds N] [--write docs/benchmarks.md]``."""

from __future__ import annotations

import argparse
from pathlib import Path

from tests.benchmarks import cases_pointwise, cases_training
from tests.benchmarks.costs import costs
from tests.benchmarks.harness import measure
from tests.benchmarks.machine import describe, roofline
from tests.benchmarks.peers import THREADS, limit_threads
from tests.benchmarks.report import COST_HEADER, TIMING_HEADER, cost_row, timing_rows

CASES = {case.name: case for case in (*cases_pointwise.CASES, *cases_training.CASES)}
COSTS = "costs"

EXPLANATION = """\
Written by `python -m tests.benchmarks --write docs/benchmarks.md`.

The contenders of a benchmark run in turn, rounds: {rounds}, threads: {threads}, after their results were found equal.
A time includes everything a user waits for: recording, finding the plan, computing. The first call is the one that
plans and renders. The last column is the contender's time over lazygrad's, round by round, the median of that: above 1
lazygrad is faster."""


class Output:
    """Prints lines as they come and keeps them for a file."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def add(self, *lines: str) -> None:
        for line in lines:
            print(line, flush=True)
            self.lines.append(line)

    def write(self, path: Path, rounds: int) -> None:
        explanation = EXPLANATION.format(rounds=rounds, threads=THREADS)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join(["# Benchmarks", "", explanation, "", *self.lines, ""]), encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description="Speed beside PyTorch and numpy.")
    choices = [*CASES, COSTS]
    parser.add_argument("names", nargs="*", metavar="name", help=f"which to run, default all: {', '.join(choices)}")
    parser.add_argument("--rounds", type=int, default=11)
    parser.add_argument("--write", type=Path, metavar="FILE", help="also write the tables to this markdown file")
    arguments = parser.parse_args()
    unknown = set(arguments.names) - set(choices)
    if unknown:
        parser.error(f"no benchmark is called {', '.join(sorted(unknown))}; there are {', '.join(choices)}")
    if arguments.rounds < 1:
        parser.error("--rounds must be at least 1")
    chosen = arguments.names or choices

    limit_threads()
    output = Output()
    output.add(f"Machine: {describe()}; {roofline(arguments.rounds)}.", "")
    cases = [CASES[name] for name in chosen if name in CASES]
    if cases:
        output.add(*TIMING_HEADER.splitlines())
    for case in cases:
        output.add(*timing_rows(measure(case, arguments.rounds)))
    if COSTS in chosen:
        output.add("", *COST_HEADER.splitlines())
        output.add(*(cost_row(cost) for cost in costs(arguments.rounds)))
    if arguments.write is not None:
        output.write(arguments.write, arguments.rounds)


if __name__ == "__main__":
    main()
