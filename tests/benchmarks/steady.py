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
from typing import Any

import numpy as np

from lazygrad.host.interference import Interference
from tests.benchmarks.agreement import disagreement
from tests.benchmarks.case import LAZYGRAD, Case, Contender
from tests.benchmarks.frameworks import Missing
from tests.benchmarks.measurement import Measurement, Samples
from tests.benchmarks.processes import ContenderFailed, WorkerProcess, environment

PAUSE_SECONDS = 0.02
"""Between two samples, in which the threads of the last contender stop spinning for work and fall asleep."""

_REFERENCES = ("eager", LAZYGRAD)
"""Whose outputs the others' are compared with: the first of these that takes part."""


def measure(case: Case, contenders: Sequence[Contender], processes: int, rounds: int) -> Measurement:
    """Time the contenders; one that is missing, fails or computes something else keeps its problem instead.

    Args:
        case: what to do.
        contenders: those of the case that take part.
        processes: fresh processes per contender.
        rounds: samples per process.
    """
    samples = [Samples(contender) for contender in contenders]
    shares = [_measure_in_fresh_processes(case, samples, rounds) for _ in range(processes)]
    known = [share for share in shares if share is not None]
    interference = median(known) if known else None
    return Measurement(
        case.title, "ms", samples, case.against, target=case.target, work=case.work, interference=interference
    )


def _measure_in_fresh_processes(case: Case, samples: list[Samples], rounds: int) -> float | None:
    """Adds a value or a problem to each of the samples; returns the interference while they were timed."""
    with ExitStack() as stack, tempfile.TemporaryDirectory() as folder:
        field = _Field(case, [entry for entry in samples if entry.problem is None], stack)
        field.ask("prepare")
        for entry, reply in field.ask("call"):
            entry.first_calls.append(reply["seconds"])
        field.keep_agreeing(Path(folder))
        calls = {entry.contender: reply["calls"] for entry, reply in field.ask("warm_up")}
        return field.time_in_turn(calls, rounds)


class _Field:
    """One living process for each contender; those with a problem take part no more."""

    def __init__(self, case: Case, samples: Sequence[Samples], stack: ExitStack) -> None:
        self.case = case
        variables = environment(wait_for_compiler=True)
        self.members = [
            (entry, stack.enter_context(WorkerProcess(case, entry.contender, variables))) for entry in samples
        ]

    def ask(self, action: str, **arguments: Any) -> list[tuple[Samples, dict[str, Any]]]:
        """The replies of all that take part, asked one after the other."""
        replies = []
        for entry, worker in self._taking_part():
            try:
                replies.append((entry, worker.ask(action, **arguments)))
            except Missing as missing:
                entry.miss(str(missing))
            except ContenderFailed as failure:
                entry.fail(str(failure))
        return replies

    def keep_agreeing(self, folder: Path) -> None:
        """Fail those whose outputs are not the reference's."""
        outputs = [(entry, _load(reply["path"])) for entry, reply in self.ask("outputs", folder=str(folder))]
        references = [(e, arrays) for peer in _REFERENCES for e, arrays in outputs if e.contender.peer == peer]
        for entry, arrays in outputs if references else ():
            reference, expected = references[0]
            difference = disagreement(arrays, expected, self.case.tolerance)
            if difference is not None:
                entry.fail(f"disagrees with {reference.contender.label}: {difference}")

    def time_in_turn(self, calls: dict[Contender, int], rounds: int) -> float | None:
        """Adds the median over the rounds; each round starts with another contender. Returns the interference."""
        members = self._taking_part()
        milliseconds: dict[Contender, list[float]] = {entry.contender: [] for entry, _ in members}
        used_before = sum(worker.processor_seconds for _, worker in members)
        interference = Interference()
        for round_number in range(rounds):
            first = round_number % max(1, len(members))
            for entry, worker in members[first:] + members[:first]:
                time.sleep(PAUSE_SECONDS)
                seconds = worker.ask("sample", calls=calls[entry.contender])["seconds"]
                milliseconds[entry.contender].append(1000 * seconds)
        for entry, _ in members:
            entry.values.append(median(milliseconds[entry.contender]))
        return interference.share(sum(worker.processor_seconds for _, worker in members) - used_before)

    def _taking_part(self) -> list[tuple[Samples, WorkerProcess]]:
        return [(entry, worker) for entry, worker in self.members if entry.problem is None]


def _load(path: str) -> list[np.ndarray]:
    with np.load(path) as stored:
        return [stored[name] for name in stored.files]
