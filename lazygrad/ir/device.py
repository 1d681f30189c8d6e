"""Where a value lives: a device type and an ordinal, in PyTorch's spelling."""

from __future__ import annotations

from functools import cache

KNOWN_TYPES = ("cpu", "cuda", "null")


class Device:
    """``Device("cuda", 0)`` or ``Device("cuda:0")``. Interned by `device_of`; immutable.

    ``null`` plans without computing: shapes, kernels and source exist, values do not.
    """

    __slots__ = ("index", "type")

    def __init__(self, type: str, index: int | None = None) -> None:
        if ":" in type:
            if index is not None:
                raise RuntimeError(f"device {type!r} names an index already; leave index={index} out")
            type, _, ordinal = type.partition(":")
            if not ordinal.isdigit():
                raise RuntimeError(f"invalid device string {type + ':' + ordinal!r}: write for example 'cuda:0'")
            index = int(ordinal)
        if type not in KNOWN_TYPES:
            raise RuntimeError(f"unknown device type {type!r}: expected one of {', '.join(KNOWN_TYPES)}")
        self.type, self.index = type, index

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Device) and (self.type, self.index) == (other.type, other.index)

    def __hash__(self) -> int:
        return hash((self.type, self.index))

    def __str__(self) -> str:
        return self.type if self.index is None else f"{self.type}:{self.index}"

    def __repr__(self) -> str:
        ordinal = "" if self.index is None else f", index={self.index}"
        return f"device(type='{self.type}'{ordinal})"

    def __reduce__(self) -> tuple[object, ...]:
        return device_of, (str(self),)


@cache
def _interned(name: str) -> Device:
    return Device(name)


def device_of(device: Device | str | int | None) -> Device:
    """The one Device object for a name, an ordinal (a CUDA one) or a Device; None is the CPU."""
    if device is None:
        return CPU
    if isinstance(device, int) and not isinstance(device, bool):
        device = f"cuda:{device}"
    return _interned(str(device))


CPU = _interned("cpu")
NULL = _interned("null")
