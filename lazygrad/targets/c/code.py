"""Runs a plan's C driver: all kernels and calls of the plan in one foreign call."""

from __future__ import annotations

import ctypes
import struct
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
from lazygrad.host.threads import chosen_threads, get_num_threads
from lazygrad.ir.dtype import DType, bfloat16
from lazygrad.ir.node import Node
from lazygrad.ir.primitives.leaf import constant, scalar
from lazygrad.ir.view import View
from lazygrad.memory.plan import Place
from lazygrad.passes.views import view_of
from lazygrad.targets.base import Clocked, Executable, LoweredProgram, Memory, StandingRun, StandingRuns
from lazygrad.targets.c import library as c_library
from lazygrad.targets.c import team
from lazygrad.targets.c.build import build, load_object
from lazygrad.targets.c.module import CSource

_HostCall = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_int32)
_OK, _REFUSED = 0, 1
_OF_EDITED = ("-Werror=implicit-function-declaration",)  # else a name that nobody defines is found by the loader

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


class CCode(Executable):
    """The compiled and loaded driver of one plan.

    Raises:
        BuildError: it cannot be compiled.
    """

    def __init__(self, source: CSource, program: LoweredProgram) -> None:
        self._team = team.load()
        if source.uses_library:
            c_library.load()
        name = source.kernels[0].name if source.kernels else "calls"
        flags = _OF_EDITED if source.edits else ()
        self._object = load_object(build(source.text, name[:40], flags))
        self._driver = self._object.run
        self._driver.restype = ctypes.c_int32
        self._driver.argtypes = [ctypes.c_void_p] * 4 + [ctypes.c_int32, ctypes.c_void_p]
        self._schedule, self._memory, self._arena_bytes = program.schedule, program.memory, source.arena_bytes
        self._serial = source.is_serial
        self._scalars = _ScalarSlots(source.scalar_dtypes)
        self._addresses = _Addresses()
        self._host: Any = _HostCall(self._on_host) if source.host_steps else None
        self._host_address = ctypes.cast(self._host, ctypes.c_void_p) if self._host else None
        self._live: tuple[Sequence[Buffer], Sequence[Buffer], Sequence[Any]] = ((), (), ())
        self._error: BaseException | None = None
        self._failed_step: int | None = None  # of the last call done by numpy that raised

    def run(self, inputs: Sequence[Buffer], outputs: Sequence[Buffer], scalars: Sequence[Any]) -> None:
        given, wanted = self._addresses.of(inputs, outputs)
        if arena.memory.nbytes < self._arena_bytes:
            arena.at_least(self._arena_bytes)
        threads = 1 if self._serial else get_num_threads()
        packed = self._scalars.pack(scalars) if scalars else self._scalars.address
        if self._host is None:
            outcome = self._driver(given, wanted, arena.address, packed, threads, None)
        else:
            self._live = (inputs, outputs, scalars)
            outcome = self._driver(given, wanted, arena.address, packed, threads, self._host_address)
            self._live = ((), (), ())
        if outcome:
            error, self._error = self._error, None
            raise error or Refused

    def standing(self, memories: Sequence[Memory]) -> StandingRuns | None:
        if self._host is not None:
            return None
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

    def __init__(self, dtypes: dict[int, DType]) -> None:
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
