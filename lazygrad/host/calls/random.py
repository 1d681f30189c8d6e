"""Random words for randomness inside graphs."""

from __future__ import annotations

from typing import SupportsInt

import numpy as np

from lazygrad.host.philox import ELEMENTS_PER_BLOCK, philox_u32
from lazygrad.host.threads import parallel_for

_GRAIN_BLOCKS = 1 << 12


def philox(out: np.ndarray, seed: SupportsInt, counter: SupportsInt, *, shape: tuple[int, ...]) -> None:
    """Uniform 32-bit words that depend on nothing but seed, counter and position.

    Args:
        out: ``shape``, uint32 words.
        seed, counter: a number or 0-dim array each; int64 bits are read as unsigned.
        shape: of the result; the words are numbered in row-major order.
    """
    words = out.reshape(-1)
    key, offset = int(seed) % 2**64, int(counter) % 2**64

    def run(first_block: int, last_block: int) -> None:
        start, stop = first_block * ELEMENTS_PER_BLOCK, min(last_block * ELEMENTS_PER_BLOCK, words.size)
        words[start:stop] = philox_u32(key, offset, start, stop)

    parallel_for(run, -(-words.size // ELEMENTS_PER_BLOCK), _GRAIN_BLOCKS)
