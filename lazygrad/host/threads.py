"""A small persistent thread pool for loops whose bodies are numpy calls, which release the interpreter lock.

The calling thread works too: it and the pool's workers claim chunks until none is left, so a worker that is slow
to wake up costs nothing but its help. Chunk boundaries depend only on the extent, the grain and the number of
threads, never on timing.
"""

from __future__ import annotations

import ctypes
import os
import threading
from collections.abc import Callable
from itertools import count
from queue import SimpleQueue

import numpy as np

from lazygrad.host.blas import serial_blas
from lazygrad.host.processors import free_processors

ChunkFunction = Callable[[int, int], None]


class _Job:
    """One `parallel_for`: chunks that threads claim, and the outcome of each."""

    def __init__(self, function: ChunkFunction, extent: int, chunks: int) -> None:
        self.function, self.extent, self.chunks = function, extent, chunks
        self.unclaimed = count()  # `next` is atomic, so two threads never claim the same chunk
        self.outcomes: SimpleQueue[tuple[int, BaseException | None]] = SimpleQueue()

    def work(self) -> None:
        """Run chunks until none is left."""
        for chunk in self.unclaimed:
            if chunk >= self.chunks:
                return
            self.outcomes.put((chunk, self._run(chunk)))

    def _run(self, chunk: int) -> BaseException | None:
        start, stop = self.extent * chunk // self.chunks, self.extent * (chunk + 1) // self.chunks
        try:
            self.function(start, stop)
        except BaseException as error:  # raised again by the thread that called parallel_for
            return error
        return None

    def finish(self) -> None:
        """Wait for every chunk, then raise the error of the first chunk that failed."""
        outcomes = sorted((self.outcomes.get() for _ in range(self.chunks)), key=lambda outcome: outcome[0])
        for _, error in outcomes:
            if error is not None:
                raise error


class _Pool:
    """Daemon threads that wait for jobs. It grows on demand and never shrinks; idle workers cost nothing."""

    def __init__(self) -> None:
        self.jobs: SimpleQueue[_Job] = SimpleQueue()
        self.workers = 0
        self.lock = threading.Lock()

    def help_with(self, job: _Job, helpers: int) -> None:
        if self.workers < helpers:
            self._grow(helpers)
        for _ in range(helpers):
            self.jobs.put(job)

    def _grow(self, wanted: int) -> None:
        with self.lock:
            while self.workers < wanted:
                name = f"lazygrad-worker-{self.workers}"
                threading.Thread(target=self._serve, name=name, daemon=True).start()
                self.workers += 1

    def _serve(self) -> None:
        _context.parallel = True
        np.seterr(all="ignore")  # each thread has its own floating-point error state
        serial_blas.limit_own_thread()
        while True:
            self.jobs.get().work()


class _Context(threading.local):
    """Whether this thread is already inside a `parallel_for`."""

    parallel = False


_context = _Context()
_pool = _Pool()


def _after_fork() -> None:
    """A forked child has none of its parent's threads: start over."""
    global _pool
    _pool = _Pool()
    _context.parallel = False


os.register_at_fork(after_in_child=_after_fork)


def _initial_threads() -> int:
    available = free_processors()
    text = os.environ.get("LAZYGRAD_NUM_THREADS", "")
    if not text:
        return available
    if not text.isdecimal() or int(text) < 1:
        raise ValueError(f"LAZYGRAD_NUM_THREADS must be a positive integer, not {text!r}")
    return min(int(text), available)


chosen_threads = ctypes.c_int32(_initial_threads())
"""What `get_num_threads` gives, for compiled code to read."""


def get_num_threads() -> int:
    """How many threads one operation may use, the calling one included."""
    return chosen_threads.value


def set_num_threads(count: int) -> None:
    """Let one operation use ``count`` threads, the calling one included.

    Raises:
        TypeError: ``count`` is not an int.
        RuntimeError: ``count`` is not positive.
    """
    if isinstance(count, bool) or not isinstance(count, int):
        raise TypeError(f"set_num_threads expects an int, but got {type(count).__name__}")
    if count < 1:
        raise RuntimeError(f"set_num_threads expects a positive integer, but got {count}")
    chosen_threads.value = count


def get_num_interop_threads() -> int:
    """How many operations run at the same time: one plan after the other, each on all threads."""
    return 1


def parallel_for(function: ChunkFunction, extent: int, grain: int = 1) -> None:
    """Call ``function(start, stop)`` on contiguous chunks that together cover ``range(extent)``.

    The call runs inline, as one chunk, when there are fewer than two grains of work, with one thread, and inside
    another parallel_for. Wrap it in `serial_blas` when the chunks call BLAS.

    Args:
        function: must be safe to run at the same time on different chunks.
        extent: how many items there are; nothing is called for 0.
        grain: the fewest items worth a thread of their own.

    Raises:
        BaseException: what the first failing chunk raised, after all chunks have ended.
    """
    chunks = min(chosen_threads.value, extent // max(grain, 1))
    if chunks < 2 or _context.parallel:
        if extent > 0:
            function(0, extent)
        return
    job = _Job(function, extent, chunks)
    _context.parallel = True
    try:
        _pool.help_with(job, chunks - 1)
        job.work()
        job.finish()
    finally:
        _context.parallel = False
