"""Where a value lives: a device type and an ordinal, in PyTorch's spelling."""

from __future__ import annotations

KNOWN_TYPES = ("cpu", "cuda", "null")


class Device:
    """``Device("cuda", 0)`` or ``Device("cuda:0")``. Interned: equal devices are one object; immutable.

    ``null`` plans without computing: shapes, kernels and source exist, values do not.
    """

    __slots__ = ("index", "type")

    type: str
    index: int | None

    def __new__(cls, type: str, index: int | None = None) -> Device:
        if ":" in type:
            if index is not None:
                raise RuntimeError(f"device {type!r} names an index already; leave index={index} out")
            type, _, ordinal = type.partition(":")
            if not ordinal.isdigit():
                raise RuntimeError(f"invalid device string {type + ':' + ordinal!r}: write for example 'cuda:0'")
            index = int(ordinal)
        if type not in KNOWN_TYPES:
            raise RuntimeError(f"unknown device type {type!r}: expected one of {', '.join(KNOWN_TYPES)}")
        found = _devices.get((type, index))
        if found is None:
            made = super().__new__(cls)
            made.type, made.index = type, index
            found = _devices.setdefault((type, index), made)  # another thread may have been faster
        return found

    def __str__(self) -> str:
        return self.type if self.index is None else f"{self.type}:{self.index}"

    def __repr__(self) -> str:
        ordinal = "" if self.index is None else f", index={self.index}"
        return f"device(type='{self.type}'{ordinal})"

    def __reduce__(self) -> tuple[object, ...]:
        return device_of, (str(self),)


_devices: dict[tuple[str, int | None], Device] = {}


def device_of(device: Device | str | int | None) -> Device:
    """The one Device object for a name, an ordinal (a CUDA one) or a Device; None is the CPU."""
    if device is None:
        return CPU
    if isinstance(device, int) and not isinstance(device, bool):
        device = f"cuda:{device}"
    return device if isinstance(device, Device) else Device(str(device))


CPU = Device("cpu")
NULL = Device("null")
