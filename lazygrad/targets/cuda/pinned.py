"""Page-locked memory of the host, which a device reads while the host does something else.

To lock pages takes as long as copying them several times, so blocks are kept and used again: once the device has done
what it had been asked for when the block came back, since a copy from it may be among that.
"""

from __future__ import annotations

import threading
from collections import deque
from typing import Any

import numpy as np

from lazygrad.host.forks import unlocked_in_child
from lazygrad.targets.cuda.driver import Driver

_SMALLEST = 512


class _Owner:
    """What all arrays over a block refer to; the block goes back to the pool with the last of them."""

    def __init__(self, pool: PinnedPool, block: np.ndarray, size: int) -> None:
        self._pool, self._block = pool, block
        self.__array_interface__ = block[:size].__array_interface__

    def __del__(self) -> None:
        self._pool.returned.append(self._block)


class PinnedPool:
    """The pinned memory that a device's driver has made.

    Attributes:
        returned: blocks that nobody uses any more; they come here from anywhere, in the middle of `take` too.
    """

    def __init__(self, driver: Driver) -> None:
        self._driver = driver
        self._lock = unlocked_in_child(threading.Lock())
        self._free: dict[int, list[np.ndarray]] = {}
        self._waiting: deque[tuple[list[Any], list[np.ndarray]]] = deque()
        self._addresses: dict[int, int] = {}  # sizes of all blocks
        self.returned: deque[np.ndarray] = deque()

    def take(self, size: int) -> np.ndarray:
        """``size`` uninitialised bytes."""
        rounded = max(_SMALLEST, 1 << (size - 1).bit_length())
        with self._lock:
            self._look_at_returned()
            blocks = self._free.get(rounded)
            block = blocks.pop() if blocks else self._driver.pinned(rounded)
            self._addresses[block.ctypes.data] = rounded
        return np.asarray(_Owner(self, block, size))

    def holds(self, address: int) -> bool:
        """Whether memory is of this pool."""
        return any(start <= address < start + size for start, size in list(self._addresses.items()))

    def _look_at_returned(self) -> None:
        if self.returned:
            blocks = [self.returned.popleft() for _ in range(len(self.returned))]
            self._waiting.append((self._driver.marks(), blocks))
        while self._waiting and all(map(self._driver.is_reached, self._waiting[0][0])):
            for block in self._waiting.popleft()[1]:
                self._free.setdefault(block.nbytes, []).append(block)
