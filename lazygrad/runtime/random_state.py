"""The state of a random stream as bytes, so that it can be saved in a checkpoint and restored anywhere."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

_RECORD = np.dtype(
    [
        ("seed", "<u8"),
        ("position", "<u4"),
        ("has_cached_normal", "u1"),
        ("cached_normal", "<f8"),
        ("key", "<u4", (624,)),
    ]
)
STATE_LENGTH = _RECORD.itemsize


class StreamState(NamedTuple):
    """Everything an ``MT19937Stream`` depends on.

    Attributes:
        seed: the seed in [0, 2**64).
        key: the 624 words of the Mersenne Twister, uint32.
        position: how many of them have been used.
        cached_normal: the second normal of the last pair, if it has not been handed out yet.
    """

    seed: int
    key: NDArray[np.uint32]
    position: int
    cached_normal: float | None


def pack_state(state: StreamState) -> NDArray[np.uint8]:
    """Return ``state`` as uint8 of shape (STATE_LENGTH,), little-endian on every machine."""
    record = np.zeros((), dtype=_RECORD)
    record["seed"] = state.seed
    record["key"] = state.key
    record["position"] = state.position
    if state.cached_normal is not None:
        record["has_cached_normal"] = 1
        record["cached_normal"] = state.cached_normal
    return np.frombuffer(record.tobytes(), dtype=np.uint8).copy()


def unpack_state(packed: Any) -> StreamState:
    """Return what ``pack_state`` packed.

    Raises:
        TypeError: ``packed`` is not a uint8 array.
        RuntimeError: its length or content is not that of a packed state.
    """
    if not isinstance(packed, np.ndarray) or packed.dtype != np.uint8:
        found = getattr(packed, "dtype", type(packed).__name__)
        raise TypeError(f"set_state expected a uint8 array, but got {found}")
    if packed.shape != (STATE_LENGTH,):
        raise RuntimeError(f"set_state expected shape ({STATE_LENGTH},), but got {packed.shape}")
    record = np.frombuffer(packed.tobytes(), dtype=_RECORD)[0]
    if record["position"] > 624 or record["has_cached_normal"] > 1:
        raise RuntimeError("set_state got bytes that are not the state of a stream")
    return StreamState(
        seed=int(record["seed"]),
        key=record["key"].astype(np.uint32),
        position=int(record["position"]),
        cached_normal=float(record["cached_normal"]) if record["has_cached_normal"] else None,
    )
