"""Timing ways of doing the same thing against each other: in turn, with a spread, and with doubt where it is due."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import comb, inf
from statistics import median, quantiles

from lazygrad.host.interference import Interference

BUSY = 0.1  # of all processors, used by other programs, above which timings are called doubtful
_SHORTEST = 1e-3  # seconds; a shorter run is repeated until a sample takes as long
_MOST_RUNS = 1 << 10  # in a sample
_CONFIDENCE = 0.95


@dataclass(frozen=True, slots=True)
class Timing:
    """How long one of several contenders took.

    Attributes:
        milliseconds: of one run, a sample for each round.
    """

    milliseconds: tuple[float, ...]

    @property
    def median(self) -> float:
        return median(self.milliseconds)

    @property
    def spread(self) -> tuple[float, float]:
        """The quartiles; of few samples the extremes."""
        if len(self.milliseconds) < 4:
            return min(self.milliseconds), max(self.milliseconds)
        low, _, high = quantiles(self.milliseconds, n=4, method="inclusive")
        return low, high


@dataclass(frozen=True, slots=True)
class Ratio:
    """One time over another, from samples that were taken in turn.

    Attributes:
        value: the median of the rounds' ratios.
        low, high: it lies between them with a confidence of 95 %. Both are trivial for fewer than six rounds.
    """

    value: float
    low: float
    high: float

    @property
    def is_distinguishable(self) -> bool:
        """Whether one of the two is faster, beyond what the noise of these samples explains."""
        return self.low > 1 or self.high < 1


def ratio(first: Timing, second: Timing) -> Ratio:
    """How many times as long the first took as the second.

    The interval is that of order statistics, which assumes nothing of the distribution: the median lies outside the
    k-th smallest and the k-th largest of n ratios with a probability of 2·Σ_{i<k} C(n, i) / 2ⁿ.
    """
    pairs = zip(first.milliseconds, second.milliseconds, strict=True)
    ratios = sorted([a / b if b else inf for a, b in pairs])
    count, outside, rank = len(ratios), 0.0, 0
    while rank < count // 2 and outside + 2 * comb(count, rank) / 2**count <= 1 - _CONFIDENCE:
        outside += 2 * comb(count, rank) / 2**count
        rank += 1
    low, high = (ratios[rank - 1], ratios[count - rank]) if rank else (0.0, inf)
    return Ratio(median(ratios), low, high)


@dataclass(frozen=True, slots=True)
class Timings:
    """What `timed_in_turn` found.

    Attributes:
        each: by contender.
        interference: the part of all processors that other programs used meanwhile; None if the system does not say.
    """

    each: tuple[Timing, ...]
    interference: float | None

    @property
    def is_busy(self) -> bool:
        return self.interference is not None and self.interference > BUSY


def timed_in_turn(runs: Sequence[Callable[[], object]], rounds: int) -> Timings:
    """Time some ways of doing the same. In each round all have their turn, and another one is first."""
    counts = [_runs_in_a_sample(run) for run in runs]
    samples: list[list[float]] = [[] for _ in runs]
    watch, used_before = Interference(), time.process_time()
    for number in range(rounds):
        for turn in range(len(runs)):
            which = (number + turn) % len(runs)
            samples[which].append(1000 * _seconds(runs[which], counts[which]) / counts[which])
    share = watch.share(time.process_time() - used_before)
    return Timings(tuple([Timing(tuple(each)) for each in samples]), share)


def _runs_in_a_sample(run: Callable[[], object]) -> int:
    run()  # what is done once only
    return max(1, min(_MOST_RUNS, round(_SHORTEST / max(_seconds(run, 1), 1e-9))))


def _seconds(run: Callable[[], object], count: int) -> float:
    start = time.perf_counter()
    for _ in range(count):
        run()
    return time.perf_counter() - start
