"""How much memory the machine has, and the error for a request of more."""

from __future__ import annotations

import os
from functools import cache
from math import inf
from pathlib import Path

# To ask how much there is takes longer than to allocate less than this many bytes.
_ASKED_FROM = 1 << 28
_LIMITS_OF_GROUPS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")


class HostMemoryError(RuntimeError, MemoryError):
    """The host has no memory for a value: PyTorch's class of error, and that of Python and numpy."""


def require_memory(size: int) -> None:
    """Refuse what the machine can never hold.

    Linux may promise more memory than there is, and end the process that writes to it.

    Args:
        size: in bytes.

    Raises:
        HostMemoryError: the machine, or the control group of this process, has less.
    """
    if size >= _ASKED_FROM and size > machine_memory():
        raise no_memory(size)


def no_memory(size: int) -> HostMemoryError:
    """The error for a request of ``size`` bytes, in PyTorch's words."""
    return HostMemoryError(
        f"DefaultCPUAllocator: can't allocate memory: you tried to allocate {size} bytes. "
        f"Error code 12 (Cannot allocate memory)"
    )


@cache
def machine_memory() -> float:
    """Bytes of main memory and swap, or fewer where a control group allows fewer; infinite where nothing says."""
    return min(_main_memory() + _swap(), *map(_limit, _LIMITS_OF_GROUPS))


def _main_memory() -> float:
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return inf


def _swap() -> int:
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
    except OSError:
        return 0
    return sum(int(line.split()[1]) * 1024 for line in lines if line.startswith("SwapTotal:"))


def _limit(path: str) -> float:
    try:
        return int(Path(path).read_text(encoding="ascii"))
    except (OSError, ValueError):  # there is no group, or it says "max"
        return inf
