"""A compiled plan: the five forms of one program, and the code that runs it."""

from __future__ import annotations

import linecache
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from itertools import count
from typing import Any

import numpy as np

from lazygrad.codegen.numpy_dtypes import to_numpy
from lazygrad.codegen.numpy_module import Source, render_module
from lazygrad.ir.graph import Graph
from lazygrad.passes.pipeline import Stages, run_passes
from lazygrad.passes.schedule import Schedule
from lazygrad.runtime.blas import serial_blas
from lazygrad.runtime.donation import Donation, find_donations


class _Arena:
    """One block of scratch memory, shared by all plans: only one runs at a time."""

    def __init__(self) -> None:
        self.memory = np.empty(0, np.uint8)

    def at_least(self, size: int) -> np.ndarray:
        if self.memory.nbytes < size:
            self.memory = np.empty(size, np.uint8)
        return self.memory


_arena = _Arena()
_numbers = count(1)


class Plan:
    """Everything known about one program.

    Attributes:
        stages: the recorded, primitive, fused and scheduled forms.
        source: the rendered module.
        donations: outputs that may be written over an input's memory.
        runs: how often it ran.
    """

    def __init__(self, recorded: Graph, fusion: bool = True) -> None:
        self.stages: Stages = run_passes(recorded, fusion)
        assert self.stages.schedule is not None
        self.schedule: Schedule = self.stages.schedule
        self.source: Source = render_module(self.schedule)
        self.donations: list[Donation] = find_donations(self.schedule, self.source.lowered)
        self.runs = 0
        self._function: Callable[..., None] | None = None
        self._arena_memory: np.ndarray | None = None
        self._arena_arrays: list[np.ndarray] = []
        self.number = next(_numbers)

    @property
    def kernel_calls(self) -> int:
        return sum(not group.is_library for group in self.schedule.steps)

    @property
    def library_calls(self) -> int:
        return sum(group.is_library for group in self.schedule.steps)

    def run(self, inputs: Sequence[np.ndarray], outputs: Sequence[np.ndarray], scalars: Sequence[Any]) -> None:
        """Run the module once. Arrays are in slot order; outputs are written in place."""
        if self._function is None:
            self._function = self._load()
        # BLAS stays single-threaded for the whole run: our threads call it side by side, and switching costs 7 µs.
        with np.errstate(all="ignore"), serial_blas if self.source.calls else nullcontext():
            self._function(inputs, outputs, self._arena(), scalars)
        self.runs += 1

    def _load(self) -> Callable[..., None]:
        filename = f"<lazygrad plan {self.number}>"
        text = self.source.text
        linecache.cache[filename] = (len(text), None, text.splitlines(keepends=True), filename)
        namespace: dict[str, Any] = {"__name__": f"lazygrad.plans.plan_{self.number}"}
        exec(compile(text, filename, "exec"), namespace)
        run: Callable[..., None] = namespace["run"]
        return run

    def _arena(self) -> list[np.ndarray]:
        memory = _arena.at_least(self.schedule.arena_bytes)
        if memory is not self._arena_memory:
            self._arena_arrays = [
                np.ndarray(t.node.shape, to_numpy(t.node.dtype), memory, t.offset) for t in self.schedule.temporaries
            ]
            self._arena_memory = memory
        return self._arena_arrays

    def __del__(self) -> None:
        if linecache is not None:
            linecache.cache.pop(f"<lazygrad plan {getattr(self, 'number', 0)}>", None)
