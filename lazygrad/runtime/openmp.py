"""Loading code that uses OpenMP, whose runtime reads its settings from the environment when it is first loaded."""

from __future__ import annotations

import ctypes
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

# How often a thread looks for its partners before it sleeps: about 1 ms, what Python needs to record a small step.
# Waking a sleeping one took 0.1 ms where it was measured; GNU's own default of 20 ms keeps other programs waiting.
_SPINS = "20000"
_lock = threading.Lock()


def load_shared_object(path: Path, mode: int = ctypes.RTLD_LOCAL) -> ctypes.CDLL:
    """Load ``path`` with all its symbols resolved.

    Raises:
        OSError: it cannot be loaded.
    """
    with _lock, _short_spins():
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
