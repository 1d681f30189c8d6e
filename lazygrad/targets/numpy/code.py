"""Runs a plan's numpy module."""

from __future__ import annotations

import linecache
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from typing import Any

import numpy as np

from lazygrad.host.arena import arena
from lazygrad.host.blas import serial_blas
from lazygrad.host.dtypes import to_numpy
from lazygrad.passes.schedule import Schedule
from lazygrad.targets.numpy.module import Source


class NumpyCode:
    """The loaded module of one plan.

    Args:
        source: the module.
        schedule: the plan, for the arena's contents.
        number: of the plan, for the module's name in tracebacks.
    """

    def __init__(self, source: Source, schedule: Schedule, number: int) -> None:
        self._temporaries = schedule.temporaries
        self._arena_bytes = schedule.arena_bytes
        # BLAS stays single-threaded for the whole run: our threads call it side by side, and switching costs 7 µs.
        self._blas = serial_blas if source.calls else nullcontext()
        self._memory: np.ndarray | None = None
        self._arrays: list[np.ndarray] = []
        self._filename = f"<lazygrad plan {number}>"
        self._source = source
        self._run = self._load(source.text, number)

    def run(self, inputs: Sequence[np.ndarray], outputs: Sequence[np.ndarray], scalars: Sequence[Any]) -> None:
        """Run once. Arrays are in slot order; outputs are written in place."""
        with np.errstate(all="ignore"), self._blas:
            self._run(inputs, outputs, self.arena_arrays(), scalars)

    def failed_step(self, error: BaseException) -> int | None:
        """The number of the step that raised an error in `run`."""
        trace = error.__traceback__
        while trace is not None:
            code = trace.tb_frame.f_code
            if code.co_filename == self._filename and code.co_name == "run":
                return self._source.step_of_line(trace.tb_lineno)
            trace = trace.tb_next
        return None

    def arena_arrays(self) -> list[np.ndarray]:
        """The temporaries as arrays in the arena as it is now."""
        memory = arena.at_least(self._arena_bytes)
        if memory is not self._memory:
            self._arrays = [
                np.ndarray(t.node.shape, to_numpy(t.node.dtype), memory, t.offset) for t in self._temporaries
            ]
            self._memory = memory
        return self._arrays

    def _load(self, text: str, number: int) -> Callable[..., None]:
        linecache.cache[self._filename] = (len(text), None, text.splitlines(keepends=True), self._filename)
        namespace: dict[str, Any] = {"__name__": f"lazygrad.plans.plan_{number}"}
        exec(compile(text, self._filename, "exec"), namespace)
        run: Callable[..., None] = namespace["run"]
        return run

    def __del__(self) -> None:
        if linecache is not None:
            linecache.cache.pop(getattr(self, "_filename", ""), None)
