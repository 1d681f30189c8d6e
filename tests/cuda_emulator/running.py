"""Running one kernel on arrays."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from lazygrad.targets.cuda.driver import Argument, Launch
from tests.cuda_emulator.driver import EmulatedDriver, Order

_KERNEL = re.compile(r"__global__\s+void\s+(?:__launch_bounds__\([^)]*\)\s*)?(\w+)\s*\(")
_SCALARS: dict[type, type[Argument]] = {int: ctypes.c_int, float: ctypes.c_float}


class Empty:
    """An output that nobody has written."""

    def __init__(self, shape: int | Sequence[int], dtype: Any = np.float32) -> None:
        self.array = np.empty(shape, dtype)


def run_kernel(
    source: str,
    *arguments: np.ndarray | Empty | int | float,
    grid: int | tuple[int, int, int] = 1,
    block: int = 32,
    shared_bytes: int = 0,
    order: Order = Order.ASCENDING,
    seed: int = 0,
) -> list[np.ndarray]:
    """Run the only kernel of ``source``; what all arrays hold then, in order.

    Raises:
        KernelError: the kernel does what it must not.
    """
    driver = EmulatedDriver(order, seed)
    [name] = _KERNEL.findall(source)
    kernel = driver.load(source, [name])[name]
    given: list[Argument] = []
    arrays: list[tuple[int, np.ndarray]] = []
    for argument in arguments:
        if isinstance(argument, int | float):
            given.append(_SCALARS[type(argument)](argument))
            continue
        array = argument.array if isinstance(argument, Empty) else argument
        address = driver.allocate(array.nbytes)
        if not isinstance(argument, Empty):
            driver.copy_in(array, address)
        given.append(ctypes.c_void_p(address))
        arrays.append((address, array))
    try:
        whole_grid = (grid, 1, 1) if isinstance(grid, int) else grid
        driver.launch(kernel, Launch(name, whole_grid, block, shared_bytes), given)
        results = [np.empty_like(array) for _, array in arrays]
        for (address, _), result in zip(arrays, results, strict=True):
            driver.copy_out(address, result)
        return results
    finally:
        for address, _ in arrays:
            driver.free(address)
