"""Interleaved timing: every contender runs once per round, so that all of them see the same machine."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median

import numpy as np

from tests.benchmarks.interference import Interference

SAMPLE_SECONDS = 0.05
MOST_CALLS_PER_SAMPLE = 1000
CHECKED_CALLS = 3

Run = Callable[[], Sequence[np.ndarray]]


@dataclass(frozen=True)
class Contender:
    """One way to do the work.

    Attributes:
        name: who does it; the first contender of a case is lazygrad.
        run: does all of it, and returns what it computed; None where the library is not installed.
    """

    name: str
    run: Run | None


@dataclass(frozen=True)
class Case:
    """Work that several contenders do.

    Attributes:
        name: for the command line.
        title: for the table.
        contenders: makes the contenders, with equal inputs; called when the case's turn comes.
        tolerance: of the results, relative to the largest element.
    """

    name: str
    title: str
    contenders: Callable[[], list[Contender]]
    tolerance: float = 1e-4


@dataclass(frozen=True)
class Timing:
    """What was measured of one contender, in milliseconds per call.

    Attributes:
        name: of the contender.
        first: the first call, which for lazygrad plans and renders.
        samples: one per round; empty where the library is not installed.
    """

    name: str
    first: float
    samples: tuple[float, ...]

    @property
    def median(self) -> float:
        return median(self.samples)


class Disagreement(Exception):
    """A contender computed something else than the first one, so its time says nothing."""


@dataclass(frozen=True)
class Measurement:
    """One case, measured.

    Attributes:
        title: of the case.
        timings: one per contender, lazygrad first.
        interference: the part of all processors that other programs used meanwhile, or None if unknown.
    """

    title: str
    timings: tuple[Timing, ...]
    interference: float | None


def measure(case: Case, rounds: int) -> Measurement:
    """Check that the contenders agree, then time them in turn.

    Raises:
        Disagreement: results differ by more than the case's tolerance.
    """
    contenders = case.contenders()
    present = [contender for contender in contenders if contender.run is not None]
    firsts = _checked_first_calls(case, present)
    calls = {contender.name: _calls_per_sample(contender) for contender in present}
    samples: dict[str, list[float]] = {contender.name: [] for contender in contenders}
    interference = Interference()
    for _ in range(rounds):
        for contender in present:
            samples[contender.name].append(_milliseconds(contender, calls[contender.name]))
    timings = [Timing(name, firsts.get(name, 0.0), tuple(times)) for name, times in samples.items()]
    return Measurement(case.title, tuple(timings), interference.share())


def ratios(ours: Timing, peer: Timing) -> list[float]:
    """Peer's time over ours, round by round: above 1 where lazygrad is faster."""
    return [theirs / own for own, theirs in zip(ours.samples, peer.samples, strict=True)]


def _checked_first_calls(case: Case, contenders: list[Contender]) -> dict[str, float]:
    """Milliseconds of each contender's first call; a few calls are made and their results compared."""
    firsts = {}
    for call in range(CHECKED_CALLS):
        expected: Sequence[np.ndarray] | None = None
        for contender in contenders:
            start = time.perf_counter()
            results = _run(contender)
            if call == 0:
                firsts[contender.name] = 1000 * (time.perf_counter() - start)
            if expected is None:
                expected = results
            _check(case, contender, results, expected)
    return firsts


def _check(case: Case, contender: Contender, have: Sequence[np.ndarray], want: Sequence[np.ndarray]) -> None:
    for ours, theirs in zip(have, want, strict=True):
        scale = max(float(np.abs(theirs).max(initial=0.0)), 1e-6)
        difference = float(np.abs(ours.astype(np.float64) - theirs).max(initial=0.0)) / scale
        if not difference <= case.tolerance:
            raise Disagreement(f"{case.name}: {contender.name} is off by {difference:.2g} of the largest element")


def _run(contender: Contender) -> Sequence[np.ndarray]:
    assert contender.run is not None
    return contender.run()


def _milliseconds(contender: Contender, calls: int) -> float:
    start = time.perf_counter()
    for _ in range(calls):
        _run(contender)
    return 1000 * (time.perf_counter() - start) / calls


def _calls_per_sample(contender: Contender) -> int:
    estimate = min(_milliseconds(contender, 1) for _ in range(3)) / 1000
    return max(1, min(MOST_CALLS_PER_SAMPLE, round(SAMPLE_SECONDS / max(estimate, 1e-7))))
