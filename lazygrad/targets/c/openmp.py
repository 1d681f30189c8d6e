"""Loading code that uses OpenMP, whose runtime reads its settings from the environment when it is first loaded, and
whose threads do not survive a fork."""

from __future__ import annotations

import ctypes
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from lazygrad.host.forks import held_at_fork

# How often a thread looks for its partners before it sleeps: about 1 ms, what Python needs to record a small step.
# Waking a sleeping one took 0.1 ms where it was measured; GNU's own default of 20 ms keeps other programs waiting.
_SPINS = "20000"
_lock = held_at_fork(threading.RLock())
_GNU_RUNTIME = "libgomp.so.1"
_HARD = 2  # the kind of pause after which nothing is left of a team


class _Loaded:
    """What this process has loaded of those."""

    any = False


def load_shared_object(path: Path, mode: int = ctypes.RTLD_LOCAL) -> ctypes.CDLL:
    """Load ``path`` with all its symbols resolved.

    Raises:
        OSError: it cannot be loaded.
    """
    with _lock, _short_spins():
        _Loaded.any = True
        return ctypes.CDLL(str(path), mode=mode | os.RTLD_NOW)


@contextmanager
def _short_spins() -> Iterator[None]:
    """Within this context an OpenMP runtime that starts up lets threads wait asleep; the user's settings go first."""
    if "GOMP_SPINCOUNT" in os.environ or "OMP_WAIT_POLICY" in os.environ:
        yield
        return
    os.environ["GOMP_SPINCOUNT"] = _SPINS
    try:
        yield
    finally:
        del os.environ["GOMP_SPINCOUNT"]


def end_team() -> bool:
    """End the threads with which the calling thread has run parallel regions; its next region makes new ones.

    GNU's runtime keeps a team for each thread that asked for one. In a forked child, that of the thread that forked
    would be waited for, but is not there: so the team has to end before the fork.

    Returns:
        Whether parallel regions will work in a child forked now. They will not if this thread is inside one, or if
        the runtime is one that we don't know.
    """
    if not _Loaded.any:
        return True
    try:
        runtime = ctypes.CDLL(_GNU_RUNTIME, mode=os.RTLD_NOLOAD | os.RTLD_NOW)
        return not runtime.omp_pause_resource_all(_HARD)
    except (OSError, AttributeError):  # another runtime, or a GNU one older than OpenMP 5
        return False
