"""Keeping BLAS to one thread while our own threads call it side by side."""

from __future__ import annotations

import ctypes
import threading
from functools import cached_property

from threadpoolctl import LibController, ThreadpoolController

from lazygrad.host.forks import unlocked_in_child


class SerialBlas:
    """A context inside which BLAS runs single-threaded, for the whole process.

    BLAS libraries serialize concurrent multi-threaded calls, so several of our threads would wait for one another.
    Nested and concurrent contexts share one limit; the last one to leave restores what the first one found.
    """

    def __init__(self) -> None:
        self._lock = unlocked_in_child(threading.Lock())
        self._depth = 0
        self._found: list[int] = []

    @cached_property
    def _libraries(self) -> list[LibController]:
        """Those that are loaded; their calls keep the interpreter's lock.

        They read or set a number, and to give up the lock for that is to wait for the end of another thread's turn.
        """
        found: list[LibController] = list(ThreadpoolController().select(user_api="blas").lib_controllers)
        for library in found:
            library.dynlib = ctypes.PyDLL(library.filepath, handle=library.dynlib._handle)
        return found

    def __enter__(self) -> None:
        with self._lock:
            self._depth += 1
            if self._depth == 1:
                self._found = [library.num_threads for library in self._libraries]
                self._set([1] * len(self._found))

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._depth -= 1
            if self._depth == 0:
                self._set(self._found)

    def _set(self, counts: list[int]) -> None:
        for library, threads in zip(self._libraries, counts, strict=True):
            library.set_num_threads(threads)


serial_blas = SerialBlas()
