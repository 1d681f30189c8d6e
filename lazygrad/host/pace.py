"""How fast this machine runs Python: what importing the package took of its time.

A decision between two ways compares their costs. Where one was measured in this process and the other only by who wrote
the program, on another machine, the second is given as a share of what both machines have done.
"""

from __future__ import annotations

import time

_began = time.thread_time()
_LEAST, _MOST = 0.1, 0.5  # the first import of all compiles every file, and takes ten times as long


class _Import:
    seconds = _MOST


def is_imported() -> None:
    """Note that the package has been imported; this module was the first of it."""
    _Import.seconds = min(max(time.thread_time() - _began, _LEAST), _MOST)


def import_seconds() -> float:
    """Seconds of processor time that importing the package took, from 0.1 to 0.5."""
    return _Import.seconds
