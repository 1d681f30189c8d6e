"""The compiled driver of a plan: all its kernels and calls in one foreign call.

It knows nothing of how plans are made, so that a process whose plans come from the disk loads no compiler.
"""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from lazygrad.host.arena import arena
from lazygrad.host.buffer import Buffer
from lazygrad.host.disk_cache import intact_object
from lazygrad.host.dtypes import to_numpy
from lazygrad.host.refusal import Refused
from lazygrad.host.threads import chosen_threads, get_num_threads
from lazygrad.ir.dtype import DType, bfloat16, dtype_named
from lazygrad.targets.c import library as c_library
from lazygrad.targets.c import team
from lazygrad.targets.c.build import load_object
from lazygrad.targets.executable import Executable, Memory, StandingRun, StandingRuns

# A 16-byte slot per scalar, which holds the number in its own type.
_SLOT_FORMATS = {
    "bool": "?15x", "u8": "B15x", "i8": "b15x", "i16": "h14x", "i32": "i12x", "i64": "q8x", "w32": "I12x",
    "u16": "H14x", "u32": "I12x", "u64": "Q8x",
    "f16": "e14x", "bf16": "H14x", "f32": "f12x", "f64": "d8x", "c64": "2f8x", "c128": "2d",
}  # fmt: skip


_ONE_THREAD = ctypes.c_int32(1)


class _StandingRun(ctypes.Structure):
    """``standing_run`` of the team."""

    _fields_ = tuple((name, ctypes.c_void_p) for name in ("driver", "inputs", "outputs", "arena", "scalars", "threads"))


@dataclass(frozen=True, slots=True)
class DriverFacts:
    """What a driver needs beside its code.

    Attributes:
        arena_bytes: the scratch memory that a run takes.
        scalar_dtypes: of the runtime scalars, by slot.
        library: what the objects of the library that it calls are called in the cache on disk; they are loaded.
        is_serial: whether no step is worth a second thread.
    """

    arena_bytes: int
    scalar_dtypes: Mapping[int, DType]
    library: tuple[str, ...]
    is_serial: bool


class CDriver(Executable):
    """The loaded driver of one plan, all of whose calls C has.

    Args:
        path: of the shared object.
        facts: what it needs.

    Raises:
        BuildError: it cannot be loaded.
    """

    def __init__(self, path: Path, facts: DriverFacts) -> None:
        self._path, self._facts = path, facts
        self._team = team.load()
        self._object = load_object(path)
        self._driver = self._object.run
        self._driver.restype = ctypes.c_int32
        self._driver.argtypes = [ctypes.c_void_p] * 4 + [ctypes.c_int32, ctypes.c_void_p]
        self._arena_bytes, self._serial = facts.arena_bytes, facts.is_serial
        self._scalars = _ScalarSlots(facts.scalar_dtypes)
        self._addresses = _Addresses()

    def run(self, inputs: Sequence[Buffer], outputs: Sequence[Buffer], scalars: Sequence[Any]) -> None:
        if self._outcome(inputs, outputs, scalars, None):
            raise Refused

    def _outcome(
        self, inputs: Sequence[Buffer], outputs: Sequence[Buffer], scalars: Sequence[Any], host: ctypes.c_void_p | None
    ) -> int:
        """What the driver returns; ``host`` is what it calls for steps that numpy does."""
        given, wanted = self._addresses.of(inputs, outputs)
        if arena.memory.nbytes < self._arena_bytes:
            arena.at_least(self._arena_bytes)
        threads = 1 if self._serial else get_num_threads()
        packed = self._scalars.pack(scalars) if scalars else self._scalars.address
        outcome: int = self._driver(given, wanted, arena.address, packed, threads, host)
        return outcome

    def standing(self, memories: Sequence[Memory]) -> StandingRuns | None:
        arena.at_least(self._arena_bytes)
        scalars = _ScalarSlots(self._scalars.dtypes)
        return [self._standing(inputs, outputs, scalars) for inputs, outputs in memories], scalars.pack

    def _standing(
        self, inputs: Sequence[Buffer | None], outputs: Sequence[Buffer | None], scalars: _ScalarSlots
    ) -> StandingRun:
        known = [0 if value is None else value.address for value in (*inputs, *outputs)]
        places = (ctypes.c_uint64 * len(known))(*known)
        first = ctypes.addressof(places)
        run = _StandingRun(
            ctypes.cast(self._driver, ctypes.c_void_p).value,
            first,
            first + len(inputs) * ctypes.sizeof(ctypes.c_uint64),
            ctypes.addressof(arena.place),
            scalars.address,
            ctypes.addressof(_ONE_THREAD if self._serial else chosen_threads),
        )
        view = memoryview(places).cast("B").cast("Q")
        return StandingRun(self._team.lg_run_again, ctypes.addressof(run), view, (self, run, scalars))

    def kept(self) -> dict[str, Any] | None:
        facts = self._facts
        return {
            "object": self._path.stem,
            "team": team.entry(),
            "library": facts.library,
            "arena_bytes": facts.arena_bytes,
            "scalar_dtypes": {str(slot): dtype.short for slot, dtype in facts.scalar_dtypes.items()},
            "is_serial": facts.is_serial,
        }


def restored(kept: Mapping[str, Any]) -> CDriver | None:
    """The driver that `CDriver.kept` told of; None if an object that it needs is not there. Nothing is compiled.

    Raises:
        BuildError: it cannot be loaded.
        OSError: the cache cannot be read.
    """
    path = intact_object(kept["object"])
    if path is None or not team.load_built(kept["team"]) or not c_library.load_built(kept["library"]):
        return None
    dtypes = {int(slot): dtype_named(name) for slot, name in kept["scalar_dtypes"].items()}
    return CDriver(path, DriverFacts(kept["arena_bytes"], dtypes, tuple(kept["library"]), kept["is_serial"]))


class _Addresses:
    """Two arrays of pointers, one behind the other, that are filled anew for each run."""

    def __init__(self) -> None:
        self._pack = struct.Struct("").pack_into
        self._memory = ctypes.create_string_buffer(0)
        self._counts, self._places = (0, 0), (0, 0)

    def of(self, inputs: Sequence[Buffer], outputs: Sequence[Buffer]) -> tuple[int, int]:
        """The addresses of an array with where ``inputs`` lie, and of one for ``outputs``."""
        counts = len(inputs), len(outputs)
        if counts != self._counts:
            self._counts, layout = counts, struct.Struct(f"{sum(counts)}P")
            self._pack, self._memory = layout.pack_into, ctypes.create_string_buffer(layout.size)
            address = ctypes.addressof(self._memory)
            self._places = address, address + counts[0] * struct.calcsize("P")
        buffers = [*inputs, *outputs]
        self._pack(self._memory, 0, *[value.known_address or value.address for value in buffers])
        return self._places


class _ScalarSlots:
    """Packs Python numbers into the slots the driver reads.

    Attributes:
        dtypes: by slot.
        address: of the slots.
    """

    def __init__(self, dtypes: Mapping[int, DType]) -> None:
        self.dtypes = dtypes
        count = max(dtypes, default=-1) + 1
        formats = [_SLOT_FORMATS[dtypes[i].short] if i in dtypes else "16x" for i in range(count)]
        self._struct = struct.Struct("<" + "".join(formats))
        self._memory = ctypes.create_string_buffer(max(16, self._struct.size))
        self.address = ctypes.addressof(self._memory)
        self._slots = [(i, dtypes[i]) for i in sorted(dtypes)]
        self._plain = all(dtype is not bfloat16 and not dtype.is_complex for dtype in dtypes.values())

    def pack(self, scalars: Sequence[Any]) -> int:
        """The address of the slots."""
        if self._slots:
            values = [scalars[i] for i, _ in self._slots] if self._plain else self._converted(scalars)
            try:
                self._struct.pack_into(self._memory, 0, *values)
            except OverflowError:  # too large for its type: infinity, as numpy has it
                self._struct.pack_into(self._memory, 0, *self._converted(scalars))
        return self.address

    def _converted(self, scalars: Sequence[Any]) -> list[Any]:
        values: list[Any] = []
        with np.errstate(all="ignore"):
            for i, dtype in self._slots:
                number = to_numpy(dtype).type(scalars[i])
                if dtype.is_complex:
                    values += [number.real.item(), number.imag.item()]
                else:
                    values.append(number.view(np.uint16).item() if dtype is bfloat16 else number.item())
        return values
