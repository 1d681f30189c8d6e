"""The bounded cache of plans, and how often programs without a plan were seen."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from lazygrad.runtime.misses import Misses

if TYPE_CHECKING:
    from lazygrad.runtime.partitioned_plan import AnyPlan

DEFAULT_CAPACITY = 512
_REMEMBERED = 1 << 16  # programs without a plan; of each a number is kept


class PlanCache:
    """Plans by key, least recently used first out.

    Attributes:
        hits, misses: realizations that found their plan and that had to make one, since the start or the last `clear`.
        interpreted: realizations of programs that had no plan yet and were computed without one.
        capacity: the most plans it keeps.
        last: the plan that was asked for last.
        last_misses: what `explain_cache_miss` compares.
    """

    def __init__(self, capacity: int = DEFAULT_CAPACITY) -> None:
        self.capacity, self.hits, self.misses, self.interpreted = capacity, 0, 0, 0
        self.last: AnyPlan | None = None
        self._plans: OrderedDict[Any, AnyPlan] = OrderedDict()
        self.last_misses = Misses()
        self._sights: OrderedDict[int, int] = OrderedDict()

    def __len__(self) -> int:
        return len(self._plans)

    def interprets(self, key: Any, runs: int) -> bool:
        """Whether the program of ``key`` has no plan, and ran less than ``runs`` times; counts it if so."""
        if not runs or key in self._plans:
            return False
        number = hash(key)  # two programs of one number are planned a run too early, which does no harm
        seen = self._sights.pop(number, 0)
        if seen >= runs:
            return False
        self._sights[number] = seen + 1
        if len(self._sights) > _REMEMBERED:
            self._sights.popitem(last=False)
        self.interpreted += 1
        return True

    def get(self, key: Any, build: Callable[[], AnyPlan]) -> AnyPlan:
        """The plan for ``key``, built on a miss."""
        plan = self._plans.get(key)
        if plan is not None:
            self.hits += 1
            self._plans.move_to_end(key)
        else:
            self.misses += 1
            plan = self._plans[key] = build()
            while len(self._plans) > self.capacity:
                self._plans.popitem(last=False)
        self.last = plan
        return plan

    def clear(self) -> None:
        """Forget every plan and count."""
        self._plans.clear()
        self._sights.clear()
        self.hits = self.misses = self.interpreted = 0
        self.last_misses.clear()
        self.last = None
