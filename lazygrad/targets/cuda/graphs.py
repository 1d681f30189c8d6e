"""A plan that comes again with the same memory is done by CUDA graphs: one launch for many steps.

A captured launch has the addresses and the numbers that it had when it was captured. So a graph belongs to the
addresses of a run: in a training loop these are two sets in turn, since what a step makes lies where the step before
the last had it. A number that was another one in an earlier run (a seed, a counter, a learning rate) is never captured:
the steps that take it are launched between the graphs. So each run has the numbers of that run, random ones too.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from itertools import groupby
from typing import Any, NamedTuple

from lazygrad.targets.cuda.driver import Driver, NotCapturable

Ask = Callable[[], None]
_RUNS_BEFORE = 2  # with the same memory; numbers that change have changed by then
_KEPT = 8  # sets of memory, of which a loop uses two


class Asked(NamedTuple):
    """A step of a plan.

    Attributes:
        ask: asks the driver for it.
        numbers: the slots of the runtime scalars that it takes.
        waits: whether the host waits for it, or a library allocates memory for it, so that it cannot be captured.
    """

    ask: Ask
    numbers: frozenset[int]
    waits: bool = False


class GraphReplay:
    """The steps of a plan, some of them in graphs.

    Attributes:
        captured: how many graphs were made.
    """

    def __init__(self, driver: Driver, steps: Sequence[Asked]) -> None:
        self._driver, self._steps = driver, steps
        self._taken = sorted(frozenset().union(*[step.numbers for step in steps]))
        self._numbers: list[Any] | None = None
        self._varying: frozenset[int] = frozenset()
        self._runs: OrderedDict[Hashable, int] = OrderedDict()  # by memory, the latest last
        self._graphs: dict[Hashable, list[Ask]] = {}
        self._is_refused = False
        self.captured = 0

    def run(self, memory: Hashable, scalars: Sequence[Any]) -> None:
        """Do all steps, with what their arguments are now.

        Args:
            memory: all that captured steps depend on but numbers; hashable.
            scalars: the numbers, by slot.
        """
        self._note_numbers(scalars)
        for ask in self._asks_for(memory):
            ask()

    def _note_numbers(self, scalars: Sequence[Any]) -> None:
        numbers, before = [scalars[slot] for slot in self._taken], self._numbers
        if before is not None and numbers != before:
            pairs = zip(self._taken, numbers, before, strict=True)
            changed = frozenset(slot for slot, now, then in pairs if now != then) - self._varying
            if changed:
                self._varying |= changed
                self._graphs.clear()
        self._numbers = numbers

    def _asks_for(self, memory: Hashable) -> Sequence[Ask]:
        found = self._graphs.get(memory)
        if found is not None:
            return found
        runs = self._runs[memory] = self._runs.pop(memory, 0) + 1
        if len(self._runs) > _KEPT:
            forgotten, _ = self._runs.popitem(last=False)
            self._graphs.pop(forgotten, None)
        if runs > _RUNS_BEFORE and not self._is_refused:
            try:
                made = self._graphs[memory] = self._with_graphs()
                return made
            except NotCapturable:
                self._is_refused = True
        return [step.ask for step in self._steps]

    def _with_graphs(self) -> list[Ask]:
        """The steps, with those that follow each other and can be captured as one."""
        made: list[Ask] = []
        for captures, group in groupby(self._steps, self._can_be_captured):
            asks = [step.ask for step in group]
            made += [self._captured(asks)] if captures and len(asks) > 1 else asks
        return made

    def _can_be_captured(self, step: Asked) -> bool:
        return not step.waits and not step.numbers & self._varying

    def _captured(self, asks: Sequence[Ask]) -> Ask:
        def ask_all() -> None:
            for ask in asks:
                ask()

        driver = self._driver
        graph = driver.capture(ask_all)
        self.captured += 1
        return lambda: driver.replay(graph)
