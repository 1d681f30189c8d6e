"""Runs a plan's C driver: all kernels and calls of the plan in one foreign call."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from lazygrad.host.buffer import Buffer
from lazygrad.host.quiet import quietly
from lazygrad.host.refusal import Refused
from lazygrad.targets.base import LoweredProgram
from lazygrad.targets.c import library as c_library
from lazygrad.targets.c.build import build
from lazygrad.targets.c.driver import CDriver, DriverFacts
from lazygrad.targets.c.host_steps import NOTHING, Given, HostStep
from lazygrad.targets.c.module import CSource
from lazygrad.targets.executable import Clocked, Memory, StandingRuns

_HostCall = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_int32)
_OK, _REFUSED = 0, 1
_OF_EDITED = ("-Werror=implicit-function-declaration",)  # else a name that nobody defines is found by the loader


class CCode(CDriver):
    """The compiled and loaded driver of one plan, which calls back for what only numpy computes.

    Raises:
        BuildError: it cannot be compiled.
    """

    def __init__(self, source: CSource, program: LoweredProgram) -> None:
        name = source.kernels[0].name if source.kernels else "calls"
        flags = _OF_EDITED if source.edits else ()
        path = build(source.text, name[:40], flags, meanwhile=lambda: c_library.load(source.library_calls))
        library = c_library.load(source.library_calls)
        super().__init__(path, DriverFacts(source.arena_bytes, source.scalar_dtypes, library, source.is_serial))
        self._host_steps = {
            step: HostStep(program.schedule.steps[step].nodes[0], program.schedule, program.memory)
            for step in source.host_steps
        }
        self._is_edited = bool(source.edits)
        self._host: Any = _HostCall(self._on_host) if source.host_steps else None
        self._host_address = ctypes.cast(self._host, ctypes.c_void_p) if self._host else None
        self._given = NOTHING
        self._error: BaseException | None = None
        self._failed_step: int | None = None  # of the last call done by numpy that raised

    def run(self, inputs: Sequence[Buffer], outputs: Sequence[Buffer], scalars: Sequence[Any]) -> None:
        if self._host is None:
            super().run(inputs, outputs, scalars)
            return
        self._given = Given(inputs, outputs, scalars)
        outcome = quietly(self._outcome, inputs, outputs, scalars, self._host_address)
        self._given = NOTHING
        if outcome:
            error, self._error = self._error, None
            raise error or Refused

    def standing(self, memories: Sequence[Memory]) -> StandingRuns | None:
        return None if self._host is not None else super().standing(memories)

    def kept(self) -> dict[str, Any] | None:
        return None if self._host is not None or self._is_edited else super().kept()

    def failed_step(self, error: BaseException) -> int | None:
        return self._failed_step

    def _on_host(self, step: int) -> int:
        """A call that C lacks, done by numpy."""
        try:
            self._host_steps[step].run(self._given)
        except BaseException as error:  # it cannot pass through C; `run` raises it
            self._error, self._failed_step = error, step
            return _REFUSED
        return _OK


class ClockedCCode(CCode, Clocked):
    """A driver that notes the time after each step."""

    def __init__(self, source: CSource, program: LoweredProgram) -> None:
        super().__init__(source, program)
        self.readings = source.readings
        self._times = (ctypes.c_int64 * (len(source.readings) + 1)).in_dll(self._object, "readings")

    def nanoseconds(self) -> list[int]:
        return [after - before for before, after in pairwise(self._times)]
