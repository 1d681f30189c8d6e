"""The process that one network runs in: ``python -m tests.benchmarks.zoo_worker`` and the fields of `Work` in order.

It prints what it measured as JSON.
"""

from __future__ import annotations

import importlib
import json
import sys
import time
import warnings
from collections.abc import Iterator
from dataclasses import asdict, astuple, dataclass, replace
from itertools import islice
from typing import Any, Literal

from tests.benchmarks.program_worker import CLOCKS, MEBIBYTE, resident_bytes, seconds
from tests.benchmarks.worker import private_stdout
from tests.zoo.loading import infer, train

Mode = Literal["infer", "train"]

MOST_SETTLING_STEPS = 40
QUIET_STEPS = 2  # with nothing new and no compiler at work
WINDOWS = 7
WINDOW_SECONDS = 0.3


@dataclass(frozen=True)
class Work:
    """What is measured: a network of the zoo with a peer.

    Attributes:
        network: its name.
        peer: ``lazygrad``, ``eager`` or ``compile``.
        mode: training or inference.
        batch: images or sequences.
        size: of an image's side, or of a sequence; 0 for the published one.
        threads: of the library.
        clock: what times are of, one of `CLOCKS`.
        seconds: that steps should be measured for, at least.
    """

    network: str
    peer: str
    mode: Mode
    batch: int
    size: int
    threads: int
    clock: str = "wall"
    seconds: float = WINDOWS * WINDOW_SECONDS

    @property
    def words(self) -> list[str]:
        return [str(field) for field in astuple(self)]

    @classmethod
    def of_words(cls, words: list[str]) -> Work:
        network, peer, mode, batch, size, threads, clock, measured = words
        work = cls(network, peer, "train", int(batch), int(size), int(threads), clock, float(measured))
        return work if mode == "train" else replace(work, mode="infer")


@dataclass(frozen=True)
class NetworkTimes:
    """What a network cost in one process.

    Attributes:
        first: seconds of the first step.
        settled: seconds from the first step on until nothing was planned or compiled any more.
        steps: milliseconds a step in each window after that.
        resident: MiB beyond what the imported library takes, at the end.
    """

    first: float
    settled: float
    steps: list[float]
    resident: float


def measure(work: Work) -> NetworkTimes:
    name = "lazygrad" if work.peer == "lazygrad" else "torch"
    library = importlib.import_module(name)
    library.set_num_threads(work.threads)
    library.optim.SGD([library.zeros(1, requires_grad=True)], lr=0.1)  # imports what it needs when it is first made
    imported = resident_bytes()
    run = {"infer": infer, "train": train}[work.mode](
        work.network, name, work.batch, work.size or None, compiled=work.peer == "compile"
    )
    next(run)  # the network is made
    clock = CLOCKS[work.clock]
    start = time.perf_counter()
    first = seconds(run, 1, clock)
    settle(run, library)
    settled = time.perf_counter() - start
    step = seconds(run, 2, clock) / 2
    count = max(1, round(work.seconds / WINDOWS / step))
    windows = [1000 * seconds(run, count, clock) / count for _ in range(WINDOWS)]
    return NetworkTimes(first, settled, windows, (resident_bytes() - imported) / MEBIBYTE)


def settle(run: Iterator[object], library: Any) -> None:
    """Go on until steps bring nothing new."""
    quiet, before = 0, new_programs(library)
    for _ in islice(run, MOST_SETTLING_STEPS):
        if hasattr(library, "wait_for_compiler"):
            library.wait_for_compiler()
        after = new_programs(library)
        quiet = quiet + 1 if after == before else 0
        if quiet == QUIET_STEPS:
            return
        before = after


def new_programs(library: Any) -> tuple[int, ...]:
    """How many were planned and interpreted so far; torch has no such counts."""
    if not hasattr(library, "cache_info"):
        return ()
    info = library.cache_info()
    return info.misses, info.interpreted


def main() -> None:
    replies = private_stdout()
    warnings.simplefilter("ignore")
    print(json.dumps(asdict(measure(Work.of_words(sys.argv[1:])))), file=replies)


if __name__ == "__main__":
    main()
