"""The command line; ``python -m tests.benchmarks --help`` says what it takes."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from itertools import chain
from pathlib import Path

from tests.benchmarks import busy, fresh, optimizers, programs, steady, zoo
from tests.benchmarks.busy import BUSY_CASES
from tests.benchmarks.case import LAZYGRAD, PEERS, Contender
from tests.benchmarks.cases import CASES, GROUPS
from tests.benchmarks.frameworks import THREADS
from tests.benchmarks.fresh import FRESH_CASES
from tests.benchmarks.machine import describe, measure_roofline
from tests.benchmarks.measurement import Measurement
from tests.benchmarks.report import RATIO_HEADER, document, ratio_row

NAMES = (*CASES, *FRESH_CASES, *BUSY_CASES)
_HELP = f"which to run, default all: {', '.join(NAMES)}; or groups of them: {', '.join(GROUPS)}"


def main() -> int:
    if sys.argv[1:2] == ["programs"]:
        return programs.main(sys.argv[2:])
    if sys.argv[1:2] == ["optimizers"]:
        return optimizers.main(sys.argv[2:])
    if sys.argv[1:2] == ["zoo"]:
        return zoo.main(sys.argv[2:])
    arguments = parse_arguments()
    machine, roofline = describe(), measure_roofline()
    print(f"Machine: {machine}; {roofline}.\n\n{RATIO_HEADER}", flush=True)
    measurements: list[Measurement] = []
    for name in chain.from_iterable(GROUPS.get(given, [given]) for given in arguments.names or NAMES):
        measurement = measure(name, arguments)
        measurements.append(measurement)
        print(ratio_row(measurement, roofline), flush=True)
        report_problems(name, measurement)
        if arguments.write is not None:  # after every case: a run takes long, and may be stopped
            page = document(machine, roofline, measurements, arguments.processes, arguments.rounds, THREADS)
            arguments.write.write_text(page, encoding="utf-8")
    return any(samples.failed for measurement in measurements for samples in measurement.samples)


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m tests.benchmarks",
        description="Speed beside PyTorch and JAX.",
        epilog="The exit status is 1 when a contender failed or disagreed; slowness is no failure. "
        "`programs`, `zoo` or `optimizers` in place of names measures whole programs, known networks or steps of small "
        "tensors; each has options of its own.",
    )
    parser.add_argument("names", nargs="*", metavar="name", help=_HELP)
    parser.add_argument("--rounds", type=_at_least_one, default=11, help="samples per process (default 11)")
    parser.add_argument("--processes", type=_at_least_one, default=3, help="processes per contender (default 3)")
    parser.add_argument("--peers", nargs="*", choices=PEERS, default=PEERS, help="whom to compare with (default all)")
    parser.add_argument("--write", type=Path, metavar="FILE", help="also write the tables to this markdown file")
    arguments = parser.parse_args()
    unknown = set(arguments.names) - {*NAMES, *GROUPS}
    if unknown:
        parser.error(f"no benchmark is called {', '.join(sorted(unknown))}; {_HELP}")
    return arguments


def measure(name: str, arguments: argparse.Namespace) -> Measurement:
    """The case of that name, of whichever kind."""
    if name in CASES:
        case = CASES[name]
        return steady.measure(case, taking_part(case.contenders, arguments), arguments.processes, arguments.rounds)
    if name in BUSY_CASES:
        beside = BUSY_CASES[name]
        contenders = taking_part(beside.case.contenders, arguments)
        return busy.measure(beside, contenders, arguments.processes, arguments.rounds)
    return fresh.measure(FRESH_CASES[name], taking_part(FRESH_CASES[name].contenders, arguments), arguments.processes)


def taking_part(contenders: Sequence[Contender], arguments: argparse.Namespace) -> list[Contender]:
    return [contender for contender in contenders if contender.peer in (LAZYGRAD, *arguments.peers)]


def report_problems(name: str, measurement: Measurement) -> None:
    for samples in measurement.samples:
        if samples.problem is not None:
            print(f"{name}, {samples.contender.label}: {samples.problem}", file=sys.stderr, flush=True)


def _at_least_one(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return number


if __name__ == "__main__":
    sys.exit(main())
