"""Threads that do slow work while the program goes on: one that compiles, and one that waits for nobody."""

from __future__ import annotations

import atexit
import os
import threading
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager, suppress
from queue import SimpleQueue

from lazygrad.host.forks import held_at_fork
from lazygrad.host.turns import short_turns
from lazygrad.host.warn_once import warn_once

_EXIT_SECONDS = 1.0  # for the task at work to clean up, once what it waits for was stopped


class _Worker:
    """A daemon thread, started with the first task. It holds the tasks that are not done, by key."""

    def __init__(self, name: str = "lazygrad-background") -> None:
        self.name = name
        self.lock = threading.Lock()
        # Held while a task may be importing modules, filling caches or starting a compiler: a fork must not leave any
        # of these half-done in the child.
        self.changing = held_at_fork(threading.RLock())
        self.pending: dict[Hashable, threading.Event] = {}
        self.queue: SimpleQueue[tuple[Hashable, Callable[[], object]]] = SimpleQueue()
        self.started = False

    def submit(self, key: Hashable, function: Callable[[], object]) -> None:
        with self.lock:
            if key in self.pending:
                return
            # In this order an interrupt between two lines leaves no work that nobody does.
            if not self.started:
                threading.Thread(target=self._serve, name=self.name, daemon=True).start()
                self.started = True
            self.queue.put((key, function))
            self.pending[key] = threading.Event()

    def _serve(self) -> None:
        _context.worker = self
        while True:
            key, function = self.queue.get()
            try:
                if not program_ends():
                    with short_turns(), self.changing:
                        function()
            except BaseException as error:  # whatever it is, the next task must find somebody at work
                _report(error)
            with self.lock:
                done = self.pending.pop(key, None)
            if done is not None:
                done.set()


def _report(error: BaseException) -> None:
    """One warning for all tasks: what fails once tends to fail again."""
    if not program_ends():
        with suppress(RuntimeWarning):  # a program that turns warnings into errors can't catch one here
            warn_once("background", f"compiling failed, so numpy is used instead: {error}")


class _Context(threading.local):
    """Which worker this thread is."""

    worker: _Worker | None = None


_context = _Context()


@contextmanager
def while_waiting() -> Iterator[None]:
    """Within this context a task waits for something outside this process, and forks need not wait for the task."""
    if _context.worker is None:
        yield
        return
    changing = _context.worker.changing
    changing.release()
    try:
        yield
    finally:
        changing.acquire()


@contextmanager
def holding(lock: threading.Lock) -> Iterator[None]:
    """A context that holds a lock, for which it waits as for what is outside this process."""
    holds = False
    try:
        with while_waiting():
            holds = lock.acquire()
        yield
    finally:
        if holds:
            lock.release()


_worker = _Worker()
_quick = _Worker("lazygrad-planning")


def submit(key: Hashable, function: Callable[[], object], is_quick: bool = False) -> None:
    """Have ``function()`` called in the background, after what was submitted before it.

    What it raises becomes a warning, the first time.

    Args:
        key: names the work for `wait`; while work of that name is not done, further submissions of it do nothing.
        is_quick: it waits for no other process, and is done without waiting for work that does.
    """
    (_quick if is_quick else _worker).submit(key, function)


def is_pending(key: Hashable) -> bool:
    """Whether work called ``key`` was submitted and is not done."""
    return key in _worker.pending or key in _quick.pending


def wait(key: Hashable, timeout: float | None = None) -> bool:
    """Wait until no work called ``key`` is left to do, be it that it succeeded, failed or was never submitted.

    Args:
        timeout: seconds; None waits for as long as it takes.

    Returns:
        False if the time was not enough.
    """
    done = _worker.pending.get(key) or _quick.pending.get(key)
    return done is None or done.wait(timeout)


def wait_for_all() -> None:
    """Wait until no work is left to do."""
    for done in [*_quick.pending.values(), *_worker.pending.values()]:
        done.wait()


def _after_fork() -> None:
    """A forked child has none of its parent's threads: forget what was to be done."""
    global _worker, _quick
    _worker, _quick = _Worker(), _Worker("lazygrad-planning")


os.register_at_fork(after_in_child=_after_fork)


class _Exit:
    """What happens when the program ends while there is work."""

    def __init__(self) -> None:
        self.begun = False
        self.stops: list[Callable[[], None]] = []


_exit = _Exit()


def program_ends() -> bool:
    """Whether the interpreter is shutting down, so that nothing new should be started and no failure is news."""
    return _exit.begun


def stop_at_exit(stop: Callable[[], None]) -> None:
    """Have ``stop()`` called when the program ends, to cut short what a task may be waiting for."""
    _exit.stops.append(stop)


@atexit.register
def _finish() -> None:
    _exit.begun = True
    for stop in _exit.stops:
        stop()
    for done in [*_quick.pending.values(), *_worker.pending.values()]:
        if not done.wait(_EXIT_SECONDS):
            return
