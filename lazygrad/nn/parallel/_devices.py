"""The devices that modules are spread over."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lazygrad.host.allocator import why_unavailable
from lazygrad.ir.device import Device


def all_devices() -> list[Device]:
    """The CUDA devices that there are."""
    found: list[Device] = []
    while why_unavailable(device := Device("cuda", len(found))) is None:
        found.append(device)
    return found


def devices_of(named: Sequence[Any] | None) -> list[Device]:
    """Devices by their ordinals, names or objects; all that there are for None."""
    if named is None:
        return all_devices()
    return [Device("cuda", each) if isinstance(each, int) else Device(each).place for each in named]
