"""The seed and counter behind in-graph randomness: dropout, noise and their kin."""

from __future__ import annotations

import secrets
import threading

_WORD = 2**64


class _PhiloxState:
    """Where the counter-based generator stands. Until a seed is set, every process draws its own."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._seed = secrets.randbits(64)
        self._counter = 0

    def reset(self, seed: int) -> None:
        with self._lock:
            self._seed, self._counter = seed % _WORD, 0

    def get(self) -> tuple[int, int]:
        with self._lock:
            return self._seed, self._counter

    def restore(self, seed: int, counter: int) -> None:
        with self._lock:
            self._seed, self._counter = seed, counter

    def take(self, blocks: int) -> tuple[int, int]:
        with self._lock:
            counter = self._counter
            self._counter = (counter + blocks) % _WORD
            return self._seed, counter


_state = _PhiloxState()


def set_seed(seed: int) -> None:
    """Start the in-graph stream of ``seed`` from its beginning; seeds count modulo 2**64."""
    _state.reset(seed)


def philox_state() -> tuple[int, int]:
    """Seed and counter of the in-graph stream, for `restore_philox_state`."""
    return _state.get()


def restore_philox_state(seed: int, counter: int) -> None:
    """Continue the in-graph stream from a state that `philox_state` returned."""
    _state.restore(seed, counter)


def next_philox(blocks: int) -> tuple[int, int]:
    """Reserve ``blocks`` blocks of the stream (`lazygrad.runtime.philox.blocks_used` says how many a draw needs).

    Returns:
        The seed and the counter at which the reserved blocks begin, as int64 numbers with the same bits.
    """
    seed, counter = _state.take(blocks)
    return _signed(seed), _signed(counter)


def _signed(word: int) -> int:
    return word - _WORD if word >= _WORD // 2 else word
