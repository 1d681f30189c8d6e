"""A device that is no GPU: it runs the very source that a GPU would, on the CPU, and says what it does wrong.

Its memory is known by addresses only, and begins as NaN. A kernel fails where it uses memory that is not there, reads
what nobody has written, races, or waits for a thread that does not come.
"""

from __future__ import annotations

import ctypes
import re
import subprocess
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from enum import IntEnum
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from lazygrad.host.dtypes import to_numpy
from lazygrad.targets.c.loading import load_shared_object
from lazygrad.targets.c.process import BuildError
from lazygrad.targets.cuda.cupy_routines import compute
from lazygrad.targets.cuda.driver import Argument, Driver, Launch, Layout, LibraryCall, OutOfMemory, Product
from tests.cuda.fake_cupy_libraries import FakeBindings
from tests.cuda_emulator.build import build_program, runtime

_UNWRITTEN, _WRITTEN = 1, 3  # states of bytes, as in runtime/memory.cpp; 0 is no memory
_PAGE = 4096
_GAP = 256  # behind each allocation
_LARGEST_BLOCK = 1024
_LARGEST_GRID = (2**31 - 1, 2**16 - 1, 2**16 - 1)
_STATIC_SHARED_BYTES = 48 << 10
_SHARED_BYTES = 163 << 10  # of sm_80, where a kernel has asked for more than 48 KiB
_PARAMETER_BYTES = 4096
_POISON = 0xFF

_LAUNCH_BOUNDS = re.compile(r"__launch_bounds__\(\s*(?P<threads>\d+)[^)]*\)\s*(?P<kernel>\w+)\s*\(")


class KernelError(AssertionError):
    """A kernel did, or was asked for, what a GPU does not allow or leaves undefined.

    It is no RuntimeError, which a program under test may catch.
    """


class Order(IntEnum):
    """In which order blocks run, and the threads of a block."""

    ASCENDING = 0
    DESCENDING = 1
    SHUFFLED = 2


@dataclass
class Counts:
    """What was done with the device since `reset`.

    Attributes:
        live_bytes: memory that was not given back; `reset` leaves it.
    """

    allocations: int = 0
    frees: int = 0
    copies_in: int = 0
    copies_out: int = 0
    copies: int = 0
    launches: int = 0
    products: int = 0
    library_calls: int = 0
    bytes_out: int = 0
    live_bytes: int = 0

    def reset(self) -> None:
        for field in fields(self):
            if field.name != "live_bytes":
                setattr(self, field.name, 0)


class _Launch(ctypes.Structure):
    _fields_ = (
        ("name", ctypes.c_char_p),
        ("kernel", ctypes.c_void_p),
        ("values", ctypes.c_void_p),
        ("grid", ctypes.c_uint * 3),
        ("block", ctypes.c_uint),
        ("shared_bytes", ctypes.c_uint),
        ("order", ctypes.c_uint),
        ("seed", ctypes.c_uint),
        ("shared_begin", ctypes.c_void_p),
        ("shared_end", ctypes.c_void_p),
    )


class _Failure(ctypes.Structure):
    _fields_ = (("text", ctypes.c_char * 1024), ("object", ctypes.c_char * 512), ("offset", ctypes.c_size_t))


@dataclass(frozen=True)
class _Program:
    """Attributes:
    shared: where its static shared memory begins and ends.
    """

    path: Path
    lines: Sequence[str]
    shared: tuple[int, int]


@dataclass(frozen=True)
class Kernel:
    """A kernel that was loaded.

    Attributes:
        address: of the function that takes pointers to its parameters.
        sizes: of its parameters, in bytes.
        bound: how many threads a block may have.
    """

    name: str
    program: _Program
    address: int
    sizes: tuple[int, ...]
    bound: int


class _Arena(NamedTuple):
    """All memory that the device can have, and the state of each byte."""

    begin: int
    memory: np.ndarray
    states: np.ndarray


@cache
def _arena() -> _Arena:
    begin, states, size = ctypes.c_size_t(), ctypes.c_size_t(), ctypes.c_size_t()
    if not runtime().emulator_arena(ctypes.byref(begin), ctypes.byref(states), ctypes.byref(size)):
        raise MemoryError("there are no addresses for the emulated device's memory")
    whole = ctypes.c_uint8 * size.value
    views = (np.frombuffer(whole.from_address(first.value), np.uint8) for first in (begin, states))
    return _Arena(begin.value, *views)


class EmulatedDriver(Driver):
    """A device whose kernels g++ has compiled for the CPU.

    Attributes:
        order, seed: see `Order`; the seed is that of a shuffle.
        capacity: bytes that it has.
        counts: of what was done.
    """

    name = "emulated"
    architecture = "sm_80"

    _next = 0  # offset of the next allocation in the arena, which all devices share; none is used twice

    def __init__(self, order: Order = Order.ASCENDING, seed: int = 0, capacity: int = 8 << 30) -> None:
        self.order, self.seed, self.capacity, self.counts = order, seed, capacity, Counts()
        self._sizes: dict[int, int] = {}  # of the allocations, by address

    def allocate(self, size: int) -> int:
        if self.counts.live_bytes + size > self.capacity:
            raise OutOfMemory(f"{size} bytes were asked for, and {self.capacity - self.counts.live_bytes} are free")
        arena, first = _arena(), EmulatedDriver._next
        EmulatedDriver._next += _whole(size)
        arena.memory[first : first + size] = _POISON
        arena.states[first : first + size] = _UNWRITTEN
        self._sizes[arena.begin + first] = size
        self.counts.allocations += 1
        self.counts.live_bytes += size
        return arena.begin + first

    def free(self, address: int) -> None:
        size = self._sizes.pop(address)  # a KeyError is memory that was given back twice
        runtime().emulator_free(ctypes.c_size_t(address), ctypes.c_size_t(_whole(size)))
        self.counts.frees += 1
        self.counts.live_bytes -= size

    def copy_in(self, source: np.ndarray, target: int) -> None:
        assert source.flags.c_contiguous
        self._write(target, np.frombuffer(source.tobytes(), np.uint8))
        self.counts.copies_in += 1

    def copy_out(self, source: int, target: np.ndarray) -> None:
        assert target.flags.c_contiguous and target.flags.writeable
        memory, _ = self._range(source, target.nbytes)
        target[...] = np.frombuffer(memory.tobytes(), target.dtype).reshape(target.shape)
        self.counts.copies_out += 1
        self.counts.bytes_out += target.nbytes

    def copy(self, source: int, target: int, size: int) -> None:
        for read, written in zip(self._range(source, size), self._range(target, size), strict=True):
            written[...] = read.copy()  # the states too: what nobody has written is that in the copy
        self.counts.copies += 1

    def fill(self, target: int, byte: int, size: int) -> None:
        self._write(target, np.uint8(byte), size)

    def _write(self, target: int, content: np.ndarray | np.uint8, size: int | None = None) -> None:
        memory, states = self._range(target, content.nbytes if size is None else size)
        memory[...] = content
        states[...] = _WRITTEN

    def _range(self, address: int, size: int) -> tuple[np.ndarray, np.ndarray]:
        """Bytes of the device, all of one allocation, and their states."""
        begin = self._allocation(address)
        if size and (begin is None or address + size > begin + self._sizes[begin]):
            raise KernelError(f"{size} bytes at {address:#x} are not the device's: {self._described(address)}")
        arena = _arena()
        first = address - arena.begin
        return arena.memory[first : first + size], arena.states[first : first + size]

    def _allocation(self, address: int) -> int | None:
        """The address of the last allocation that begins there or before."""
        begins = list(self._sizes)  # later ones have higher addresses
        place = bisect_right(begins, address)
        return begins[place - 1] if place else None

    def load(self, source: str, kernels: Sequence[str]) -> Mapping[str, Kernel]:
        try:
            runtime()
            path = build_program(source, kernels)
        except BuildError as error:
            raise RuntimeError(f"{error.reason}\n{error.output}") from error
        library = load_shared_object(path)
        begin, end = ctypes.c_size_t(), ctypes.c_size_t()
        library.emulated_shared_memory(ctypes.byref(begin), ctypes.byref(end))
        program = _Program(path, source.splitlines(), (begin.value, end.value))
        bounds = {found["kernel"]: int(found["threads"]) for found in _LAUNCH_BOUNDS.finditer(source)}
        return {name: _kernel(library, program, name, bounds.get(name, _LARGEST_BLOCK)) for name in kernels}

    def launch(self, kernel: Kernel, launch: Launch, arguments: Sequence[Argument]) -> None:
        self._check(kernel, launch, arguments)
        pointers = (ctypes.c_void_p * len(arguments))(*map(ctypes.addressof, arguments))
        begin, end = kernel.program.shared
        asked = _Launch(
            launch.kernel.encode(),
            kernel.address,
            ctypes.addressof(pointers),
            (ctypes.c_uint * 3)(*launch.grid),
            launch.block,
            launch.shared_bytes,
            self.order,
            self.seed,
            begin,
            end,
        )
        run = runtime().emulator_launch
        run.restype = ctypes.POINTER(_Failure)
        failure = run(ctypes.byref(asked))
        self.counts.launches += 1
        if failure:
            raise KernelError(self._explained(failure.contents, kernel))

    def _check(self, kernel: Kernel, launch: Launch, arguments: Sequence[Argument]) -> None:
        """What a GPU refuses to launch."""
        wrong = None
        sizes = tuple(map(ctypes.sizeof, arguments))
        static = kernel.program.shared[1] - kernel.program.shared[0]
        if launch.kernel != kernel.name:
            wrong = f"the launch is one of {launch.kernel}"
        elif sizes != kernel.sizes:
            wrong = f"its parameters have {kernel.sizes} bytes, and the arguments {sizes}"
        elif sum(sizes) > _PARAMETER_BYTES:
            wrong = f"its parameters take {sum(sizes)} bytes, and may take {_PARAMETER_BYTES}"
        elif not 0 < launch.block <= kernel.bound:
            wrong = f"a block of {launch.block} threads, where its bounds allow {kernel.bound}"
        elif not all(0 < blocks <= most for blocks, most in zip(launch.grid, _LARGEST_GRID, strict=True)):
            wrong = f"a grid of {launch.grid} blocks"
        elif static > _STATIC_SHARED_BYTES or static + launch.shared_bytes > _SHARED_BYTES:
            wrong = f"{static} bytes of static and {launch.shared_bytes} of dynamic shared memory"
        if wrong:
            raise KernelError(f"kernel {kernel.name} cannot be launched: {wrong}")

    def _explained(self, failure: _Failure, kernel: Kernel) -> str:
        """What the emulator says, with the line of the source and the allocation that it means."""
        text = failure.text.decode(errors="replace")
        address = re.search(r"global memory at (0x[0-9a-f]+)", text)
        lines = [text, f"  {self._described(int(address[1], 16))}" if address else ""]
        number = _line_of(failure.object.decode(), failure.offset) if failure.offset else None
        if number is None and (said := re.search(r"line (\d+)", text)):
            number = int(said[1])
        if number is not None and 0 < number <= len(kernel.program.lines):
            lines.append(f"  line {number}: {kernel.program.lines[number - 1].strip()}")
        return "\n".join(filter(None, lines))

    def _described(self, address: int) -> str:
        begin = self._allocation(address)
        if begin is None:
            return f"{address:#x} lies before all allocations"
        size = self._sizes[begin]
        behind = address - begin - size
        where = f"byte {address - begin}" if behind < 0 else f"{behind} bytes behind the end"
        return f"{address:#x} is {where} of the {size} bytes at {begin:#x}"

    def multiply(self, product: Product, a: int, b: int, out: int) -> None:
        """By numpy, in float32 for the 16-bit floats, whose sums a GPU takes so, too."""
        batch, rows, columns, length = product.sizes
        left = self._matrices(product, a, product.a, (batch, rows, length))
        right = self._matrices(product, b, product.b, (batch, length, columns))
        result = self._matrices(product, out, (*product.out, False), (batch, rows, columns), product.beta != 0)
        wide = np.result_type(left.values.dtype, np.float32) if product.dtype.itemsize < 4 else left.values.dtype
        total = product.alpha * (left.values.astype(wide) @ right.values.astype(wide))
        if product.beta:
            total += product.beta * result.values.astype(wide)
        result.values[...] = total.astype(result.values.dtype)
        result.states[...] = _WRITTEN
        self.counts.products += 1

    def _matrices(
        self, product: Product, address: int, strides: tuple[int, int, bool], shape: tuple[int, ...], read: bool = True
    ) -> _Matrices:
        between, row, transposed = strides
        batch, rows, columns = shape
        if transposed:
            rows, columns = columns, rows
        size = product.dtype.itemsize
        extent = ((batch - 1) * between + (rows - 1) * row + columns) * size if batch and rows and columns else 0
        memory, states = self._range(address, extent)
        values = np.ndarray(
            (batch, rows, columns), to_numpy(product.dtype), memory, 0, (between * size, row * size, size)
        )
        seen = np.ndarray((batch, rows, columns, size), np.uint8, states, 0, (between * size, row * size, size, 1))
        if read and (seen < _WRITTEN).any():
            raise KernelError(f"a product reads what nobody has written: {self._described(address)}")
        return _Matrices(values.swapaxes(1, 2) if transposed else values, seen)

    def compute(self, call: LibraryCall, operands: Sequence[int], results: Sequence[int], word: int | None) -> None:
        """By the routines that a GPU runs, on numpy's arrays."""
        read = [self._strided(layout, at) for layout, at in zip(call.operands, operands, strict=True)]
        for array, address in zip(read, operands, strict=True):
            if (array.states < _WRITTEN).any():
                raise KernelError(f"{call.routine} reads what nobody has written: {self._described(address)}")
        made = [self._strided(layout, at) for layout, at in zip(call.results, results, strict=True)]
        refused = None if word is None else self._range(word, 4)[0].view(np.int32)
        compute(FakeBindings(), call, [x.values for x in read], [x.values for x in made], refused)
        for array in made:
            array.states[...] = _WRITTEN
        self.counts.library_calls += 1

    def _strided(self, layout: Layout, address: int) -> _Strided:
        dtype = to_numpy(layout.dtype)
        steps = [(size - 1) * stride for size, stride in zip(layout.shape, layout.strides, strict=True)]
        if 0 in layout.shape:
            return _Strided(np.empty(layout.shape, dtype), np.full(layout.shape, _WRITTEN, np.uint8))
        first, last = sum(step for step in steps if step < 0), sum(step for step in steps if step > 0)
        memory, states = self._range(address + first * dtype.itemsize, (last - first + 1) * dtype.itemsize)
        strides, start = tuple([stride * dtype.itemsize for stride in layout.strides]), -first * dtype.itemsize
        seen = np.ndarray((*layout.shape, dtype.itemsize), np.uint8, states, start, (*strides, 1))
        return _Strided(np.ndarray(layout.shape, dtype, memory, start, strides), seen)

    def synchronize(self) -> None:
        """Nothing is left to wait for: a launch returns when the kernel has ended."""


class _Strided(NamedTuple):
    """An array of the device, and the states of its bytes."""

    values: np.ndarray
    states: np.ndarray


class _Matrices(NamedTuple):
    """Matrices of the device, and the states of their bytes."""

    values: np.ndarray
    states: np.ndarray


def _whole(size: int) -> int:
    """The pages that an allocation takes, with the gap behind it."""
    return -(-(size + _GAP) // _PAGE) * _PAGE


def _kernel(library: ctypes.CDLL, program: _Program, name: str, bound: int) -> Kernel:
    sizes = (ctypes.c_uint * (_PARAMETER_BYTES // 4))()
    count = library[f"sizes_of_{name}"](sizes)
    address = ctypes.cast(library[f"emulated_{name}"], ctypes.c_void_p).value
    assert address is not None
    return Kernel(name, program, address, tuple(sizes[:count]), bound)


def _line_of(path: str, offset: int) -> int | None:
    """The line of the program that an instruction of it stands for, by the object's debugging information."""
    command = ["addr2line", "-i", "-e", path, hex(offset)]
    try:
        printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return None
    found = re.search(r"object\.c:(\d+)", printed)
    return None if found is None else int(found[1])
