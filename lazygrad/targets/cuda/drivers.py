"""Which driver serves which CUDA device: one way to reach the devices of this process, and a driver for each in use."""

from __future__ import annotations

import os

from lazygrad.host.allocator import forget_allocators
from lazygrad.ir.device import Device
from lazygrad.targets.cuda.cupy_installation import CupyInstallation
from lazygrad.targets.cuda.driver import Driver
from lazygrad.targets.cuda.installation import Installation


class _Drivers:
    installation: Installation = CupyInstallation()
    opened: dict[int, Driver] = {}  # noqa: RUF012, it is the process's
    process = 0


def install(installation: Installation) -> Installation:
    """Reach devices another way from now on, and forget the drivers in use; returns the way before."""
    before = _Drivers.installation
    _Drivers.installation, _Drivers.opened = installation, {}
    forget_allocators("cuda")
    return before


def missing_piece() -> str | None:
    """What is not there that CUDA needs, and what to install; None where CUDA can be used."""
    return _Drivers.installation.missing()


def device_count() -> int:
    """How many CUDA devices can be used: 0 where a piece is missing."""
    return 0 if missing_piece() is not None else _Drivers.installation.count()


def why_unavailable(device: Device) -> str | None:
    """Why nothing can be placed on a CUDA device, or None."""
    missing = missing_piece()
    if missing is not None:
        return missing
    count, ordinal = _Drivers.installation.count(), device.index or 0
    if ordinal < count:
        return None
    there = f"there are {count} devices" if count != 1 else "there is one device"
    return f"CUDA error: invalid device ordinal: {there}, counted from 0"


def in_use() -> bool:
    """Whether any device has been used."""
    return bool(_Drivers.opened)


def driver_of(device: Device) -> Driver:
    """The driver of a CUDA device.

    Raises:
        RuntimeError: the device is not there, or the process that uses it was forked.
    """
    ordinal = device.index or 0
    driver = _Drivers.opened.get(ordinal)
    if driver is None:
        reason = why_unavailable(device)
        if reason is not None:
            raise RuntimeError(reason)
        if _Drivers.opened:
            check_process()
        _Drivers.process = os.getpid()
        driver = _Drivers.opened[ordinal] = _Drivers.installation.open(ordinal)
    return driver


def check_process() -> None:
    """Raises RuntimeError in a process that was forked from one that uses CUDA, which then cannot be used."""
    if _Drivers.process != os.getpid():
        raise RuntimeError(
            "Cannot re-initialize CUDA in forked subprocess. To use CUDA with multiprocessing, you must use the "
            "'spawn' start method"
        )
