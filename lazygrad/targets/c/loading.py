"""Loading shared objects."""

from __future__ import annotations

import ctypes
import os
import threading
from pathlib import Path

from lazygrad.host.forks import held_at_fork

_lock = held_at_fork(threading.RLock())  # the loader has a lock of its own, which a child could find locked


def load_shared_object(path: Path, mode: int = ctypes.RTLD_LOCAL) -> ctypes.CDLL:
    """Load ``path`` with all its symbols resolved.

    Raises:
        OSError: it cannot be loaded.
    """
    with _lock:
        return ctypes.CDLL(str(path), mode=mode | os.RTLD_NOW)
