"""A plan whose sums have an atomic form and one in order: which of them runs is asked each time it runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from lazygrad.host.buffer import Buffer
from lazygrad.host.determinism import is_deterministic
from lazygrad.targets.cuda.module import CudaSource
from lazygrad.targets.executable import Executable


class OrderedOnDemand(Executable):
    """The program in the form that `use_deterministic_algorithms` asks for at the time of a run.

    So no plan that is kept, and no call that is replayed, runs the form of the other setting.

    Args:
        source: one form.
        render: renders the form that is asked for at that time.
        load: makes a form ready.
    """

    def __init__(
        self, source: CudaSource, render: Callable[[], CudaSource], load: Callable[[CudaSource], Executable]
    ) -> None:
        self._render, self._load = render, load
        self._last = load(source)
        self._forms: dict[bool | None, Executable] = {source.is_ordered: self._last}

    def run(self, inputs: Sequence[Buffer], outputs: Sequence[Buffer], scalars: Sequence[Any]) -> None:
        wanted = is_deterministic()
        if wanted not in self._forms:
            self._forms[wanted] = self._load(self._render())
        self._last = self._forms[wanted]
        self._last.run(inputs, outputs, scalars)

    def wait(self) -> None:
        self._last.wait()

    def failed_step(self, error: BaseException) -> int | None:
        return self._last.failed_step(error)
