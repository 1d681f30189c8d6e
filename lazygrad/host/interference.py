"""How much of the processors other programs used meanwhile: what is timed beside a test suite says little."""

from __future__ import annotations

import os
import time
from pathlib import Path

_STATISTICS = Path("/proc/stat")
_TICKS_PER_SECOND = 100  # the kernel counts in hundredths of a second on every Linux platform


class Interference:
    """Watches from its construction on."""

    def __init__(self) -> None:
        self._wall, self._busy = time.perf_counter(), _busy_seconds()

    def share(self, own_seconds: float) -> float | None:
        """The part of all processors that went to other programs so far; None where the system does not tell.

        Args:
            own_seconds: processor time that the measured processes used since the construction.
        """
        busy = _busy_seconds()
        if busy is None or self._busy is None:
            return None
        available = (time.perf_counter() - self._wall) * (os.cpu_count() or 1)
        return max(0.0, (busy - self._busy - own_seconds) / available)


def _busy_seconds() -> float | None:
    """Processor seconds used by anyone since the machine started: all that is counted but idling and waiting."""
    if not _STATISTICS.exists():
        return None
    user, nice, system, _, _, *interrupts_and_stolen = map(int, _STATISTICS.read_text().split("\n", 1)[0].split()[1:9])
    return (user + nice + system + sum(interrupts_and_stolen)) / _TICKS_PER_SECOND
