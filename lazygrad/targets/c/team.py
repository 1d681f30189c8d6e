"""The team of threads that compiled plans and the library hand out work to: ``codegen_templates/c/team.c``."""

from __future__ import annotations

import ctypes
import threading
from pathlib import Path

from lazygrad.host.background import holding
from lazygrad.host.disk_cache import intact_object
from lazygrad.host.forks import unlocked_in_child
from lazygrad.targets.c.build import build, include_folder, load_object

_lock = unlocked_in_child(threading.Lock())
_loaded: list[tuple[Path, ctypes.CDLL]] = []


def load() -> ctypes.CDLL:
    """Build the team if need be, and load it so that later objects find its functions; once per process.

    Returns:
        Its library.

    Raises:
        BuildError: it cannot be built or loaded.
    """
    if not _loaded:
        with holding(_lock):
            if not _loaded:
                source = (include_folder() / "team.c").read_text(encoding="utf-8")
                _take(build(source, "team"))
    return _loaded[0][1]


def load_built(entry: str) -> bool:
    """Load the team that an earlier process built, unless one is loaded; whether there is one now.

    Args:
        entry: what its object is called in the cache on disk.

    Raises:
        BuildError: it cannot be loaded.
        OSError: the folder cannot be read.
    """
    if not _loaded and _lock.acquire(blocking=False):  # who holds it may build one, and is not waited for
        try:
            path = intact_object(entry)
            if path is not None and not _loaded:
                _take(path)
        finally:
            _lock.release()
    return bool(_loaded)


def entry() -> str:
    """What the loaded team's object is called in the cache on disk."""
    load()
    return _loaded[0][0].stem


def _take(path: Path) -> None:
    team = load_object(path, ctypes.RTLD_GLOBAL)
    team.lg_run_again.argtypes, team.lg_run_again.restype = [ctypes.c_void_p], ctypes.c_int32
    _loaded.append((path, team))
