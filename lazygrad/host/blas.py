"""Keeping BLAS to one thread while our own threads call it side by side.

A library is told by functions of its own. They are looked up in the extension modules that call it: the system's search
for a symbol goes from a module to what it links, and so finds the library that numpy uses, under any name and in any
folder. Exported files have a copy of this one, so it needs Python and numpy alone.
"""

from __future__ import annotations

import ctypes
import sys
import threading
from collections.abc import Callable, Sequence
from itertools import product
from pathlib import Path
from typing import NamedTuple

import numpy as np

from lazygrad.host.forks import unlocked_in_child

# OpenBLAS, as it is built alone and as it lies in the wheels of numpy and scipy; then MKL, BLIS and FlexiBLAS.
_OF_THE_PROCESS = [
    *[
        (f"{prefix}openblas_get_num_threads{suffix}", f"{prefix}openblas_set_num_threads{suffix}")
        for prefix, suffix in product(("scipy_", ""), ("64_", "_64", ""))
    ],
    ("MKL_Get_Max_Threads", "MKL_Set_Num_Threads"),
    ("bli_thread_get_num_threads", "bli_thread_set_num_threads"),
    ("flexiblas_get_num_threads", "flexiblas_set_num_threads"),
]
# Accelerate: 0 means several threads and 1 means one, and each thread that calls it chooses for itself.
_OF_EACH_THREAD = [("BLASGetThreading", "BLASSetThreading")]


class Library(NamedTuple):
    """How the number of threads of a library is read and set."""

    get: Callable[[], int]
    set: Callable[[int], int]


class _Inside(threading.local):
    """How many contexts this thread is in, and what the first one found in libraries that ask each thread."""

    depth = 0
    found: list[int] = []  # noqa: RUF012  exchanged, never changed


class SerialBlas:
    """A context inside which BLAS runs single-threaded, for the whole process.

    BLAS libraries serialize concurrent multi-threaded calls, so several of our threads would wait for one another, and
    the last bits of a product depend on how it is split. Nested and concurrent contexts share one limit; the last one
    to leave restores what the first one found.

    Args:
        files: extension modules that call BLAS, or libraries.
    """

    def __init__(self, *files: str) -> None:
        self._lock = unlocked_in_child(threading.Lock())
        self._depth = 0
        self._inside = _Inside()
        self._of_process: list[Library] = []
        self._of_threads: list[Library] = []
        self._found: list[int] = []
        for file in files:
            self.add(file)

    def add(self, file: str) -> None:
        """Keep to one thread what another extension module calls; libraries that are known stay as they are."""
        with self._lock:
            new = _new(file, _OF_THE_PROCESS, self._of_process)
            self._of_process += new
            if self._depth:
                self._found += _limited(new)
            self._of_threads += _new(file, _OF_EACH_THREAD, self._of_threads)

    def limit_own_thread(self) -> None:
        """Set libraries that ask each thread to 1 in this one, for good: for threads that call BLAS for others."""
        _limited(self._of_threads)

    def __enter__(self) -> None:
        inside = self._inside
        inside.depth += 1
        if inside.depth > 1:
            return
        if self._of_threads:
            inside.found = _limited(self._of_threads)
        with self._lock:
            self._depth += 1
            if self._depth == 1:
                self._found = _limited(self._of_process)

    def __exit__(self, *_: object) -> None:
        inside = self._inside
        inside.depth -= 1
        if inside.depth:
            return
        if self._of_threads:
            _restore(self._of_threads, inside.found)
        with self._lock:
            self._depth -= 1
            if not self._depth:
                _restore(self._of_process, self._found)


def _limited(libraries: Sequence[Library]) -> list[int]:
    """The numbers of threads that libraries have, which are 1 afterwards."""
    found = [library.get() for library in libraries]
    for library, threads in zip(libraries, found, strict=True):
        if threads != 1:
            library.set(1)
    return found


def _restore(libraries: Sequence[Library], found: Sequence[int]) -> None:
    for library, threads in zip(libraries, found, strict=False):
        if threads != 1:
            library.set(threads)


def _new(file: str, names: Sequence[tuple[str, str]], known: Sequence[Library]) -> list[Library]:
    """The libraries that a module calls, without those that are known.

    Their calls keep the interpreter's lock: they read or set a number, and to give up the lock for that is to wait for
    the end of another thread's turn.
    """
    try:
        module = ctypes.PyDLL(file)
    except OSError:  # it is no file, or one that only its package can load
        return []
    pairs = [(get, set) for get, set in names if hasattr(module, get) and hasattr(module, set)]
    found = [Library(getattr(module, get), getattr(module, set)) for get, set in pairs]
    addresses = {_address(library) for library in known}
    return [library for library in found if _address(library) not in addresses]


def _address(library: Library) -> int | None:
    return ctypes.cast(library.set, ctypes.c_void_p).value  # type: ignore[arg-type]


def _numpys_callers() -> list[str]:
    """The extension modules of numpy that call BLAS; and OpenBLAS beside numpy, since Windows looks in one file."""
    names = ("numpy.linalg._umath_linalg", "numpy._core._multiarray_umath", "numpy.core._multiarray_umath")
    modules = [sys.modules[name].__file__ for name in names if name in sys.modules]
    folder = Path(str(np.__file__)).parents[1] / "numpy.libs"
    return [*[file for file in modules if file], *map(str, sorted(folder.glob("*openblas*")))]


serial_blas = SerialBlas(*_numpys_callers())
