"""Runs a plan's C driver: all kernels and calls of the plan in one foreign call."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from lazygrad.host.arena import arena
from lazygrad.host.buffer import Buffer, host_view
from lazygrad.host.calls import calls
from lazygrad.host.dtypes import to_numpy
from lazygrad.host.refusal import Refused
from lazygrad.host.strides import as_strided
from lazygrad.ir.node import Node
from lazygrad.ir.primitives.leaf import constant, scalar
from lazygrad.ir.view import View
from lazygrad.memory.slots import Place
from lazygrad.passes.views import view_of
from lazygrad.targets.base import LoweredProgram
from lazygrad.targets.c import library as c_library
from lazygrad.targets.c.build import build
from lazygrad.targets.c.driver import CDriver, DriverFacts
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
        facts = DriverFacts(source.arena_bytes, source.scalar_dtypes, source.uses_library, source.is_serial)
        name = source.kernels[0].name if source.kernels else "calls"
        flags = _OF_EDITED if source.edits else ()
        if source.uses_library:
            c_library.load()  # before the plan is compiled: without it that is no use
        super().__init__(build(source.text, name[:40], flags), facts)
        self._schedule, self._memory = program.schedule, program.memory
        self._is_edited = bool(source.edits)
        self._host: Any = _HostCall(self._on_host) if source.host_steps else None
        self._host_address = ctypes.cast(self._host, ctypes.c_void_p) if self._host else None
        self._live: tuple[Sequence[Buffer], Sequence[Buffer], Sequence[Any]] = ((), (), ())
        self._error: BaseException | None = None
        self._failed_step: int | None = None  # of the last call done by numpy that raised

    def run(self, inputs: Sequence[Buffer], outputs: Sequence[Buffer], scalars: Sequence[Any]) -> None:
        if self._host is None:
            super().run(inputs, outputs, scalars)
            return
        self._live = (inputs, outputs, scalars)
        outcome = self._outcome(inputs, outputs, scalars, self._host_address)
        self._live = ((), (), ())
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
            node = self._schedule.steps[step].nodes[0]
            arguments = [self._operand(source) for source in node.inputs]
            with np.errstate(all="ignore"):
                calls[node.op.name](self._stored(node), *arguments, **dict(node.named_attrs()))
        except BaseException as error:  # it cannot pass through C; `run` raises it
            self._error, self._failed_step = error, step
            return _REFUSED
        return _OK

    def _operand(self, node: Node) -> Any:
        base, view = view_of(node)
        if base.op is scalar:
            return self._live[2][base["slot"]]
        if base.op is constant:
            return base["value"]
        return _seen(self._stored(base), view)

    def _stored(self, node: Node) -> np.ndarray:
        if node in self._schedule.destinations:
            root, view = self._schedule.memory_of(node)
            return _seen(self._stored(root), view)
        slot = self._memory.slots[node]
        if slot.place is Place.ARENA:
            offset = self._memory.temporaries[slot.index].offset
            return np.ndarray(node.shape, to_numpy(node.dtype), arena.memory, offset)
        return host_view(self._live[0 if slot.place is Place.INPUT else 1][slot.index]).reshape(node.shape)


class ClockedCCode(CCode, Clocked):
    """A driver that notes the time after each step."""

    def __init__(self, source: CSource, program: LoweredProgram) -> None:
        super().__init__(source, program)
        self.readings = source.readings
        self._times = (ctypes.c_int64 * (len(source.readings) + 1)).in_dll(self._object, "readings")

    def nanoseconds(self) -> list[int]:
        return [after - before for before, after in pairwise(self._times)]


def _seen(array: np.ndarray, view: View) -> np.ndarray:
    """A view of a row-major array."""
    strides = tuple(stride * array.itemsize for stride in view.strides)
    return as_strided(array.reshape(-1)[view.offset :], view.shape, strides)
