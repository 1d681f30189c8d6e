"""How many processors this process may use."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

_GROUPS = Path("/sys/fs/cgroup")
_OWN_GROUPS = Path("/proc/self/cgroup")


def free_processors(groups: Path = _GROUPS, own_groups: Path = _OWN_GROUPS) -> int:
    """Those that the process is bound to, or fewer where a control group limits processor time; at least 1.

    Args:
        groups: where the control groups are mounted.
        own_groups: the file that names those of this process.
    """
    bound = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    quotas = [-(-quota // period) for quota, period in _quotas(groups, own_groups)]  # a part of one counts as one
    return max(1, min([bound, *quotas]))


def _quotas(groups: Path, own_groups: Path) -> Iterator[tuple[int, int]]:
    """Microseconds of processor time in every so many, for the groups of this process and all that those are in."""
    for line in _text(own_groups).splitlines():
        _, controllers, path = line.split(":", 2)
        if controllers and "cpu" not in controllers.split(","):
            continue
        root = groups / "cpu" if controllers else groups
        folder = root / path.lstrip("/")
        for group in (folder, *folder.parents):
            if controllers:
                words = [_text(group / "cpu.cfs_quota_us").strip(), _text(group / "cpu.cfs_period_us").strip()]
            else:
                words = _text(group / "cpu.max").split()
            if len(words) == 2 and all(word.isdecimal() for word in words) and int(words[1]):
                yield int(words[0]), int(words[1])
            if group == root:
                break


def _text(file: Path) -> str:
    """What a file holds; nothing where it is not there."""
    try:
        return file.read_text(encoding="ascii")
    except OSError:
        return ""
