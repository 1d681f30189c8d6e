"""Scratch memory for what lives only inside a plan."""

from __future__ import annotations

import numpy as np

from lazygrad.host.buffer import aligned_memory


class Arena:
    """One block of memory, shared by all plans, since only one runs at a time. It grows and is never given back.

    Attributes:
        memory: uint8, the block.
        address: of its first byte, a multiple of 64.
    """

    def __init__(self) -> None:
        self.memory = np.empty(0, np.uint8)
        self.address = 0

    def at_least(self, size: int) -> np.ndarray:
        """The block, grown to ``size`` bytes if need be."""
        if self.memory.nbytes < size:
            self.memory = np.empty(0, np.uint8)  # let go of the old block before asking for the new one
            self.memory, self.address = aligned_memory(size)
        return self.memory


arena = Arena()
