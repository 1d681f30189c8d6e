"""cupy's bindings, as far as the driver uses them, over the host's memory: what is asked of CUDA and in which order.

Calls that are wrong on a GPU are wrong here: work on a stream that was destroyed, waiting in a capture, copies from or
to memory that was not allocated.
"""

from __future__ import annotations

import ctypes
from types import ModuleType, SimpleNamespace
from typing import Any, ClassVar

import numpy as np

from tests.cuda.fake_cupy_libraries import FakeBindings, array_over


class CUDARuntimeError(RuntimeError):
    def __init__(self, status: int) -> None:
        super().__init__(f"cudaError {status}")
        self.status = status


class FakeRuntime:
    """``cupy.cuda.runtime`` of some devices with little memory.

    Attributes:
        asked: what was done, in order.
        device: the current one.
        graphs: the work of graphs, by handle.
    """

    CUDARuntimeError = CUDARuntimeError
    eventDisableTiming, streamNonBlocking, streamCaptureModeRelaxed, hostAllocPortable = 2, 1, 2, 1
    memcpyHostToDevice, memcpyDeviceToHost, memcpyDeviceToDevice = 1, 2, 3
    memoryTypeUnregistered, memoryTypeHost = 0, 1

    def __init__(self, count: int, capacity: int) -> None:
        self.asked: list[tuple[Any, ...]] = []
        self.device, self._count, self._capacity = 0, count, capacity
        self._memory: dict[int, np.ndarray] = {}
        self._pinned: dict[int, np.ndarray] = {}
        self._handles, self._streams = 1000, {0}
        self._captured: list[Any] | None = None
        self._capture_stream = -1
        self.graphs: dict[int, list[Any]] = {}
        self.live_events: set[int] = set()

    def _new(self) -> int:
        self._handles += 1
        return self._handles

    def getDeviceCount(self) -> int:
        return self._count

    def getDevice(self) -> int:
        return self.device

    def setDevice(self, ordinal: int) -> None:
        self.device = ordinal

    def getDeviceProperties(self, ordinal: int) -> dict[str, Any]:
        return {
            "name": b"fake device %d" % ordinal, "major": 9, "minor": 0, "totalGlobalMem": self._capacity,
            "multiProcessorCount": 132, "warpSize": 32, "maxThreadsPerMultiProcessor": 2048,
            "regsPerMultiprocessor": 65536, "sharedMemPerBlock": 49152, "sharedMemPerBlockOptin": 232448,
            "l2CacheSize": 60 << 20, "integrated": 0,
        }  # fmt: skip

    def memGetInfo(self) -> tuple[int, int]:
        return self._capacity - sum(memory.nbytes for memory in self._memory.values()), self._capacity

    def malloc(self, size: int) -> int:
        if size > self.memGetInfo()[0]:
            raise CUDARuntimeError(2)
        memory = np.full(size, 0xA5, np.uint8)
        self._memory[memory.ctypes.data] = memory
        self.asked.append(("malloc", self.device, size))
        return memory.ctypes.data

    def free(self, address: int) -> None:
        del self._memory[address]

    def hostAlloc(self, size: int, flags: int) -> int:
        memory = np.empty(size, np.uint8)
        self._pinned[memory.ctypes.data] = memory
        return memory.ctypes.data

    def freeHost(self, address: int) -> None:
        del self._pinned[address]

    def pointerGetMemoryType(self, address: int) -> int:
        return int(any(start <= address < start + memory.nbytes for start, memory in self._pinned.items()))

    def _is_device(self, address: int, size: int) -> bool:
        return any(start <= address and address + size <= start + m.nbytes for start, m in self._memory.items())

    def do(self, stream: int, what: tuple[Any, ...], work: Any) -> None:
        """Work on a stream: now, or as part of a graph."""
        assert stream in self._streams, f"stream {stream} was destroyed"
        if stream == self._capture_stream and self._captured is not None:
            self._captured.append(work)
            return
        self.asked.append((*what, stream))
        work()

    def memcpyAsync(self, target: int, source: int, size: int, kind: int, stream: int) -> None:
        if kind in (1, 3):
            assert self._is_device(target, size)
        if kind in (2, 3):
            assert self._is_device(source, size)
        self.do(stream, ("copy", kind, size), lambda: ctypes.memmove(target, source, size))

    def memsetAsync(self, target: int, byte: int, size: int, stream: int) -> None:
        assert self._is_device(target, size)
        self.do(stream, ("fill", byte, size), lambda: ctypes.memset(target, byte, size))

    def streamCreateWithPriority(self, flags: int, priority: int) -> int:
        stream = self._new()
        self._streams.add(stream)
        self.asked.append(("stream", flags, priority))
        return stream

    def streamDestroy(self, stream: int) -> None:
        self._streams.remove(stream)

    def streamSynchronize(self, stream: int) -> None:
        if stream == self._capture_stream:
            raise CUDARuntimeError(900)
        self.asked.append(("wait for stream", stream))

    def streamWaitEvent(self, stream: int, event: int) -> None:
        assert event in self.live_events
        self.asked.append(("stream waits", stream))

    def deviceSynchronize(self) -> None:
        self.asked.append(("wait for device", self.device))

    def eventCreateWithFlags(self, flags: int) -> int:
        event = self._new()
        self.live_events.add(event)
        return event

    def eventDestroy(self, event: int) -> None:
        self.live_events.remove(event)

    def eventRecord(self, event: int, stream: int) -> None:
        assert event in self.live_events and stream in self._streams
        self.asked.append(("record", stream))

    def eventQuery(self, event: int) -> int:
        return 0

    def eventSynchronize(self, event: int) -> None:
        self.asked.append(("wait for event",))

    def eventElapsedTime(self, first: int, last: int) -> float:
        return float(last - first)

    def streamBeginCapture(self, stream: int, mode: int) -> None:
        assert stream and self._captured is None
        self._captured, self._capture_stream = [], stream

    def streamEndCapture(self, stream: int) -> int:
        assert self._captured is not None and stream == self._capture_stream
        graph = self._new()
        self.graphs[graph], self._captured, self._capture_stream = self._captured, None, -1
        return graph

    def graphInstantiate(self, graph: int) -> int:
        executable = self._new()
        self.graphs[executable] = self.graphs[graph]
        return executable

    def graphDestroy(self, graph: int) -> None:
        del self.graphs[graph]

    graphExecDestroy = graphDestroy

    def graphLaunch(self, executable: int, stream: int) -> None:
        work = self.graphs[executable]
        self.do(stream, ("graph",), lambda: [each() for each in work])


class FakeDriverApi:
    """``cupy.cuda.driver``: a kernel is a name, and a launch reads its parameters as two pointers and a float."""

    def __init__(self, runtime: FakeRuntime) -> None:
        self._runtime = runtime
        self.attributes: list[tuple[Any, ...]] = []
        self.kernels: dict[int, str] = {}

    def moduleLoadData(self, image: bytes) -> bytes:
        return image

    def moduleGetFunction(self, module: bytes, name: str) -> int:
        handle = self._runtime._new()
        self.kernels[handle] = name
        return handle

    def funcSetAttribute(self, kernel: int, attribute: int, value: int) -> None:
        self.attributes.append((self.kernels[kernel], attribute, value))

    def launchKernel(self, kernel: int, *sizes_and_rest: int) -> None:
        *sizes, shared, stream, parameters, extra = sizes_and_rest
        assert extra == 0 and len(sizes) == 6
        pointers = (ctypes.c_void_p * 3).from_address(parameters)
        target, source = (ctypes.c_void_p.from_address(int(pointers[i] or 0)).value or 0 for i in (0, 1))
        factor, name = ctypes.c_float.from_address(int(pointers[2] or 0)).value, self.kernels[kernel]
        count = sizes[0] * sizes[3]

        def scale() -> None:
            assert name == "scale", name
            for address in (target, source):
                assert self._runtime._is_device(address, 4 * count)
            array = (ctypes.c_float * count).from_address
            array(target)[:] = [factor * value for value in array(source)]

        self._runtime.do(stream, ("launch", name, self._runtime.device, tuple(sizes), shared), scale)


class FakePool:
    """cupy's pool, of memory that it keeps.

    Attributes:
        kept: an address that a library has worked in, or 0.
    """

    def __init__(self, runtime: FakeRuntime) -> None:
        self._runtime, self.kept = runtime, 0

    def free_all_blocks(self) -> None:
        if self.kept:
            self._runtime.free(self.kept)
            self.kept = 0


class CupyOutOfMemoryError(MemoryError):
    """``cupy.cuda.memory.OutOfMemoryError``."""


class FakeStream:
    """``cupy.cuda.Stream`` of another library's; the innermost one is where arrays are worked on."""

    current: ClassVar[list[int]] = []

    def __init__(self, pointer: int) -> None:
        self.pointer = pointer

    @classmethod
    def from_external(cls, other: Any) -> FakeStream:
        version, pointer = other.__cuda_stream__()
        assert version == 0
        return cls(pointer)

    def __enter__(self) -> None:
        self.current.append(self.pointer)

    def __exit__(self, *error: object) -> None:
        self.current.pop()


class UnownedMemory:
    def __init__(self, ptr: int, size: int, owner: Any, device_id: int = -1) -> None:
        self.pointer, self.device = ptr, device_id


class MemoryPointer:
    def __init__(self, mem: UnownedMemory, offset: int) -> None:
        self.mem, self.offset = mem, offset


def fake_cupy(count: int, capacity: int) -> Any:
    """A module ``cupy`` with that many devices, and below ``libraries`` the modules that belong to it, by name."""
    module: Any = ModuleType("cupy")
    runtime, bindings = FakeRuntime(count, capacity), FakeBindings()
    pool = FakePool(runtime)
    module.__dict__.update(vars(bindings.cupy), get_default_memory_pool=lambda: pool)

    def ndarray(shape: tuple[int, ...], dtype: Any, memptr: MemoryPointer, strides: tuple[int, ...]) -> Any:
        assert memptr.mem.device == runtime.device, "an array of another device"
        runtime.asked.append(("array", shape))
        return array_over(memptr.mem.pointer + memptr.offset, shape, dtype, strides)

    module.__version__, module.ndarray = "14.2.0", ndarray
    module.cuda = SimpleNamespace(
        runtime=runtime, driver=FakeDriverApi(runtime), Stream=FakeStream, UnownedMemory=UnownedMemory,
        MemoryPointer=MemoryPointer, memory=SimpleNamespace(OutOfMemoryError=CupyOutOfMemoryError),
        device=bindings.handles,
    )  # fmt: skip
    module.libraries = {
        "cupyx": _module("cupyx", errstate=bindings.errstate),
        "cupyx.scipy": _module("cupyx.scipy"),
        "cupyx.scipy.linalg": _module("cupyx.scipy.linalg", solve_triangular=bindings.solve_triangular),
        "cupy_backends": _module("cupy_backends"),
        "cupy_backends.cuda": _module("cupy_backends.cuda"),
        "cupy_backends.cuda.libs": _module(
            "cupy_backends.cuda.libs", cusolver=bindings.cusolver, cublas=bindings.cublas
        ),
    }
    return module


def _module(name: str, **members: Any) -> ModuleType:
    module = ModuleType(name)
    module.__dict__.update(members)
    return module


class FakeCublas:
    """cuBLAS in numpy, on matrices that lie column by column.

    Attributes:
        calls: compute type, math mode and stream of each product.
    """

    def __init__(self) -> None:
        self.calls: list[tuple[int, int, int]] = []
        self._stream = self._math = self.workspaces = 0
        for name in "cublasCreate_v2 cublasSetStream_v2 cublasSetWorkspace_v2 cublasSetMathMode".split():
            setattr(self, name, getattr(self, f"_{name}"))
        # Functions, which have attributes, as those of ctypes have.
        self.cublasGetStatusName = lambda status: b"CUBLAS_STATUS_%d" % status
        self.cublasGemmEx_64 = lambda *arguments: self._single(*arguments)
        self.cublasGemmStridedBatchedEx_64 = lambda *arguments: self._batched(*arguments)

    def _cublasCreate_v2(self, handle: Any) -> int:
        return 0

    def _cublasSetStream_v2(self, handle: Any, stream: Any) -> int:
        self._stream = stream.value or 0
        return 0

    def _cublasSetWorkspace_v2(self, handle: Any, workspace: Any, size: Any) -> int:
        self.workspaces += 1
        return 0

    def _cublasSetMathMode(self, handle: Any, mode: int) -> int:
        self._math = mode
        return 0

    def _single(self, h: Any, ta: int, tb: int, m: int, n: int, k: int, alpha: Any, *rest: Any) -> int:
        a, kind, lda, b, _, ldb, beta, c, _, ldc, compute, _ = rest
        operands = (a, kind, lda, 0, b, kind, ldb, 0, beta, c, kind, ldc, 0)
        return self._batched(h, ta, tb, m, n, k, alpha, *operands, 1, compute, -1)

    def _batched(self, *arguments: Any) -> int:
        _, ta, tb, m, n, k, alpha, a, kind, lda, step_a, b, _, ldb, step_b, beta, c, _, ldc, step_c, count = arguments[
            :21
        ]
        self.calls.append((arguments[21], self._math, self._stream))
        dtype = {0: np.float32, 1: np.float64, 2: np.float16, 4: np.complex64, 5: np.complex128}[kind]
        size = np.dtype(dtype).itemsize

        def matrix(address: int, rows: int, columns: int, distance: int) -> np.ndarray:
            assert distance >= max(rows, 1), "the leading dimension is too small"
            span = (columns - 1) * distance + rows
            flat = np.frombuffer((ctypes.c_uint8 * (span * size)).from_address(address), dtype)
            return np.lib.stride_tricks.as_strided(flat, (rows, columns), (size, distance * size))

        def factor(pointer: Any) -> Any:
            given = pointer._obj
            return complex(*given) if hasattr(given, "__len__") else given.value

        for i in range(count):
            left = matrix(a + i * step_a * size, *((k, m) if ta else (m, k)), lda)
            right = matrix(b + i * step_b * size, *((n, k) if tb else (k, n)), ldb)
            out = matrix(c + i * step_c * size, m, n, ldc)
            product = factor(alpha) * ((left.T if ta else left) @ (right.T if tb else right))
            out[...] = product + (factor(beta) * out if factor(beta) else 0)
        return 0
