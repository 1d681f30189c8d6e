"""How long threads of this process run before others do: shorter turns while a worker in the background has work."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

# A worker gives up its turn with each file that it looks at. To get it back from a program that computes in Python, it
# waits for the end of a turn, 5 milliseconds: the modules and files that one plan takes would last for seconds.
_TURN_SECONDS = 5e-4


class _Turns:
    """How long threads of this process may run before others do.

    Attributes:
        workers: how many are at work.
        usual, short: the seconds while none is, and while one is.
    """

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.workers, self.usual, self.short = 0, 0.0, 0.0

    def begin(self) -> None:
        with self.lock:
            self.workers += 1
            if self.workers == 1:
                self.usual = sys.getswitchinterval()
                sys.setswitchinterval(min(self.usual, _TURN_SECONDS))
                self.short = sys.getswitchinterval()  # whole microseconds

    def end(self) -> None:
        with self.lock:
            self.workers -= 1
            if self.workers == 0:
                self.restore()

    def restore(self) -> None:
        """Unless the program has changed it meanwhile."""
        if sys.getswitchinterval() == self.short:
            sys.setswitchinterval(self.usual)


_turns = _Turns()


@contextmanager
def short_turns() -> Iterator[None]:
    """Within this context the thread, and all others of the process, wait less for their turns."""
    turns = _turns
    turns.begin()
    try:
        yield
    finally:
        turns.end()


def _after_fork() -> None:
    """A forked child has no workers."""
    global _turns
    if _turns.workers:
        _turns.restore()
    _turns = _Turns()


os.register_at_fork(after_in_child=_after_fork)
