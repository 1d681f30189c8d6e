"""Forks: what a child process must find whole, though of all threads only the one that forked lives on in it.

A lock that another thread holds at that moment stays locked in the child, and what it guards may be half-changed. So
the thread that forks first takes the locks that are listed here, which means that it waits for realizations under way;
both processes then give them back. Other locks are only ever held for a moment, and guard what a half-done change does
not harm: those are unlocked in the child.
"""

from __future__ import annotations

import _thread
import os
import sys
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from types import CodeType, FrameType
from typing import Any, TypeVar
from weakref import WeakSet

from lazygrad.host.warn_once import warn_once

_COURTESY_SECONDS = 0.002  # for a thread that waits for a lock to wake up and take it, before it is taken again
PATIENCE_SECONDS = 60.0  # a thread may wait, inside a realization, for what only the one that forks can give it

_Lock = TypeVar("_Lock")
_held: WeakSet[Any] = WeakSet()
_unlocked: WeakSet[Any] = WeakSet()
_registering = threading.RLock()  # a set that grows cannot be walked


def held_at_fork(lock: _Lock) -> _Lock:
    """Have a reentrant lock, for as long as it exists, held by any thread that forks. Returns it."""
    with _registering:
        _held.add(lock)
    return lock


def unlocked_in_child(lock: _Lock) -> _Lock:
    """Have a lock, for as long as it exists, unlocked in a forked child, whoever held it before. Returns it."""
    with _registering:
        _unlocked.add(lock)
    return lock


class _Waiting:
    """How many threads of this process wait for locks, in order to fork."""

    def __init__(self) -> None:
        self.forks = 0


waiting = _Waiting()


def let_forks_go_first() -> None:
    """Called, while a fork waits, by a thread that is about to take a lock of `held_at_fork` once more: a thread that
    takes it again as soon as it has given it back would not let another one have it."""
    time.sleep(_COURTESY_SECONDS)


class _Fork(threading.local):
    """What this thread did in order to fork: the locks it took, those it could not get, whether Ctrl-C came."""

    def __init__(self) -> None:
        self.taken: list[Any] = []
        self.missed: list[Any] = []
        self.was_interrupted = False


_fork = _Fork()


def _before() -> None:
    with _registering:
        locks = list(_held)
        waiting.forks += 1
    taken: list[Any] = []
    try:
        _take_all(locks, time.monotonic() + PATIENCE_SECONDS, taken)
    except KeyboardInterrupt:
        _release_all(taken)
        _fork.was_interrupted = True
    if len(taken) < len(locks):
        taken = [lock for lock in locks if lock.acquire(blocking=False)]
        _warn()
    _fork.taken, _fork.missed = taken, [lock for lock in locks if lock not in taken]
    with _registering:
        waiting.forks -= 1


def _take_all(locks: Sequence[Any], deadline: float, taken: list[Any]) -> None:
    """Take all locks, unless that takes too long. Never waits for one while it holds another: there is no order of
    locks that every thread keeps to."""
    first = 0
    while len(taken) < len(locks):
        order = [*locks[first:], *locks[:first]]
        for lock in order:
            if not lock.acquire(timeout=0.0 if taken else max(0.0, deadline - time.monotonic())):
                break
            taken.append(lock)
        else:
            return
        if not taken:
            return
        first = (first + len(taken)) % len(locks)
        _release_all(taken)


def _release_all(locks: list[Any]) -> None:
    while locks:
        locks.pop().release()


def _warn() -> None:
    with suppress(RuntimeWarning):  # a program that turns warnings into errors can't catch one here
        warn_once(
            "fork",
            f"this process forked while another thread was computing, which did not end within {PATIENCE_SECONDS:g} s: "
            "in the child, tensors that this thread was about to change may hold anything",
        )


def _after_in_parent() -> None:
    _release_all(_fork.taken)
    if _fork.was_interrupted:
        _fork.was_interrupted = False
        # What is raised in this function would only be printed. So another thread raises it, once this one has left.
        # That thread is not started by `threading`, whose `start` waits for the new thread to run.
        _thread.start_new_thread(_interrupt_after_fork, ())


def _interrupt_after_fork() -> None:
    main = threading.main_thread().ident
    assert main is not None
    time.sleep(_COURTESY_SECONDS)
    while _is_running(_after_in_parent.__code__, sys._current_frames().get(main)):
        time.sleep(_COURTESY_SECONDS)
    _thread.interrupt_main()


def _is_running(code: CodeType, frame: FrameType | None) -> bool:
    while frame is not None and frame.f_code is not code:
        frame = frame.f_back
    return frame is not None


def _after_in_child() -> None:
    _registering._at_fork_reinit()  # type: ignore[attr-defined]
    for lock in (*_fork.missed, *_unlocked):
        lock._at_fork_reinit()
    waiting.forks, _fork.was_interrupted = 0, False
    _release_all(_fork.taken)


os.register_at_fork(before=_before, after_in_parent=_after_in_parent, after_in_child=_after_in_child)
