"""Steady speed: contenders in processes of their own, timed in turn, after their outputs were found equal.

The same code can run two or three times slower in one process than in the next, depending on where its pages lie. So
every contender is measured in several fresh processes; its time is the median of their medians.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from statistics import median

import numpy as np

from tests.benchmarks.agreement import disagreement
from tests.benchmarks.case import LABELS, LAZYGRAD, Case, Contender
from tests.benchmarks.frameworks import Missing
from tests.benchmarks.interference import Interference
from tests.benchmarks.measurement import Measurement, Samples
from tests.benchmarks.processes import ContenderFailed, WorkerProcess, environment

PAUSE_SECONDS = 0.02
"""Between two samples, in which the threads of the last contender stop spinning for work and fall asleep."""


def measure(case: Case, contenders: Sequence[Contender], processes: int, rounds: int) -> Measurement:
    """Time the contenders; one that is missing, fails or computes something else keeps its problem instead.

    Args:
        case: what to do.
        contenders: those of the case that take part.
        processes: fresh processes per contender.
        rounds: samples per process.
    """
    samples = [Samples(contender) for contender in contenders]
    shares = []
    for _ in range(processes):
        taking_part = [entry for entry in samples if entry.problem is None]
        shares.append(_one_process_each(case, taking_part, rounds))
    known = [share for share in shares if share is not None]
    return Measurement(
        case.title,
        "ms",
        samples,
        case.against,
        target=case.target,
        work=case.work,
        interference=median(known) if known else None,
    )


def _one_process_each(case: Case, samples: list[Samples], rounds: int) -> float | None:
    """Adds one value to each of the samples, or a problem; returns the interference while they were timed."""
    with ExitStack() as stack:
        variables = environment(wait_for_compiler=True)
        workers = [
            (entry, stack.enter_context(WorkerProcess(case, entry.contender, variables))) for entry in samples
        ]
        workers = _prepared(workers)
        workers = _agreeing(case, workers)
        calls = {}
        for entry, worker in list(workers):
            try:
                calls[worker] = worker.ask("warm_up")["calls"]
            except ContenderFailed as failure:
                entry.problem = _in_short(failure)
                workers.remove((entry, worker))
        before = sum(worker.processor_seconds for _, worker in workers)
        interference = Interference()
        seconds: dict[WorkerProcess, list[float]] = {worker: [] for _, worker in workers}
        for _ in range(rounds):
            for _, worker in workers:
                time.sleep(PAUSE_SECONDS)
                seconds[worker].append(worker.ask("sample", calls=calls[worker])["seconds"])
        for entry, worker in workers:
            entry.values.append(1000 * median(seconds[worker]))
        return interference.share(sum(worker.processor_seconds for _, worker in workers) - before)
