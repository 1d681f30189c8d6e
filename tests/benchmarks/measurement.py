"""What a case's measurement yields, of whichever kind."""

from __future__ import annotations

from dataclasses import dataclass, field
from statistics import median

from tests.benchmarks.case import LAZYGRAD, PEERS, Contender, Work


@dataclass
class Samples:
    """Of one contender.

    Attributes:
        contender: who.
        values: one per process it was measured in, in the measurement's unit.
        first_calls: seconds of each process' first call, where that was watched.
        problem: why there are no values.
        failed: the problem is a failure; otherwise something is not installed or does not exist yet.
    """

    contender: Contender
    values: list[float] = field(default_factory=list)
    first_calls: list[float] = field(default_factory=list)
    problem: str | None = None
    failed: bool = False

    def miss(self, what: str) -> None:
        """Take part no more because something is not there."""
        self.problem = f"{what} is missing"

    def fail(self, problem: str) -> None:
        """Take part no more; what was measured before is not to be trusted."""
        self.problem, self.failed = problem, True
        self.values.clear()

    @property
    def median(self) -> float:
        return median(self.values)

    @property
    def range(self) -> tuple[float, float]:
        return min(self.values), max(self.values)


@dataclass
class Measurement:
    """One row of the table.

    Attributes:
        title: what was done.
        unit: of the values; smaller is better.
        samples: one per contender.
        against: peers that count for the ratio.
        target: ratio to reach, or None.
        limit: largest value allowed, or None.
        work: for the roofline, where it says something; values are then milliseconds.
        interference: the part of all processors that other programs used meanwhile, or None if unknown.
    """

    title: str
    unit: str
    samples: list[Samples]
    against: tuple[str, ...] = PEERS
    target: float | None = None
    limit: float | None = None
    work: Work | None = None
    interference: float | None = None

    @property
    def ours(self) -> Samples:
        """lazygrad's: the fastest where a program was measured as recorded anew and as compiled."""
        own = [samples for samples in self.samples if samples.contender.peer == LAZYGRAD]
        return min((s for s in own if s.values), key=lambda samples: samples.median, default=own[0])

    @property
    def best_peer(self) -> Samples | None:
        """Of those that count and could be measured."""
        measured = [s for s in self.samples if s.contender.peer in self.against and s.values]
        return min(measured, key=lambda samples: samples.median, default=None)

    @property
    def ratio(self) -> float | None:
        """The best peer's median over ours: at least 1 where lazygrad is ahead."""
        if self.best_peer is None or not self.ours.values:
            return None
        return self.best_peer.median / self.ours.median

    @property
    def reached(self) -> bool | None:
        """Whether target or limit is met; None where there is none or it cannot be told."""
        if self.limit is not None and self.ours.values:
            return self.ours.median <= self.limit
        if self.target is None or self.ratio is None:
            return None
        return self.ratio >= self.target
