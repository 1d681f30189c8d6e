"""Which CUDA devices there are, what they are, and which of them is the current one of a thread."""

from __future__ import annotations

import contextlib
from typing import Any, NoReturn

from lazygrad.ir.device import Device, current_ordinal, set_current_ordinal
from lazygrad.ir.device import device_of as named_device
from lazygrad.targets.cuda import drivers
from lazygrad.targets.cuda.driver import Driver, Properties


class MissingError(RuntimeError, AttributeError):
    """What lazygrad's CUDA has not. An AttributeError too, so that ``hasattr`` answers False."""


def is_available() -> bool:
    """Whether tensors can be placed on a CUDA device. Where this is False, `why_unavailable` says why."""
    return device_count() > 0


def why_unavailable() -> str | None:
    """Which piece is missing that CUDA needs, and what to install; None where it can be used."""
    return drivers.missing_piece()


def device_count() -> int:
    """How many CUDA devices there are to use; ``CUDA_VISIBLE_DEVICES`` says which of the machine's are."""
    return drivers.device_count()


def is_initialized() -> bool:
    """Whether any CUDA device is in use."""
    return drivers.in_use()


def init() -> None:
    """Take the current device into use now rather than with the first tensor.

    Raises:
        RuntimeError: CUDA cannot be used.
    """
    driver_of(None)


def place_of(device: Any, any_type: bool = False) -> Device:
    """The CUDA device that an argument means: the current one for None, and one with an ordinal in any case.

    Args:
        device: a name, an ordinal, a device, or None.
        any_type: let -1 and devices of other types pass, for which the current one is returned.

    Raises:
        RuntimeError: it is not there.
        ValueError: it is not a CUDA device.
    """
    if device is None or device == -1:
        found = Device("cuda")
    else:
        found = named_device(device)
        if found.type != "cuda":
            if not any_type:
                raise ValueError(f"Expected a cuda device, but got: {found}")
            found = Device("cuda")
    place = found.place
    reason = drivers.why_unavailable(place)
    if reason is not None:
        refuse(reason)
    return place


def refuse(reason: str) -> NoReturn:
    """Raises RuntimeError: CUDA cannot be used."""
    raise RuntimeError(f"no CUDA device or back end is available: {reason}")


def driver_of(device: Any) -> Driver:
    """The driver of the device that an argument means; the errors are those of `place_of`."""
    return drivers.driver_of(place_of(device))


def current_device() -> int:
    """The ordinal of the device that ``"cuda"`` means on this thread.

    Raises:
        RuntimeError: CUDA cannot be used.
    """
    return place_of(None).index or 0


def set_device(device: Any) -> None:
    """Choose the device that ``"cuda"`` means on this thread; -1 leaves it as it is.

    Raises:
        RuntimeError: it is not there.
        ValueError: it is not a CUDA device.
    """
    set_current_ordinal("cuda", place_of(device).index or 0)


class device(contextlib.AbstractContextManager[None]):
    """Makes a device the current one inside a ``with`` block; None and -1 leave it as it is.

    Args:
        device: a name, an ordinal or a device.

    Raises:
        RuntimeError: on entering, a device that is not there.
    """

    def __init__(self, device: Any) -> None:
        self._device, self._outer = device, 0

    def __enter__(self) -> None:
        self._outer = current_ordinal("cuda")
        if self._device is not None and self._device != -1:
            set_device(self._device)

    def __exit__(self, *error: object) -> None:
        set_current_ordinal("cuda", self._outer)


class device_of(device):
    """Makes the device of a tensor the current one inside a ``with`` block, if that is a CUDA device."""

    def __init__(self, obj: Any) -> None:
        super().__init__(obj.device if obj.is_cuda else -1)


def get_device_name(device: Any = None) -> str:
    """The name of a device, by default the current one; the errors are those of `get_device_properties`."""
    return driver_of(device).name


def get_device_properties(device: Any = None) -> Properties:
    """What a device is, by default the current one.

    Raises:
        RuntimeError: it is not there.
        ValueError: it is not a CUDA device.
    """
    return driver_of(device).properties


def get_device_capability(device: Any = None) -> tuple[int, int]:
    """The version of what a device can do, ``(9, 0)`` for sm_90; the errors are those of `get_device_properties`."""
    properties = get_device_properties(device)
    return properties.major, properties.minor


def get_arch_list() -> list[str]:
    """The architectures that kernels can be compiled for here; none where CUDA cannot be used."""
    from lazygrad.targets.cuda import nvrtc  # with what keeps files on disk, which most programs never need

    return [f"sm_{number}" for number in nvrtc.architectures()] if is_available() and not nvrtc.missing() else []


def is_bf16_supported(including_emulation: bool = True) -> bool:
    """Whether the current device computes bfloat16. Every one does; those before sm_80 by way of float32."""
    return is_available() and (including_emulation or get_device_capability() >= (8, 0))


def is_tf32_supported() -> bool:
    """Whether the current device multiplies matrices in TF32."""
    return is_available() and get_device_capability() >= (8, 0)


def can_device_access_peer(device: Any, peer_device: Any) -> bool:
    """Whether kernels of a device read another's memory: False, what passes between devices is copied.

    Raises:
        AssertionError: a device that is not there.
    """
    for each in (device, peer_device):
        if drivers.why_unavailable(named_device(each).place) is not None:
            raise AssertionError(f"Invalid device id: {each}")
    return False


def synchronize(device: Any = None) -> None:
    """Wait for the work of a device, by default the current one. What is pending is not asked for by this.

    Raises:
        RuntimeError: it is not there, or a kernel failed.
    """
    driver_of(device).synchronize()


def ipc_collect() -> None:
    """Does nothing: memory is not shared between processes."""
