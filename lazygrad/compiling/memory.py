"""Memory that only a replay knows: it may be overwritten, as long as nobody else has got hold of it."""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from sys import getrefcount
from typing import Any

from lazygrad.host.buffer import Buffer
from lazygrad.ir.node import TensorType

_shared: Callable[[Buffer], bool] = attrgetter("shared")


def new_buffer(type: TensorType) -> Buffer:
    """Memory for a value of ``type``; none on a device that only plans."""
    return Buffer.empty(type) if type.device.computes else Buffer(None)


class Owned:
    """Objects to which nobody else may refer while a replay changes them.

    The reference counts are noted while that is known to hold: when a replay has just made the objects.
    """

    def __init__(self) -> None:
        self.objects: list[Any] = []
        self.buffers: list[Buffer] = []
        self._counts: list[int] = []

    def note(self, buffers: list[Buffer], others: list[Any]) -> None:
        """Watch these from now on. The lists are taken over; the caller has no other references that go away later."""
        self.buffers, self.objects = buffers, [*buffers, *others]
        others.clear()
        self._counts = list(map(getrefcount, self.objects))

    def replace(self, position: int, buffer: Buffer) -> None:
        """Watch ``buffer`` instead of the one at ``position``; as many references to it exist."""
        self.buffers[position] = self.objects[position] = buffer

    def unshared(self) -> bool:
        """Whether nobody else has got hold of any."""
        return list(map(getrefcount, self.objects)) == self._counts and not any(map(_shared, self.buffers))
