"""``lazygrad.cuda``: answers whether CUDA can be used, which it cannot, so that programs that ask take the CPU.

Questions have PyTorch's answers on a machine without a GPU, and what prepares, measures or empties something does
nothing, as there is nothing; what would need a device raises RuntimeError.
"""

from __future__ import annotations

import contextlib
from importlib import import_module
from typing import Any, NoReturn

from lazygrad.host.allocator import OutOfMemoryError as OutOfMemoryError

_MISSING = "lazygrad has no CUDA backend yet"


def is_available() -> bool:
    """Whether tensors can be placed on a CUDA device: False."""
    return False


def device_count() -> int:
    """How many CUDA devices there are to use: 0."""
    return 0


def is_initialized() -> bool:
    """Whether CUDA is in use: False."""
    return False


def is_bf16_supported(including_emulation: bool = True) -> bool:
    """Whether a CUDA device computes bfloat16: False, there is none."""
    return False


def is_current_stream_capturing() -> bool:
    """Whether a CUDA graph is being recorded: False."""
    return False


def get_arch_list() -> list[str]:
    """The GPU architectures this library was compiled for: none."""
    return []


# Seeds: `lazygrad.manual_seed` seeds all there is.


def manual_seed(seed: int) -> None:
    """Does nothing: there is no device to seed. `lazygrad.manual_seed` seeds the CPU."""


def manual_seed_all(seed: int) -> None:
    """Does nothing, like `manual_seed`."""


def seed() -> None:
    """Does nothing, like `manual_seed`."""


def seed_all() -> None:
    """Does nothing, like `manual_seed`."""


def get_rng_state_all() -> list[Any]:
    """The states of all devices' generators: none."""
    return []


def set_rng_state_all(new_states: list[Any]) -> None:
    """Continue all devices' generators, of which there are none.

    Raises:
        RuntimeError: a state is given.
    """
    if new_states:
        _refuse("set_rng_state_all")


# Memory of devices, of which there is none.


def empty_cache() -> None:
    """Does nothing: no memory is held on a device."""


def ipc_collect() -> None:
    """Does nothing, like `empty_cache`."""


def reset_peak_memory_stats(device: Any = None) -> None:
    """Does nothing: there are no such statistics."""


def memory_allocated(device: Any = None) -> int:
    """Bytes that tensors take on the device: 0."""
    return 0


max_memory_allocated = memory_reserved = max_memory_reserved = memory_allocated


# Devices and streams, which do not exist.


class device(contextlib.AbstractContextManager[None]):
    """Makes a device the current one inside a ``with`` block; None and -1 leave it as it is.

    Raises:
        RuntimeError: on entering, any other device.
    """

    def __init__(self, device: Any) -> None:
        self._device = device

    def __enter__(self) -> None:
        if self._device is not None and self._device != -1:
            _refuse("device")

    def __exit__(self, *error: object) -> None:
        """Nothing was changed."""


class _Placeholder:
    """A class that exists to be named in annotations and ``isinstance``; making one raises RuntimeError."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        _refuse(type(self).__name__)


class Stream(_Placeholder):
    """A queue of work on a device. RuntimeError when made: there is no device."""


class Event(_Placeholder):
    """A mark in a queue of work. RuntimeError when made: there is no device. Use `time.perf_counter` on the CPU."""


class CUDAGraph(_Placeholder):
    """Recorded work of a device. RuntimeError when made; `lazygrad.compile` replays whole calls on the CPU."""


class AcceleratorError(RuntimeError):
    """Raised nowhere: what an accelerator reports when it fails."""


def current_device() -> int:
    """The ordinal of the device in use. RuntimeError: there is none."""
    _refuse("current_device")


def set_device(device: Any) -> None:
    """Choose the device to use. RuntimeError: there is none."""
    _refuse("set_device")


def synchronize(device: Any = None) -> None:
    """Wait for a device's work. RuntimeError: there is none."""
    _refuse("synchronize")


class MissingError(RuntimeError, AttributeError):
    """What would need a CUDA device. An AttributeError too, so that ``hasattr`` answers False."""


def _refuse(name: str) -> NoReturn:
    raise MissingError(f"{_MISSING}, so there is no cuda.{name}; ask cuda.is_available() first")


def __getattr__(name: str) -> Any:
    if name == "amp":  # loaded when first used, so that importing the package stays quick
        return import_module("lazygrad.cuda.amp")
    if name.startswith("_"):
        raise AttributeError(f"module 'lazygrad.cuda' has no attribute {name!r}")
    _refuse(name)
