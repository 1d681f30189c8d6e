"""A GPU through cupy: its bindings of CUDA's runtime for memory, streams and graphs, and of the driver for launches.

lazygrad has its own allocator, compiles its own programs and prepares the parameters of a launch once. Only libraries
work on cupy's arrays, in memory of cupy's pool.
"""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from functools import cached_property
from typing import TYPE_CHECKING, Any

import cupy
import numpy as np

from lazygrad.host.forks import unlocked_in_child
from lazygrad.targets.cuda import nvrtc
from lazygrad.targets.cuda.cublas import Cublas
from lazygrad.targets.cuda.driver import (
    Argument,
    Driver,
    Launch,
    LibraryCall,
    NotCapturable,
    OutOfMemory,
    Product,
    Properties,
)

if TYPE_CHECKING:
    from lazygrad.targets.cuda.cupy_libraries import CupyLibraries

_runtime, _driver = cupy.cuda.runtime, cupy.cuda.driver
_OUT_OF_MEMORY, _NOT_READY = 2, 600  # cudaErrorMemoryAllocation, cudaErrorNotReady
_WITHOUT_OPT_IN = 48 << 10  # bytes of shared memory that a kernel has without asking for more
_LARGEST_SHARED = 8  # CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES


class _Here(AbstractContextManager[None], threading.local):
    """Makes a device the current one of the thread for as long as a call takes; other libraries may have chosen one."""

    def __init__(self, ordinal: int) -> None:
        self._ordinal = ordinal
        self._outer: list[int] = []

    def __enter__(self) -> None:
        found = _runtime.getDevice()
        self._outer.append(found)
        if found != self._ordinal:
            _runtime.setDevice(self._ordinal)

    def __exit__(self, *error: object) -> None:
        found = self._outer.pop()
        if found != self._ordinal:
            _runtime.setDevice(found)


class _Current(threading.local):
    """The stream that a thread's work goes to.

    Attributes:
        replayed: while work is captured, the stream that the graph is for.
    """

    stream = 0
    replayed: int | None = None

    @property
    def memory(self) -> int:
        """The stream whose scratch memory products use."""
        return self.stream if self.replayed is None else self.replayed


class _Mark:
    """An event that was recorded."""

    def __init__(self, timed: bool, stream: int) -> None:
        self.event = 0
        self.event = _runtime.eventCreateWithFlags(0 if timed else _runtime.eventDisableTiming)
        _runtime.eventRecord(self.event, stream)

    def __del__(self) -> None:
        if _runtime is not None and self.event:
            _runtime.eventDestroy(self.event)


class _Graph:
    """Launches that were captured, ready to be done again."""

    def __init__(self, captured: int) -> None:
        self.executable = 0
        try:
            self.executable = _runtime.graphInstantiate(captured)
        finally:
            _runtime.graphDestroy(captured)

    def __del__(self) -> None:
        if _runtime is not None and self.executable:
            _runtime.graphExecDestroy(self.executable)


class CupyDriver(Driver):
    """The device with this ordinal among those that NVIDIA's driver shows."""

    def __init__(self, ordinal: int) -> None:
        self._ordinal, self._current = ordinal, _Current()
        self._streams: dict[int, None] = {0: None}  # to which work may have gone
        self._closed: dict[int, list[int]] = {}  # streams that nobody has, by priority
        self._priorities: dict[int, int] = {}
        self._here: AbstractContextManager[None] = _Here(ordinal) if _runtime.getDeviceCount() > 1 else nullcontext()
        self._lock = unlocked_in_child(threading.Lock())
        with self._here:
            _runtime.memGetInfo()  # makes the device's context, which says here what is wrong with it
        found = self.properties
        self.name, self.architecture = found.name, f"sm_{found.major}{found.minor}"

    @cached_property
    def properties(self) -> Properties:
        found = _runtime.getDeviceProperties(self._ordinal)
        return Properties(
            name=found["name"].decode(),
            major=found["major"],
            minor=found["minor"],
            total_memory=found["totalGlobalMem"],
            multi_processor_count=found["multiProcessorCount"],
            warp_size=found["warpSize"],
            max_threads_per_multi_processor=found["maxThreadsPerMultiProcessor"],
            regs_per_multiprocessor=found["regsPerMultiprocessor"],
            shared_memory_per_block=found["sharedMemPerBlock"],
            shared_memory_per_block_optin=found["sharedMemPerBlockOptin"],
            L2_cache_size=found["l2CacheSize"],
            is_integrated=bool(found["integrated"]),
        )

    # Memory.

    def memory_info(self) -> tuple[int, int]:
        with self._here:
            free, total = _runtime.memGetInfo()
        return free, total

    def allocate(self, size: int) -> int:
        with self._here:
            try:
                try:
                    return int(_runtime.malloc(max(size, 1)))
                except _runtime.CUDARuntimeError as error:
                    if error.status != _OUT_OF_MEMORY:
                        raise
                    cupy.get_default_memory_pool().free_all_blocks()  # what libraries have worked in
                    return int(_runtime.malloc(max(size, 1)))
            except _runtime.CUDARuntimeError as error:
                if error.status == _OUT_OF_MEMORY:
                    raise OutOfMemory(f"{size} bytes on {self.name}") from error
                raise

    def free(self, address: int) -> None:
        with self._here:
            _runtime.free(address)

    def copy_in(self, source: np.ndarray, target: int) -> None:
        """From ordinary memory CUDA copies to a buffer of its own before the call returns. Pinned memory it reads
        later, whoever pinned it."""
        with self._here:
            self._copy(target, source.ctypes.data, source.nbytes, _runtime.memcpyHostToDevice)
            if source.nbytes and _runtime.pointerGetMemoryType(source.ctypes.data) == _runtime.memoryTypeHost:
                _runtime.streamSynchronize(self._stream)

    def copy_in_later(self, source: np.ndarray, target: int) -> None:
        with self._here:
            self._copy(target, source.ctypes.data, source.nbytes, _runtime.memcpyHostToDevice)

    def copy_out(self, source: int, target: np.ndarray) -> None:
        with self._here:
            self._copy(target.ctypes.data, source, target.nbytes, _runtime.memcpyDeviceToHost)
            _runtime.streamSynchronize(self._stream)

    def copy(self, source: int, target: int, size: int) -> None:
        with self._here:
            self._copy(target, source, size, _runtime.memcpyDeviceToDevice)

    def _copy(self, target: int, source: int, size: int, kind: int) -> None:
        if size:
            _runtime.memcpyAsync(target, source, size, kind, self._stream)

    def fill(self, target: int, byte: int, size: int) -> None:
        with self._here:
            if size:
                _runtime.memsetAsync(target, byte, size, self._stream)

    def pinned(self, size: int) -> np.ndarray:
        with self._here:
            address = _runtime.hostAlloc(max(size, 1), _runtime.hostAllocPortable)
        return np.asarray(_PinnedMemory(address, size))

    # Programs.

    def load(self, source: str, kernels: Sequence[str]) -> Mapping[str, Any]:
        compiled = nvrtc.compile_program(source, self.architecture)
        with self._here:
            module = _driver.moduleLoadData(compiled.cubin)
            return {name: _driver.moduleGetFunction(module, name) for name in kernels}

    def launch(self, kernel: Any, launch: Launch, arguments: Sequence[Argument]) -> None:
        self.prepared(kernel, launch, arguments)()

    def prepared(self, kernel: Any, launch: Launch, arguments: Sequence[Argument]) -> Callable[[], None]:
        addresses = (ctypes.c_void_p * max(len(arguments), 1))(*map(ctypes.addressof, arguments))
        parameters, (x, y, z), block, shared = (
            ctypes.addressof(addresses),
            launch.grid,
            launch.block,
            launch.shared_bytes,
        )
        ask, here = _driver.launchKernel, self._here
        if shared > _WITHOUT_OPT_IN:
            with here:
                _driver.funcSetAttribute(kernel, _LARGEST_SHARED, shared)

        def launch_again() -> None:
            with here:
                ask(kernel, x, y, z, block, 1, 1, shared, self._stream, parameters, 0)

        launch_again.kept = addresses, arguments  # type: ignore[attr-defined]
        return launch_again

    @cached_property
    def _cublas(self) -> Cublas:
        with self._here:
            return Cublas(self.allocate)

    def multiply(self, product: Product, a: int, b: int, out: int) -> None:
        with self._here:
            self._cublas.multiply(product, a, b, out, self._stream, self._current.memory)

    @cached_property
    def _libraries(self) -> CupyLibraries:
        from lazygrad.targets.cuda.cupy_libraries import CupyLibraries  # cupyx takes a while to import

        return CupyLibraries(self._ordinal)

    def compute(self, call: LibraryCall, operands: Sequence[int], results: Sequence[int], word: int | None) -> None:
        with self._here:
            self._libraries.compute(call, operands, results, word, self._stream)

    def synchronize(self) -> None:
        with self._here:
            _runtime.deviceSynchronize()

    # Streams.

    @property
    def _stream(self) -> int:
        return self._current.stream

    @property
    def stream(self) -> int:
        return self._current.stream

    @property
    def has_streams(self) -> bool:
        return len(self._streams) > 1

    def open_stream(self, priority: int) -> int:
        closed = self._closed.setdefault(priority, [])
        if closed:
            return closed.pop()
        with self._here:
            made = int(_runtime.streamCreateWithPriority(_runtime.streamNonBlocking, priority))
        self._priorities[made] = priority
        return made

    def close_stream(self, stream: int) -> None:
        """It is kept: memory that was used there is free for it alone until its work is done."""
        if self.stream == stream:
            self.use_stream(0)
        self._closed[self._priorities[stream]].append(stream)

    def use_stream(self, stream: int) -> None:
        self._current.stream = stream
        self._streams[stream] = None

    def mark(self, timed: bool, stream: int | None = None) -> _Mark:
        with self._here:
            return _Mark(timed, self.stream if stream is None else stream)

    def marks(self) -> list[_Mark]:
        return [self.mark(False, stream) for stream in list(self._streams)]

    def wait_on_device(self, mark: _Mark, stream: int | None = None) -> None:
        with self._here:
            _runtime.streamWaitEvent(self.stream if stream is None else stream, mark.event)

    def is_reached(self, mark: _Mark) -> bool:
        status: int = _runtime.eventQuery(mark.event)
        if status not in (0, _NOT_READY):
            _runtime.check_status(status)
        return status == 0

    def wait(self, mark: _Mark) -> None:
        _runtime.eventSynchronize(mark.event)

    def milliseconds(self, first: _Mark, last: _Mark) -> float:
        self.wait(last)
        return float(_runtime.eventElapsedTime(first.event, last.event))

    # Graphs.

    @cached_property
    def _capturing(self) -> int:
        """A stream to capture on: the device's own cannot be."""
        return self.open_stream(0)

    def capture(self, ask: Callable[[], None]) -> _Graph:
        current, stream = self._current, self._capturing
        outer = current.stream
        with self._here, self._lock:
            self._cublas.prepare(outer)  # which a capture cannot
            current.stream, current.replayed = stream, outer
            try:
                _runtime.streamBeginCapture(stream, _runtime.streamCaptureModeRelaxed)
                try:
                    ask()
                except BaseException:
                    with suppress(RuntimeError):  # what CUDA refused has ended the capture already
                        _runtime.graphDestroy(_runtime.streamEndCapture(stream))
                    raise
                return _Graph(_runtime.streamEndCapture(stream))
            except RuntimeError as error:
                raise NotCapturable(f"the plan cannot be captured: {error}") from error
            finally:
                current.stream, current.replayed = outer, None

    def replay(self, graph: _Graph) -> None:
        with self._here:
            _runtime.graphLaunch(graph.executable, self._stream)


class _PinnedMemory:
    """Page-locked bytes of the host, as numpy sees them; given back when no array lies over them."""

    def __init__(self, address: int, size: int) -> None:
        self._address = address
        self.__array_interface__ = {"data": (address, False), "shape": (size,), "typestr": "|u1", "version": 3}

    def __del__(self) -> None:
        if _runtime is not None:
            _runtime.freeHost(self._address)
