"""The Mersenne Twister MT19937, as numpy keeps it: numpy's own code draws from it, or C functions once they are there.

Source: Matsumoto and Nishimura, "Mersenne Twister: a 623-dimensionally equidistributed uniform pseudo-random number
generator", ACM Transactions on Modeling and Computer Simulation 8 (1998).
"""

from __future__ import annotations

import ctypes
import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lazygrad.host.addresses import address_of
from lazygrad.runtime.backend_choice import get_backend
from lazygrad.targets.devices import host_function, want_host_functions

_PART_LENGTH = 1 << 15  # numbers worked on at a time, so that temporaries stay in the cache
_FRACTION_BITS = 53
_WORD_BITS = 32
_STATE_BYTES = 625 * 4  # numpy keeps the words and how many are used up, an int
_COMPILES_FROM = 1 << 16  # words that a process draws before it wants the functions in C
_FEW = 1 << 12
_UNIFORM = {np.dtype(np.float32): "lg_mersenne_uniform_f32", np.dtype(np.float64): "lg_mersenne_uniform_f64"}
_HIGH_MASK = np.uint32(2 ** (_FRACTION_BITS - _WORD_BITS) - 1)


class _Demand:
    """How many words numpy has drawn in this process, or could have drawn in the time that it took for other things."""

    words = 0

    def add(self, n: int) -> None:
        """Count ``n`` words; when there are many, the functions in C are compiled in the background."""
        self.words += n
        if self.words >= _COMPILES_FROM and get_backend() != "numpy":
            want_host_functions()


demand = _Demand()


class MersenneTwister:
    """An engine of 32-bit words. Not safe to share between threads."""

    def __init__(self) -> None:
        self._engine = np.random.MT19937(0)
        # RandomState is the part of numpy whose stream is frozen: its full-range integers are the engine's words.
        self._words = np.random.RandomState(self._engine)
        self._address = self._engine.ctypes.state_address

    def seed(self, seed: int) -> None:
        """Start anew. The engine uses the low 32 bits of ``seed``."""
        self._words.seed(seed % 2**_WORD_BITS)

    def get_state(self) -> tuple[NDArray[np.uint32], int]:
        """The 624 words of the state, and how many of them are used up."""
        state: Any = self._words.get_state(legacy=False)["state"]
        return state["key"], state["pos"]

    def set_state(self, key: NDArray[np.uint32], position: int) -> None:
        """Continue from what `get_state` returned."""
        self._words.set_state({"bit_generator": "MT19937", "state": {"key": key, "pos": position}})

    def mark(self) -> bytes:
        """The state, for `rewind` within this process."""
        return ctypes.string_at(self._address, _STATE_BYTES)

    def rewind(self, mark: bytes) -> None:
        """Continue from what `mark` returned."""
        ctypes.memmove(self._address, mark, _STATE_BYTES)

    def words(self, n: int) -> NDArray[np.uint32]:
        """The next ``n`` words, as uint32 of shape (n,)."""
        draw = host_function("lg_mersenne_words")
        if draw is None:
            demand.add(n)
        if n <= _FEW:  # numpy's call is the quicker one for few, though its words are twice as wide
            return self._engine.random_raw(n).astype(np.uint32)
        if draw is None:
            return self._words.randint(0, 2**_WORD_BITS, size=n, dtype=np.uint32)
        result = np.empty(n, np.uint32)
        draw(self._address, address_of(result), n)
        return result

    def few_words(self, n: int) -> list[int]:
        """The next ``n`` words as numbers of Python: of few, numpy's arrays take longer than their elements."""
        demand.add(n)
        return [self._engine.random_raw()] if n == 1 else self._engine.random_raw(n).tolist()

    def uniform(self, n: int, dtype: np.dtype[Any], low: float, span: float, excluded: float) -> NDArray[Any] | None:
        """Numbers from [low, low + span), with one rounding each; None while the functions in C are not there.

        Args:
            n: how many; float32 takes the low 24 bits of a word, float64 the low 53 of two, the high word first.
            dtype: float32 or float64; it holds the other three numbers.
            low, span: of the range.
            excluded: what comes to it becomes ``low``.
        """
        draw = host_function(_UNIFORM[dtype])
        if draw is None:
            return None
        result = np.empty(n, dtype)
        draw(self._address, address_of(result), n, span, low, excluded)
        return result

    def normal(self, n: int, mean: float, std: float) -> NDArray[np.float32] | None:
        """Normal numbers as PyTorch draws 16 or more, in blocks; None while the functions in C are not there."""
        draw = host_function("lg_mersenne_normal_f32")
        if draw is None:
            return None
        result = np.empty(n, np.float32)
        draw(self._address, address_of(result), n, mean, std)
        return result

    def permutation(self, n: int) -> NDArray[np.int64] | None:
        """The numbers below ``n`` as a Fisher-Yates loop from the front shuffles them, which takes n − 1 words; None
        while the functions in C are not there."""
        draw = host_function("lg_mersenne_permutation")
        if draw is None:
            return None
        result = np.empty(n, np.int64)
        draw(self._address, address_of(result), n)
        return result

    def less(self, n: int, p: float) -> NDArray[np.bool_]:
        """Whether float64 numbers from [0, 1) are less than ``p``, as bool of shape (n,).

        Args:
            n: how many; each takes two words, the high one first, of which the low 53 bits count.
            p: in [0, 1].
        """
        limit = math.ceil(p * 2.0**_FRACTION_BITS)
        result = np.empty(n, np.bool_)
        draw = host_function("lg_mersenne_less")
        if draw is not None:
            draw(self._address, address_of(result), n, limit)
            return result
        high_limit, low_limit = divmod(limit, 2**_WORD_BITS)
        for start in range(0, n, _PART_LENGTH):
            part = result[start : start + _PART_LENGTH]
            words = self.words(2 * len(part))
            high = words[0::2] & _HIGH_MASK
            np.less(high, np.uint32(high_limit), out=part)
            undecided = np.flatnonzero(high == np.uint32(high_limit))
            part[undecided] = words[1::2][undecided] < np.uint32(low_limit)
        return result
