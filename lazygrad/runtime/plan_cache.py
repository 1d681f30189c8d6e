"""The cache of plans, bounded in plans and in bytes, and how often programs without a plan were seen."""

from __future__ import annotations

import sys
from collections import OrderedDict, deque
from collections.abc import Callable
from enum import Enum
from math import inf
from typing import TYPE_CHECKING, Any

from lazygrad.host.pace import import_seconds
from lazygrad.runtime.misses import Misses
from lazygrad.runtime.precedents import Precedents
from lazygrad.runtime.tiers import runs

if TYPE_CHECKING:
    from lazygrad.runtime.kept_plan import KeptPlan
    from lazygrad.runtime.partitioned_plan import AnyPlan
    from lazygrad.runtime.recording import Recording
    from lazygrad.runtime.tape import Tape
    from lazygrad.runtime.tapes import Tapes

DEFAULT_CAPACITY = 512
DEFAULT_BYTES = 1 << 28
_REMEMBERED = 1 << 16  # programs without a plan
# What planning takes for each step of a large interpretation, as a share of what importing the package takes. Who rents
# until that has cost as much as to buy pays at most twice what would have been best, however often the program comes.
_PLANNING = 5e-4
# The same for what the first plan of a process imports: templates, passes, renderers.
_LOADING = 0.25
_PLANNER = "lazygrad.runtime.plan"


class _Sight:
    """A program without a plan.

    Attributes:
        runs: how often it was interpreted.
        seconds_left: what interpreting it may still take before a plan is due.
        has_failed: whether a plan could not be made in the background.
    """

    __slots__ = ("has_failed", "runs", "seconds_left")

    def __init__(self) -> None:
        self.runs, self.seconds_left, self.has_failed = 0, inf, False


class Treatment(Enum):
    """What is done with a program."""

    PLANNED = "run by its plan, which is there or is made now"
    INTERPRETED = "computed node by node"
    DUE = "computed node by node once more, while a plan is made in the background"


class PlanCache:
    """Plans by key, least recently used first out; the newest one always stays.

    Attributes:
        hits, misses: realizations that found their plan and that had to make one, since the start or the last `clear`.
        restored: programs whose plan an earlier process had kept on disk.
        interpreted: realizations of programs that had no plan yet and were computed without one.
        interpreting: seconds of processor time that this took since the start of the process.
        capacity: the most plans it keeps.
        byte_capacity: the most bytes that they may hold, about; see `Plan.bytes_held`.
        bytes_held: by the plans that it has.
        arrived: plans that were made in the background, with their keys; None for one that could not be made. Another
            thread adds to it.
        last: the plan that was asked for last.
        last_misses: what `explain_cache_miss` compares.
        precedents: by which recordings of programs that have a plan or a tape are recognized.
    """

    def __init__(self, capacity: int = DEFAULT_CAPACITY, byte_capacity: int = DEFAULT_BYTES) -> None:
        self.hits, self.misses, self.restored, self.interpreted, self.interpreting = 0, 0, 0, 0, 0.0
        self.capacity, self.byte_capacity, self.bytes_held = capacity, byte_capacity, 0
        self.arrived: deque[tuple[Any, AnyPlan | None]] = deque()
        self.last: AnyPlan | KeptPlan | None = None
        self._plans: OrderedDict[Any, AnyPlan | KeptPlan] = OrderedDict()
        self._bytes: dict[Any, int] = {}
        self._keys: dict[Any, Any] = {}  # by themselves
        self.last_misses = Misses()
        self.precedents = Precedents()
        self._sights: OrderedDict[int, _Sight] = OrderedDict()
        self._tapes: Tapes | None = None  # its module loads with the first program

    def __contains__(self, key: Any) -> bool:
        return key in self._plans

    def __len__(self) -> int:
        return len(self._plans)

    def was_seen(self, key: Any) -> bool:
        """Whether a program was seen before."""
        return hash(key) in self._sights or key in self._plans

    def is_first_sight(self, key: Any) -> bool:
        """Whether a program was not seen before, or long ago; from now on it was."""
        number = hash(key)
        if number in self._sights or key in self._plans:
            return False
        self._see(number)
        return True

    def _see(self, number: int) -> _Sight:
        seen = self._sights[number] = _Sight()
        if len(self._sights) > _REMEMBERED:
            self._sights.popitem(last=False)
        return seen

    def treatment(self, key: Any, runs: int | None) -> Treatment:
        """What to do with a program now; counts it if it is interpreted.

        Args:
            key: of a program.
            runs: how often it is interpreted; None for as long as that took less time than a plan would, and until
                the plan has arrived.
        """
        if self.arrived:
            self._take_arrived()
        if runs == 0 or key in self._plans:
            return Treatment.PLANNED
        number = hash(key)  # two programs of one number are planned too early, which does no harm
        seen = self._sights.get(number)
        if seen is None:
            seen = self._see(number)
        is_due = self._is_due(seen) if runs is None else seen.runs >= runs
        if is_due and (runs is not None or seen.has_failed):
            del self._sights[number]
            return Treatment.PLANNED
        seen.runs += 1
        self.interpreted += 1
        if not is_due:
            return Treatment.INTERPRETED
        seen.seconds_left = inf  # it is counted anew until the plan arrives
        return Treatment.DUE

    def _is_due(self, seen: _Sight) -> bool:
        return seen.seconds_left <= 0 and (self.interpreting >= _LOADING * import_seconds() or _PLANNER in sys.modules)

    def _take_arrived(self) -> None:
        while self.arrived:
            key, plan = self.arrived.popleft()
            if plan is None:
                failed = self._sights[hash(key)] = _Sight()
                failed.has_failed, failed.seconds_left = True, 0.0
            elif key not in self._plans:
                self.misses += 1
                self._keep(key, plan)

    def spend(self, key: Any, seconds: float, steps: int) -> None:
        """Note what one run of an interpreted program took, which has so many steps.

        Args:
            key: of the program.
            seconds: of this thread's processor time. By the clock, a run that waits for other programs, or for the
                thread that plans, would seem to be worth a plan.
            steps: of the interpretation.
        """
        self.interpreting += seconds
        seen = self._sights.get(hash(key))
        if seen is not None:
            seen.seconds_left = min(seen.seconds_left, steps * _PLANNING * import_seconds()) - seconds

    def runs_of(self, key: Any) -> int:
        """How often a program was interpreted that has no plan."""
        seen = self._sights.get(hash(key))
        return 0 if seen is None else seen.runs

    def find(self, key: Any) -> AnyPlan | KeptPlan | None:
        """The plan for ``key``, if there is one."""
        plan = self._plans.get(key)
        if plan is not None:
            self.hits += 1
            self._plans.move_to_end(key)
            self.last = plan
        return plan

    def get(self, key: Any, build: Callable[[], AnyPlan]) -> AnyPlan | KeptPlan:
        """The plan for ``key``, built on a miss."""
        plan = self.find(key)
        if plan is None:
            self.misses += 1
            self.last = plan = build()
            self._keep(key, plan)
        return plan

    def restore(self, key: Any, plan: KeptPlan) -> None:
        """Take a plan that an earlier process had kept."""
        self.restored += 1
        self.last = plan
        self._keep(key, plan)

    def note_precedent(self, recording: Recording, key: Any) -> None:
        """Recognize by ``recording``, whose plan was found by ``key``, those that come after it."""
        if not recording.has_precedent:
            program, _ = self._keys[key]
            self.precedents.note(recording, program)

    def tape_of(self, recording: Recording) -> Tape | None:
        """How a program without a plan is interpreted, if that is known."""
        tape = self._tapes.find(recording.key) if self._tapes is not None else None
        return tape if tape is not None and tape.serves(recording) else None

    def keep_tape(self, recording: Recording, tape: Tape) -> None:
        """Keep how a program without a plan is interpreted, and recognize by ``recording`` those that come after it.

        If there is a tape for other places of its writes, that one stays: they may be other ones each time.
        """
        from lazygrad.runtime.tapes import Tapes

        self._tapes = self._tapes or Tapes()
        if self._tapes.find(recording.key) is not None:
            return
        for key in self._tapes.keep(recording.key, tape):
            self.precedents.forget((key,))
        if not recording.has_precedent:
            self.precedents.note(recording, recording.key)

    def _keep(self, key: Any, plan: AnyPlan | KeptPlan) -> None:
        if self._tapes is not None:
            self._tapes.forget(key[0])
        self._sights.pop(hash(key), None)
        self._plans[key] = plan
        self._keys[key] = key
        self._bytes[key] = held = plan.bytes_held
        self.bytes_held += held
        self.shrink()

    def shrink(self) -> None:
        """Let go of the plans that are too many."""
        while len(self._plans) > 1 and (len(self._plans) > self.capacity or self.bytes_held > self.byte_capacity):
            oldest, _ = self._plans.popitem(last=False)
            del self._keys[oldest]
            self.bytes_held -= self._bytes.pop(oldest)
            self.precedents.forget(oldest)

    def clear(self) -> None:
        """Forget every plan and count."""
        self._plans.clear()
        self._bytes.clear()
        self._keys.clear()
        self._sights.clear()
        self._tapes = None
        self.precedents.clear()
        self.hits = self.misses = self.restored = self.interpreted = self.bytes_held = 0
        runs.clear()
        self.last_misses.clear()
        self.last, self.arrived = None, deque()  # what is still made arrives at the old one
