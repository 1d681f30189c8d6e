"""The team of threads that compiled plans and the library hand out work to: ``codegen_templates/c/team.c``."""

from __future__ import annotations

import ctypes
import threading

from lazygrad.host.background import while_waiting
from lazygrad.host.forks import unlocked_in_child
from lazygrad.targets.c.build import build, include_folder, load_object

_lock = unlocked_in_child(threading.Lock())
_loaded: list[ctypes.CDLL] = []


def load() -> ctypes.CDLL:
    """Build the team if need be, and load it so that later objects find its functions; once per process.

    Returns:
        Its library.

    Raises:
        BuildError: it cannot be built or loaded.
    """
    if _loaded:
        return _loaded[0]
    with while_waiting():
        _lock.acquire()
    try:
        if not _loaded:
            source = (include_folder() / "team.c").read_text(encoding="utf-8")
            team = load_object(build(source, "team"), ctypes.RTLD_GLOBAL)
            team.lg_run_again.argtypes, team.lg_run_again.restype = [ctypes.c_void_p], ctypes.c_int32
            _loaded.append(team)
    finally:
        _lock.release()
    return _loaded[0]
