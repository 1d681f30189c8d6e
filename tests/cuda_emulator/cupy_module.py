"""As much of cupy as a saved kernel's program uses, on the emulated device."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Sequence
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np

from lazygrad.targets.cuda.driver import Argument, Launch
from tests.cuda_emulator.driver import EmulatedDriver

_KERNEL = re.compile(r'extern "C" __global__ void __launch_bounds__\(\d+\)\s+(\w+)\(')


def cupy_module(driver: EmulatedDriver | None = None) -> ModuleType:
    """The module."""
    device = driver or EmulatedDriver()
    module: Any = ModuleType("cupy")

    class Array:
        """Bytes on the device, given back with the array."""

        def __init__(self, size: int) -> None:
            self.size = size
            self.data = SimpleNamespace(ptr=device.allocate(size))

        def get(self) -> np.ndarray:
            found = np.empty(self.size, np.uint8)
            device.copy_out(self.data.ptr, found)
            return found

        def __del__(self) -> None:
            device.free(self.data.ptr)

    def asarray(array: np.ndarray) -> Array:
        assert array.dtype == np.uint8 and array.ndim == 1
        made = Array(array.nbytes)
        device.copy_in(array, made.data.ptr)
        return made

    class RawModule:
        def __init__(self, *, code: str, options: tuple[str, ...], backend: str) -> None:
            assert backend == "nvrtc" and options == ("--std=c++17",)
            self._kernels = device.load(code, _KERNEL.findall(code))

        def get_function(self, name: str) -> Any:
            def launch(grid: Sequence[int], block: Sequence[int], arguments: tuple[Any, ...], shared_mem: int) -> None:
                [threads], whole = block, (*grid, 1, 1)[:3]
                given = [_argument(each) for each in arguments]
                device.launch(self._kernels[name], Launch(name, whole, threads, shared_mem), given)

            return launch

    class Event:
        def record(self) -> None:
            pass

        synchronize = record

    module.asarray, module.RawModule = asarray, RawModule
    module.zeros = lambda size, dtype: asarray(np.zeros(size, dtype))
    module.cuda = SimpleNamespace(Event=Event, get_elapsed_time=lambda first, last: 0.25)
    return module


def _argument(value: np.generic) -> Argument:
    """The bytes of a number, as cupy hands them over."""
    assert isinstance(value, np.generic)
    return (ctypes.c_uint8 * value.nbytes).from_buffer_copy(value.tobytes())
