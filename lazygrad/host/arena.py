"""Scratch memory for what lives only inside a plan."""

from __future__ import annotations

import ctypes

import numpy as np

from lazygrad.host.buffer import aligned_memory


class Arena:
    """One block of memory, shared by all plans, since only one runs at a time. It grows and is never given back.

    Attributes:
        memory: uint8, the block.
        place: holds the address of its first byte, a multiple of 64, for compiled code to read.
    """

    def __init__(self) -> None:
        self.memory = np.empty(0, np.uint8)
        self.place = ctypes.c_uint64(0)

    @property
    def address(self) -> int:
        """Of its first byte."""
        return self.place.value

    def at_least(self, size: int) -> np.ndarray:
        """The block, grown to ``size`` bytes if need be."""
        if self.memory.nbytes < size:
            self.memory = np.empty(0, np.uint8)  # let go of the old block before asking for the new one
            self.memory, self.place.value = aligned_memory(size)
        return self.memory


arena = Arena()
