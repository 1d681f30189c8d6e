"""A plan that comes again with the same memory is done by a CUDA graph: one launch for all its steps.

A captured launch has the addresses that it had when it was captured. So a graph belongs to the addresses of a run: in
a training loop these are two sets in turn, since what a step makes lies where the step before the last had it. Numbers
are read from the device's memory by the kernels themselves (see `numbers`), so each run has the numbers of that run,
random ones too. A step that cannot be part of a graph is asked for between two.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from itertools import groupby
from typing import NamedTuple

from lazygrad.targets.cuda.driver import Driver, NotCapturable

Ask = Callable[[], None]
_RUNS_BEFORE = 2  # with the same memory
_KEPT = 8  # sets of memory, of which a loop uses two


class Asked(NamedTuple):
    """A step of a plan.

    Attributes:
        ask: asks the driver for it, with the parameters that were bound last; that of a step apart looks for itself
            where its operands are.
        why_apart: why it cannot be part of a graph, for people; empty where it can.
    """

    ask: Ask
    why_apart: str = ""


class GraphReplay:
    """The steps of a plan, done by graphs where they can be.

    Attributes:
        captured: how many graphs were made.
        refusal: why the device captures nothing of the plan, for people; empty where it does, or was not asked yet.
    """

    def __init__(self, driver: Driver, steps: Sequence[Asked]) -> None:
        self._driver, self._steps = driver, steps
        self._runs: OrderedDict[Hashable, int] = OrderedDict()  # by memory, the latest last
        self._graphs: dict[Hashable, list[Ask]] = {}
        self.captured, self.refusal = 0, ""

    @property
    def apart(self) -> list[str]:
        """Why steps are not part of a graph, for people."""
        return [step.why_apart for step in self._steps if step.why_apart] + ([self.refusal] if self.refusal else [])

    def run(self, memory: Hashable, bind: Callable[[], None]) -> None:
        """Do all steps.

        Args:
            memory: all that they depend on.
            bind: gives the parameters of launches their values, which graphs have already.
        """
        for ask in self._graphs.get(memory) or self._asks_for(memory, bind):
            ask()

    def _asks_for(self, memory: Hashable, bind: Callable[[], None]) -> Sequence[Ask]:
        bind()
        runs = self._runs[memory] = self._runs.pop(memory, 0) + 1
        if len(self._runs) > _KEPT:
            forgotten, _ = self._runs.popitem(last=False)
            self._graphs.pop(forgotten, None)
        if runs > _RUNS_BEFORE and len(self._steps) > 1 and not self.refusal:
            try:
                made = self._graphs[memory] = self._with_graphs()
                return made
            except NotCapturable as error:
                self.refusal = str(error)
        return [step.ask for step in self._steps]

    def _with_graphs(self) -> list[Ask]:
        """The steps, with those that follow each other and can be captured as one."""
        made: list[Ask] = []
        for is_apart, group in groupby(self._steps, lambda step: bool(step.why_apart)):
            asks = [step.ask for step in group]
            made += asks if is_apart else [self._captured(asks)]
        return made

    def _captured(self, asks: Sequence[Ask]) -> Ask:
        def ask_all() -> None:
            for ask in asks:
                ask()

        driver = self._driver
        graph = driver.capture(ask_all)
        self.captured += 1
        return lambda: driver.replay(graph)
