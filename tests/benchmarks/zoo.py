"""Known networks beside PyTorch: ``python -m tests.benchmarks zoo``.

The networks are those of `tests/zoo`, which tests hold to PyTorch's losses. Each is measured with each peer in
processes of its own, on lazygrad's default path: no ``compile``, and a compiler that works beside the program.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import exp, log
from pathlib import Path
from statistics import mean, median

from tests.benchmarks.frameworks import THREADS
from tests.benchmarks.machine import describe
from tests.benchmarks.processes import ROOT, ContenderFailed, environment
from tests.benchmarks.program_worker import CLOCKS
from tests.benchmarks.zoo_worker import WINDOW_SECONDS, WINDOWS, NetworkTimes, Work
from tests.zoo.catalogue import ENTRIES, NAMES

PEERS = ("eager", "compile")
MODES = ("infer", "train")
COLUMNS = (
    "network",
    "lazygrad, ms a step",
    "per second",
    "peer",
    "ratio",
    "first step, s",
    "peer's",
    "settled, s",
    "MiB",
)
EXPLANATION = """\
Written by `python -m tests.benchmarks zoo --write docs/benchmarks_zoo.md`. Every row: batch, size of an image's side
or of a sequence, threads. A time is the median over processes of their medians over {windows} windows, in brackets the
range of those windows. Per second are images or tokens. The peer is the faster one of those that were asked to take
part (eager, torch.compile); the ratio is its time over lazygrad's: above 1 lazygrad is ahead. The first step is without
the network's construction. Settled is when nothing was planned or compiled any more, counted from the first step on.
MiB are resident beyond what the imported library takes. Recurrent cells are written out, on every library."""


@dataclass(frozen=True)
class Row:
    """A network's times, of as many processes as ran, for lazygrad and each peer."""

    work: Work
    times: dict[str, list[NetworkTimes]]

    def step(self, peer: str) -> float:
        """Milliseconds."""
        return median(median(one.steps) for one in self.times[peer])

    @property
    def peers(self) -> list[str]:
        """The fastest first."""
        return sorted((peer for peer in PEERS if self.times.get(peer)), key=self.step)

    @property
    def ratio(self) -> float | None:
        return self.step(self.peers[0]) / self.step("lazygrad") if self.peers else None

    @property
    def title(self) -> str:
        work, size = self.work, self.work.size or ENTRIES[self.work.network].size
        return f"{work.network}, {work.mode}, {work.batch} × {size}, {work.threads} threads"

    def __str__(self) -> str:
        ours, work = self.times["lazygrad"], self.work
        examples = work.batch * (_length(work) if ENTRIES[work.network].task == "tokens" else 1)
        peer = self.peers[0] if self.peers else None
        return row(
            self.title,
            self._time("lazygrad"),
            f"{1000 * examples / self.step('lazygrad'):,.0f}",
            f"{peer} {self._time(peer)}" if peer else "",
            f"{self.ratio:.2f}" if self.ratio else "",
            f"{median(one.first for one in ours):.2f}",
            f"{median(one.first for one in self.times[peer]):.2f}" if peer else "",
            f"{median(one.settled for one in ours):.1f}",
            f"{median(one.resident for one in ours):.0f}",
        )

    def _time(self, peer: str) -> str:
        windows = [step for one in self.times[peer] for step in one.steps]
        return f"{_three(self.step(peer))} ({_three(min(windows))}–{_three(max(windows))})"


def main(arguments: Sequence[str]) -> int:
    """Measure and print; the status is 1 when a network failed with lazygrad."""
    options = parse_arguments(arguments)
    rows: list[Row] = []
    machine = f"Machine: {describe()}. Times are of the clock `{options.clock}`."
    lines = [row(*COLUMNS), row("---", *("---:" for _ in COLUMNS[1:]))]
    print(machine, "", *lines, sep="\n", flush=True)
    failed = False
    for work in works(options):
        try:
            rows.append(measure(work, options.peers, options.processes))
            lines.append(str(rows[-1]))
        except ContenderFailed as failure:
            failed = True
            lines.append(row(f"{work.network}, {work.mode}", str(failure).strip().splitlines()[-1].replace("|", "/")))
        print(lines[-1], flush=True)
        if options.write is not None:  # after every network: a run takes long, and may be stopped
            explanation = EXPLANATION.format(windows=WINDOWS)
            page = ["# Networks beside PyTorch", "", explanation, "", machine, "", *lines, "", summary(rows), ""]
            options.write.write_text("\n".join(page), encoding="utf-8")
    print(f"\n{summary(rows)}")
    return failed


def parse_arguments(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks zoo", description=__doc__.split("\n\n")[0])
    parser.add_argument("names", nargs="*", metavar="name", help=f"which to run, default all: {', '.join(NAMES)}")
    parser.add_argument("--modes", nargs="+", choices=MODES, default=MODES, help="default both")
    parser.add_argument("--infer-batch", nargs="+", type=int, default=[1], help="batches of inference (default 1)")
    parser.add_argument("--train-batch", nargs="+", type=int, default=[8, 32], help="of training (default 8 32)")
    parser.add_argument(
        "--image", type=int, default=0, help="side of the images, a multiple of 32 (default: published)"
    )
    parser.add_argument("--length", type=int, default=0, help="of the sequences (default: published)")
    parser.add_argument("--peers", nargs="*", choices=PEERS, default=["eager"], help="default eager")
    parser.add_argument("--processes", type=int, default=1, help="processes per row and library (default 1)")
    parser.add_argument(
        "--threads", nargs="+", type=int, default=[THREADS], help=f"of each library (default {THREADS})"
    )
    parser.add_argument("--clock", choices=CLOCKS, default="wall", help="what times of steps are of (default wall)")
    parser.add_argument(
        "--seconds", type=float, default=WINDOWS * WINDOW_SECONDS, help="of steady steps in each process, at least"
    )
    parser.add_argument("--write", type=Path, metavar="FILE", help="also write the table to this markdown file")
    options = parser.parse_args(arguments)
    unknown = set(options.names) - set(NAMES)
    if unknown:
        parser.error(f"no network is called {', '.join(sorted(unknown))}; there are {', '.join(NAMES)}")
    return options


def works(options: argparse.Namespace) -> Iterable[Work]:
    batches = {"infer": options.infer_batch, "train": options.train_batch}
    for name in options.names or NAMES:
        size = options.length if ENTRIES[name].task == "tokens" else options.image
        for mode in options.modes:
            for batch in batches[mode]:
                for threads in options.threads:
                    yield Work(name, "lazygrad", mode, batch, size, threads, options.clock, options.seconds)


def measure(work: Work, peers: Sequence[str], processes: int) -> Row:
    """lazygrad and the peers in turn, so many times; a peer that fails takes no part.

    Raises:
        ContenderFailed: lazygrad did.
    """
    times: dict[str, list[NetworkTimes]] = {"lazygrad": [], **{peer: [] for peer in peers}}
    for _ in range(processes):
        for peer, measured in times.items():
            try:
                measured.append(times_of(work, peer))
            except ContenderFailed as failure:
                if peer == "lazygrad":
                    raise
                print(f"{work.network} with {peer}: {failure}", file=sys.stderr, flush=True)
    return Row(work, times)


def times_of(work: Work, peer: str) -> NetworkTimes:
    """What a fresh process measures.

    Raises:
        ContenderFailed: the process did.
    """
    threads = dict.fromkeys(("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"), str(work.threads))
    network, _, *rest = work.words
    command = [sys.executable, "-m", "tests.benchmarks.zoo_worker", network, peer, *rest]
    done = subprocess.run(command, cwd=ROOT, env=environment() | threads, capture_output=True, text=True)
    if done.returncode:
        raise ContenderFailed(f"exit status {done.returncode}\n{done.stderr[-2000:]}")
    return NetworkTimes(**json.loads(done.stdout))


def summary(rows: Sequence[Row]) -> str:
    """How many rows are ahead, and the mean of the ratios."""
    ratios = sorted(row.ratio for row in rows if row.ratio is not None)
    if not ratios:
        return "nothing was compared"
    ahead, mean_ratio = sum(ratio >= 1 for ratio in ratios), exp(mean(map(log, ratios)))
    return (
        f"{ahead} of {len(ratios)} rows as fast as the best peer, median {median(ratios):.2f}, geometric mean "
        f"{mean_ratio:.2f}, least {ratios[0]:.2f}"
    )


def row(*cells: object) -> str:
    return f"| {' | '.join(map(str, cells))} |"


def _length(work: Work) -> int:
    return work.size or ENTRIES[work.network].size


def _three(milliseconds: float) -> str:
    """Three digits."""
    return f"{milliseconds:.{max(0, 2 - int(f'{milliseconds:e}'.partition('e')[2]))}f}"
