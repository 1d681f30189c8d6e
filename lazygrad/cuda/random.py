"""Seeds and states of CUDA devices' random numbers: those of dropout and its kin, and of `lazygrad.Generator`.

Functions that create tensors draw the CPU's numbers on every device, so that a model begins alike wherever it is made.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from lazygrad.cuda.devices import device_count, is_available, place_of
from lazygrad.ops.random.generator import DeviceGenerator
from lazygrad.runtime.device_streams import seed_devices
from lazygrad.tensor import Tensor


def _generator(device: Any) -> DeviceGenerator:
    return DeviceGenerator(place_of(device))


def get_rng_state(device: Any = "cuda") -> Tensor:
    """Seed and offset of a device's random numbers, as a uint8 tensor of 16 elements on the CPU.

    Raises:
        RuntimeError: the device is not there.
    """
    return _generator(device).get_state()


def get_rng_state_all() -> list[Tensor]:
    """The states of all devices."""
    return [get_rng_state(ordinal) for ordinal in range(device_count())]


def set_rng_state(new_state: Tensor, device: Any = "cuda") -> None:
    """Continue a device's random numbers from what `get_rng_state` returned.

    Raises:
        RuntimeError: the device is not there, or this is no such state.
        TypeError: not a uint8 tensor.
    """
    _generator(device).set_state(new_state)


def set_rng_state_all(new_states: Iterable[Tensor]) -> None:
    """Continue the random numbers of all devices; the errors are those of `set_rng_state`."""
    for ordinal, state in enumerate(new_states):
        set_rng_state(state, ordinal)


def manual_seed(seed: int) -> None:
    """Restart the random numbers of the current device; does nothing where CUDA cannot be used."""
    if is_available():
        _generator(None).manual_seed(int(seed))


def manual_seed_all(seed: int) -> None:
    """Restart the random numbers of all devices, those too that are not in use yet."""
    seed_devices(int(seed))


def seed() -> None:
    """Restart the random numbers of the current device with a seed of the operating system."""
    if is_available():
        _generator(None).seed()


def seed_all() -> None:
    """Restart the random numbers of all devices, each with a seed of its own of the operating system."""
    for ordinal in range(device_count()):
        _generator(ordinal).seed()


def initial_seed() -> int:
    """The seed of the current device's random numbers.

    Raises:
        RuntimeError: CUDA cannot be used.
    """
    return _generator(None).initial_seed()
