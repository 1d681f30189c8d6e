"""A lock between processes: a file that one of them at a time has locked."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from lazygrad.host.background import while_waiting

_POLL_SECONDS = 0.05


@contextmanager
def file_lock(path: Path, timeout: float) -> Iterator[bool]:
    """Hold the lock ``path`` within this context. The file stays, for whoever wants the lock next.

    The system gives the lock back when a process dies. Where locking fails (no locks on this file system, a holder that
    hangs), the context goes on without.

    Args:
        path: a file in a trusted folder; it is made if need be, and must not be a link.
        timeout: seconds to wait for another holder.

    Returns:
        Whether the lock is held.
    """
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    except OSError:
        yield False
        return
    is_held = False
    try:
        with while_waiting():
            is_held = _acquired(descriptor, time.monotonic() + timeout)
        yield is_held
    finally:
        if is_held:  # closing is not enough: a forked child may have the file open, too
            fcntl.flock(descriptor, fcntl.LOCK_UN)
        os.close(descriptor)


def _acquired(descriptor: int, deadline: float) -> bool:
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= deadline:
                return False
            time.sleep(_POLL_SECONDS)
        except OSError:
            return False
        else:
            return True
