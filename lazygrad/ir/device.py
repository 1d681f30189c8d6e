"""Where a value lives: a device type and an ordinal, in PyTorch's spelling."""

from __future__ import annotations

import threading
from typing import Any

from lazygrad.ir.settings import Settings

# `meta` and `null` have no values: `meta` is PyTorch's name of what `null` also does, plan without computing.
KNOWN_TYPES = ["cpu", "cuda", "mps", "xpu", "meta", "null"]
_WITHOUT_VALUES = ("meta", "null")
_WITHOUT_ORDINALS = ("cpu", *_WITHOUT_VALUES)


def register_device_type(name: str) -> None:
    """Make ``name`` a type of device whose values exist; nothing happens where it is one.

    Raises:
        ValueError: no lower-case identifier.
    """
    if not (name.isascii() and name.isidentifier() and name.islower()):
        raise ValueError(f"a device type is a lower-case identifier, not {name!r}")
    if name not in KNOWN_TYPES:
        KNOWN_TYPES.append(name)


class _Current(Settings, threading.local):
    """Which devices a type without an ordinal means: pairs of a type and an ordinal; others mean their first."""

    def __init__(self) -> None:
        self.ordinals: tuple[tuple[str, int], ...] = ()


_current = _Current()


def current_ordinals() -> tuple[tuple[str, int], ...]:
    """The ordinals that were chosen on this thread by `set_current_ordinal`, by type of device."""
    return _current.ordinals


def current_ordinal(type: str) -> int:
    """The ordinal that a device of ``type`` without one means, on this thread."""
    return dict(_current.ordinals).get(type, 0)


def set_current_ordinal(type: str, ordinal: int) -> None:
    """Let a device of ``type`` without an ordinal mean this one, on this thread."""
    _current.ordinals = tuple(sorted((dict(_current.ordinals) | {type: ordinal}).items()))


class Device:
    """``Device("cuda", 0)`` or ``Device("cuda:0")``. Interned: equal devices are one object; immutable.

    Used as a context manager, it is where tensors are created that name no device.

    Attributes:
        type: one of `KNOWN_TYPES`.
        index: the ordinal, or None.
        computes: whether values on it exist; where they do not, shapes, kernels and source still do.

    Raises:
        RuntimeError: a name that means nothing, an ordinal that is negative or given twice.
        TypeError: neither a name, an ordinal nor a Device.
    """

    __slots__ = ("_place", "computes", "index", "type")

    type: str
    index: int | None
    computes: bool
    _place: Device | None

    def __new__(cls, type: str | int | Device, index: int | None = None) -> Device:
        if isinstance(type, Device) and index is None:
            return type
        if isinstance(type, int) and not isinstance(type, bool) and index is None:
            index, type = type, "cuda"
        if not isinstance(type, str):
            raise TypeError(f"device(): expected a name such as 'cpu', an ordinal or a device, not {type!r}")
        if ":" in type:
            if index is not None:
                raise RuntimeError(f"device {type!r} names an index already; leave index={index} out")
            type, _, number = type.partition(":")
            if not number.isdecimal() or len(number) > 3:
                raise RuntimeError(f"Invalid device string: {type + ':' + number!r}; write for example 'cuda:0'")
            index = int(number)
        if type not in KNOWN_TYPES:
            raise RuntimeError(
                f"Expected one of {', '.join(KNOWN_TYPES)} device type at start of device string: {type}"
            )
        if index is not None and index < 0:
            raise RuntimeError(f"Device index must not be negative, but got {index}")
        found = _devices.get((type, index))
        if found is None:
            made = super().__new__(cls)
            made.type, made.index, made.computes = type, index, type not in _WITHOUT_VALUES
            if type in _WITHOUT_ORDINALS:
                made._place = made if index is None else cls(type)
            else:
                made._place = made if index is not None else None  # the current one, whichever that is
            found = _devices.setdefault((type, index), made)  # another thread may have been faster
        return found

    @property
    def place(self) -> Device:
        """The device that tensors say they are on when they are put here: ``cuda`` means the current one, ``cuda:0``
        unless another was chosen, and ``cpu:0`` means ``cpu``, of which there is one."""
        place = self._place
        return Device(self.type, current_ordinal(self.type)) if place is None else place

    def __str__(self) -> str:
        return self.type if self.index is None else f"{self.type}:{self.index}"

    def __repr__(self) -> str:
        ordinal = "" if self.index is None else f", index={self.index}"
        return f"device(type='{self.type}'{ordinal})"

    def __reduce__(self) -> tuple[object, ...]:
        return device_of, (str(self),)

    def __enter__(self) -> Device:
        _default.outer.append(_default.device)
        _default.device = self
        return self

    def __exit__(self, *error: object) -> None:
        _default.device = _default.outer.pop()


_devices: dict[tuple[str, int | None], Device] = {}
CPU = Device("cpu")


class _Default(Settings, threading.local):
    """The device of tensors that name none, and those that it returns to."""

    def __init__(self) -> None:
        self.device = CPU
        self.outer: list[Device] = []


_default = _Default()


def device_of(device: Device | str | int | None) -> Device:
    """The one Device object for a name, an ordinal (a CUDA one) or a Device; None is the default device."""
    if device is None:
        return _default.device
    return device if isinstance(device, Device) else Device(device)


def get_default_device() -> Device:
    """Where tensors are created that name no device: the CPU, unless `set_default_device` or ``with device`` says."""
    return _default.device


def set_default_device(device: Any) -> None:
    """Create tensors that name no device on this one, in this thread; None returns to the CPU."""
    _default.device = CPU if device is None else device_of(device)
