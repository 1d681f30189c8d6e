"""Counter-based random words for randomness inside graphs (dropout and the like).

The words are a pure function of ``(seed, offset, index)``, so any part can be computed anywhere, in any order. They
come from Philox4x64-10 (Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011), as
numpy has it. To reproduce element ``index`` elsewhere:

1.  The key is the pair of 64-bit words ``(seed, 0)``.
2.  Each block of Philox gives 8 elements; element ``index`` lies in block ``index // 8``. The counter of that block is
    the 256-bit integer ``offset + 1 + index // 8``, as four 64-bit words, lowest first. (The 1 is there because numpy
    increments the counter before it generates. Seeds and offsets are below 2**64, so only the two low words are ever
    nonzero, and the carry from the first into the second must be taken.)
3.  Ten rounds. A round takes the four counter words ``c`` and two key words ``k``, multiplies to 128 bits
    ``(high0, low0) = 0xD2E7470EE14C6C93 * c[0]`` and ``(high1, low1) = 0xCA5A826395121157 * c[2]``, and replaces ``c``
    by ``(high1 ^ c[1] ^ k[0], low1, high0 ^ c[3] ^ k[1], low0)``. Before each round but the first,
    ``k[0] += 0x9E3779B97F4A7C15`` and ``k[1] += 0xBB67AE8584CAA73B``, modulo 2**64.
4.  The element is in output word ``(index // 2) % 4``: its low half for even ``index``, its high half for odd.

Who draws ``n`` elements at some offset goes on at ``offset + blocks_used(n)``.
"""

from __future__ import annotations

import threading

import numpy as np
from numpy.typing import NDArray

ELEMENTS_PER_BLOCK = 8
_WORD_LIMIT = 2**64


class _ThreadEngine(threading.local):
    """One Philox engine per thread: setting its state costs a fraction of making an engine, and needs no lock."""

    def __init__(self) -> None:
        self.philox = np.random.Philox(key=0)


_ENGINE = _ThreadEngine()


def philox_u32(seed: int, offset: int, start: int, stop: int | None = None) -> NDArray[np.uint32]:
    """Return the random words with index in [start, stop), or in [0, start) if ``stop`` is None (as ``range`` does).

    Args:
        seed: in [0, 2**64).
        offset: in [0, 2**64), counted in blocks of 8 elements.
        start: first index; the number of elements if ``stop`` is None.
        stop: one past the last index.

    Returns:
        uint32, shape (stop - start,).

    Raises:
        ValueError: the seed or offset does not fit in 64 unsigned bits, or not ``0 <= start <= stop``.
    """
    if stop is None:
        start, stop = 0, start
    if not 0 <= start <= stop:
        raise ValueError(f"philox_u32 expects 0 <= start <= stop, but got start={start}, stop={stop}")
    for name, value in (("seed", seed), ("offset", offset)):
        if not 0 <= value < _WORD_LIMIT:
            raise ValueError(f"philox_u32 expects 0 <= {name} < 2**64, but got {value}")
    first_block, skipped = divmod(start, ELEMENTS_PER_BLOCK)
    word_count = (skipped + stop - start + 1) // 2
    philox = _ENGINE.philox
    _move_to(philox, seed, offset + first_block)
    words = philox.random_raw(word_count).astype("<u8", copy=False).view("<u4")
    return words[skipped : skipped + stop - start].astype(np.uint32, copy=False)


def blocks_used(n: int) -> int:
    """Return by how much the offset must grow after ``n`` elements so that the next ones are independent."""
    return -(-n // ELEMENTS_PER_BLOCK)


def _move_to(philox: np.random.Philox, seed: int, counter: int) -> None:
    """Make the block after ``counter`` the next output of ``philox``."""
    high, low = divmod(counter, _WORD_LIMIT)
    philox.state = {
        "bit_generator": "Philox",
        "state": {
            "counter": np.array([low, high, 0, 0], dtype=np.uint64),
            "key": np.array([seed, 0], dtype=np.uint64),
        },
        "buffer": np.zeros(4, dtype=np.uint64),
        "buffer_pos": 4,
        "has_uint32": 0,
        "uinteger": 0,
    }
