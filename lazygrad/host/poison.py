"""``LAZYGRAD_POISON=1``: memory that holds no value yet, or none any more, holds NaN.

Uninitialised memory is often zero, or what an earlier run of the same program left there, so code that reads it may be
right for years. Filled with set bits it is NaN as a float, −1 as an integer, and true as a bool that is none.
"""

from __future__ import annotations

import os

import numpy as np

IS_ON = os.environ.get("LAZYGRAD_POISON", "0") not in ("", "0")
"""Whether memory is filled. It is read when lazygrad is imported."""


def poison(memory: np.ndarray) -> None:
    """Fill an array that lies in one piece, whatever its dtype, if `IS_ON`."""
    if IS_ON and memory.nbytes:
        memory.reshape(-1).view(np.uint8).fill(0xFF)
