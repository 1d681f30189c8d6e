"""The runtime scalars of a plan, in memory of the device.

Kernels read them there. So a launch is the same in each run, whatever a seed, a counter or a learning rate is, and can
be captured. What has changed since the run before is copied by one asynchronous copy ahead of the plan's work.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from struct import Struct
from typing import Any, Protocol

import numpy as np

from lazygrad.host.buffer import Buffer
from lazygrad.host.dtypes import to_numpy
from lazygrad.ir.dtype import bool_
from lazygrad.targets.cuda.driver import Driver
from lazygrad.targets.cuda.table import Number

_BYTES = 8  # of each, the largest one's; a complex one is two
_FORMATS = {
    "bool": "?", "u8": "B", "i8": "b", "i16": "h", "u16": "H", "i32": "i", "w32": "I", "u32": "I", "i64": "q",
    "u64": "Q", "f16": "f", "bf16": "f", "f32": "f", "f64": "d", "c64": "f", "c128": "d",
}  # fmt: skip


class PlanMemory(Protocol):
    """What a plan needs of the device's memory."""

    @property
    def driver(self) -> Driver:
        """Of the device."""

    def scratch(self, size: int) -> int:
        """The address of ``size`` bytes for the time of a run."""

    def allocate_bytes(self, size: int) -> Any:
        """Memory until it is given to `free`."""

    def free(self, memory: Any) -> None:
        """Take memory back."""

    def address(self, memory: Any) -> int:
        """Where it begins."""

    def pinned(self, size: int) -> np.ndarray:
        """Bytes of the host that the device reads by itself."""

    def work(self, inputs: Sequence[Buffer], outputs: Sequence[Buffer]) -> AbstractContextManager[None]:
        """Inside of this context a plan asks for its work, on the current stream."""


class Numbers:
    """The numbers of a plan, each at an address of its own.

    Args:
        wanted: what kernels take; equal ones have one address.
        memory: of the device.
    """

    def __init__(self, wanted: Sequence[Number], memory: PlanMemory) -> None:
        self._numbers, self._memory = tuple(dict.fromkeys(wanted)), memory
        self._offsets = {number: _BYTES * i for i, number in enumerate(self._numbers)}
        self._layout = Struct("=" + "".join(map(_format, self._numbers)))
        self._blocks: dict[int, Any] = {}  # by stream, whose work is in order
        self._held: dict[int, bytes] = {}

    @property
    def start(self) -> int:
        """The address of the first, for the current stream; 0 where there are none, or before the first `put`."""
        block = self._blocks.get(self._memory.driver.stream)
        return 0 if block is None else self._memory.address(block)

    def offset(self, number: Number) -> int:
        """Bytes from `start`."""
        return self._offsets[number]

    def put(self, scalars: Sequence[Any]) -> None:
        """Let work that is asked for from now on read these numbers, which are given by slot."""
        if not self._numbers:
            return
        wanted = self._layout.pack(*[converted(scalars[number.slot], number) for number in self._numbers])
        stream = self._memory.driver.stream
        if wanted == self._held.get(stream):
            return
        if stream not in self._blocks:
            self._blocks[stream] = self._memory.allocate_bytes(len(wanted))
        pinned = self._memory.pinned(len(wanted))
        pinned[:] = np.frombuffer(wanted, np.uint8)
        self._memory.driver.copy_in_later(pinned, self.start)
        self._held[stream] = wanted

    def __del__(self) -> None:
        for block in getattr(self, "_blocks", {}).values():
            self._memory.free(block)


def _format(number: Number) -> str:
    code = _FORMATS[number.dtype.short]
    return f"{code}{_BYTES - Struct('=' + code).size}x"


def converted(value: Any, number: Number) -> Any:
    """What a kernel reads for a runtime scalar."""
    if number.dtype is bool_:
        return bool(value)
    with np.errstate(all="ignore"):
        held = to_numpy(number.dtype).type(value)
    if number.part:
        return float(held.real if number.part == "real" else held.imag)
    return float(held) if number.dtype.is_floating_point else int(held)
