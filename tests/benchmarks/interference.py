"""How much of the processors other programs used meanwhile: a benchmark beside a test suite says little."""

from __future__ import annotations

import os
import time
from pathlib import Path

_STATISTICS = Path("/proc/stat")
_TICKS_PER_SECOND = 100  # the kernel counts in hundredths of a second on every Linux platform


class Interference:
    """Watches from its construction on."""

    def __init__(self) -> None:
        self._wall, self._own, self._all = time.perf_counter(), time.process_time(), _busy_seconds()

    def share(self) -> float | None:
        """The part of all processors that went to other programs so far; None where the system does not tell."""
        busy = _busy_seconds()
        if busy is None or self._all is None:
            return None
        others = (busy - self._all) - (time.process_time() - self._own)
        available = (time.perf_counter() - self._wall) * (os.cpu_count() or 1)
        return max(0.0, others / available)


def _busy_seconds() -> float | None:
    """Processor seconds used by anyone since the machine started: all that is counted but idling and waiting."""
    if not _STATISTICS.exists():
        return None
    user, nice, system, _, _, *interrupts_and_stolen = map(int, _STATISTICS.read_text().split("\n", 1)[0].split()[1:9])
    return (user + nice + system + sum(interrupts_and_stolen)) / _TICKS_PER_SECOND
