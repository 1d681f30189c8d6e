"""Random numbers of devices other than the CPU: a seed and an offset, from which Philox makes words.

One stream serves both ways to draw. Kernels compute words from seed and offset themselves (`lazygrad.host.philox`).
What functions draw from a generator is computed on the host, by the CPU's steps from words to numbers, and copied.
"""

from __future__ import annotations

import secrets
import threading

import numpy as np
from numpy.typing import NDArray

from lazygrad.host.forks import unlocked_in_child
from lazygrad.host.philox import blocks_used, philox_u32
from lazygrad.ir.device import CPU, Device
from lazygrad.runtime.random_streams import MT19937Stream

_WORD = 2**64
_STATE = np.dtype("<u8")  # seed and offset


class Counted:
    """A seed, and how many blocks of Philox were drawn."""

    def __init__(self, seed: int) -> None:
        self._lock = unlocked_in_child(threading.Lock())
        self._seed, self._offset = seed % _WORD, 0

    def set(self, seed: int, offset: int) -> None:
        with self._lock:
            self._seed, self._offset = seed % _WORD, offset % _WORD

    def get(self) -> tuple[int, int]:
        with self._lock:
            return self._seed, self._offset

    def take(self, blocks: int) -> tuple[int, int]:
        """The seed, and the offset of the first of ``blocks`` blocks that nobody else draws."""
        with self._lock:
            offset = self._offset
            self._offset = (offset + blocks) % _WORD
            return self._seed, offset


class _PhiloxEngine:
    """The words of a `Counted`, for `MT19937Stream`. Each call takes whole blocks."""

    def __init__(self, counted: Counted) -> None:
        self.counted = counted

    def seed(self, seed: int) -> None:
        self.counted.set(seed, 0)

    def mark(self) -> bytes:
        return np.array(self.counted.get(), _STATE).tobytes()

    def rewind(self, mark: bytes) -> None:
        self.counted.set(*np.frombuffer(mark, _STATE).tolist())

    def words(self, n: int) -> NDArray[np.uint32]:
        return philox_u32(*self.counted.take(blocks_used(n)), n)

    def less(self, n: int, p: float) -> NDArray[np.bool_]:
        words = self.words(2 * n).astype(np.uint64)
        low_bits = (words[0::2] << np.uint64(32) | words[1::2]) & np.uint64(2**53 - 1)
        return np.asarray(low_bits * 2.0**-53 < p)


class DeviceStream(MT19937Stream):
    """The stream of a device's generator.

    Attributes:
        counted: seed and offset.
    """

    def __init__(self, seed: int) -> None:
        self.counted = Counted(seed)
        super().__init__(seed, _PhiloxEngine(self.counted))

    @property
    def seed(self) -> int:
        return self.counted.get()[0]

    def get_state(self) -> NDArray[np.uint8]:
        """Seed and offset, as a one-dimensional uint8 array of 16 elements, which PyTorch's CUDA generators have."""
        with self.lock:
            return np.array(self.counted.get(), _STATE).view(np.uint8)

    def set_state(self, state: NDArray[np.uint8]) -> None:
        """Continue from what ``get_state`` returned.

        Raises:
            RuntimeError: ``state`` has not 16 elements.
        """
        if state.shape != (2 * _STATE.itemsize,):
            raise RuntimeError("RNG state is wrong size")
        with self.lock:
            self.counted.set(*state.view(_STATE).tolist())
            self.cached_normal = None


class _Streams:
    """The streams of devices in use. Those of others begin with the seed that all were given last, if they were."""

    def __init__(self) -> None:
        self.made: dict[Device, DeviceStream] = {}
        self.seed: int | None = None


_streams = _Streams()
_of_cpu = Counted(secrets.randbits(64))


def device_stream(device: Device) -> DeviceStream:
    """The stream of the default generator of a device other than the CPU."""
    found = _streams.made.get(device)
    if found is None:
        seed = secrets.randbits(64) if _streams.seed is None else _streams.seed
        found = _streams.made.setdefault(device, DeviceStream(seed))
    return found


def seed_devices(seed: int) -> None:
    """Restart the streams of all devices but the CPU."""
    _streams.seed = seed % _WORD
    for stream in list(_streams.made.values()):
        stream.manual_seed(seed)


def counted_of(device: Device) -> Counted:
    """Where the randomness inside graphs of a device stands."""
    return _of_cpu if device.type == CPU.type or not device.computes else device_stream(device).counted


def counted_states() -> dict[Device, tuple[int, int]]:
    """Where the randomness inside graphs of each device stands, of those that have drawn or were asked."""
    return {CPU: _of_cpu.get()} | {device: stream.counted.get() for device, stream in list(_streams.made.items())}
