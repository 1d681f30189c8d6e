"""Memory that a worker process writes batches to and the process that iterates reads them from, without a copy.

Each worker has one file without a name, which only it enlarges. A slot of it holds one array. The worker reuses a slot
when the reader has let go of what it read there; both see that in one byte per slot at the file's beginning. As the
file has no name, nothing is left behind however a process ends, and the size of ``/dev/shm`` does not matter.
"""

from __future__ import annotations

import mmap
import os
import weakref
from collections.abc import Sequence
from multiprocessing import reduction
from typing import Any, NamedTuple

import numpy as np

_HEADER = mmap.ALLOCATIONGRANULARITY
_END, _FIRST_FLAG = 8, 64  # where in the header they are; the number of the epoch comes first


class SlotFile:
    """The file, as each of the two processes has it open.

    Attributes:
        epoch: which pass over the dataset the reader is in; an array of one number.
        end: whether the reader wants no more; an array of one number.
        taken: by slot, whether it is in use.
    """

    def __init__(self, descriptor: int | None = None) -> None:
        if descriptor is None:
            descriptor = os.memfd_create("lazygrad batches")
            os.posix_fallocate(descriptor, 0, _HEADER)
        self.descriptor = descriptor
        header = np.frombuffer(mmap.mmap(descriptor, _HEADER), np.uint8)
        self.epoch = header[:_END].view(np.int64)
        self.end = header[_END : _END + 1]
        self.taken = header[_FIRST_FLAG:]
        weakref.finalize(self, os.close, descriptor).atexit = False

    def __reduce__(self) -> Any:
        """Only for a process that is being started, which is given the open file."""
        return _opened, (reduction.DupFd(self.descriptor),)

    def memory(self, place: Place) -> mmap.mmap:
        """A slot's bytes."""
        return mmap.mmap(self.descriptor, place.size, offset=place.offset)


def _opened(duplicate: Any) -> SlotFile:
    return SlotFile(duplicate.detach())


class Place(NamedTuple):
    """Where a slot begins in the file, and how many bytes it has."""

    offset: int
    size: int


class Sent(NamedTuple):
    """What the reader is told of an array: the slot, its place, how many bytes of it the array takes."""

    slot: int
    place: Place
    size: int


class _Made:
    """An array that was made in a slot and not sent yet."""

    def __init__(self, slot: int, array: weakref.ref[np.ndarray]) -> None:
        self.slot, self.array, self.is_packed = slot, array, False


class SlotWriter:
    """The worker's side: takes slots, and enlarges the file when none is free."""

    def __init__(self, file: SlotFile) -> None:
        self.file = file
        self._places: list[Place] = []
        self._memories: list[mmap.mmap] = []
        self._made: dict[int, _Made] = {}  # by address

    def empty(self, shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
        """A new array in a slot, which is free again when the array is dropped without being sent."""
        size = dtype.itemsize * int(np.prod(shape, dtype=np.int64))
        slot = self._take(size) if size else None
        if slot is None:
            return np.empty(shape, dtype)
        memory = self._bytes(slot, size)
        address = memory.__array_interface__["data"][0]
        self._made[address] = _Made(slot, weakref.ref(memory, lambda _: self._dropped(address)))
        return memory.view(dtype).reshape(shape)

    def place(self, data: np.ndarray) -> int | None:
        """The slot that holds some bytes: the one they were made in, or one they are copied to; None without slots."""
        made = self._made.get(data.__array_interface__["data"][0])
        if made is not None and made.array() is not None and data.size <= self._places[made.slot].size:
            made.is_packed = True
            return made.slot
        return self._copy(data)

    def send(self, packed: Sequence[tuple[int, int]]) -> list[Sent]:
        """What the reader is told of slots, given with the size of what is in each, of a batch that was dropped here.

        An array that is still alive belongs to somebody here, who may write to it: what is sent is a copy.

        Raises:
            MemoryError: no slot for the copy.
        """
        made_in = {made.slot: address for address, made in self._made.items() if made.is_packed}
        sent = []
        for slot, size in packed:
            if slot in made_in:
                made = self._made[made_in[slot]]
                if made.array() is None:
                    del self._made[made_in.pop(slot)]
                else:
                    made.is_packed = False
                    copy = self._copy(self._bytes(slot, size))
                    if copy is None:
                        raise MemoryError("too many batches of this worker are in use at a time")
                    slot = copy
            sent.append(Sent(slot, self._places[slot], size))
        return sent

    def _copy(self, data: np.ndarray) -> int | None:
        slot = self._take(data.size)
        if slot is not None:
            self._bytes(slot, data.size)[:] = data
        return slot

    def _bytes(self, slot: int, size: int) -> np.ndarray:
        return np.frombuffer(self._memories[slot], np.uint8, size)

    def _dropped(self, address: int) -> None:
        made = self._made.get(address)
        if made is not None and not made.is_packed:
            del self._made[address]
            self.file.taken[made.slot] = 0

    def _take(self, size: int) -> int | None:
        """A slot with room for ``size`` bytes; None when there can be no more.

        Raises:
            MemoryError: the machine has no memory for it.
        """
        wanted = _rounded(size)
        free = np.flatnonzero(self.file.taken[: len(self._places)] == 0).tolist()
        slot = next((slot for slot in free if self._places[slot].size == wanted), None)
        if slot is None:
            slot = self._add(wanted)
        if slot is not None:
            self.file.taken[slot] = 1
        return slot

    def _add(self, size: int) -> int | None:
        slot = len(self._places)
        if slot == len(self.file.taken):
            return None
        offset = sum(self._places[-1]) if self._places else _HEADER
        try:
            # Asked for now, memory that is not there is an error and not a signal at the first write.
            os.posix_fallocate(self.file.descriptor, offset, size)
        except OSError as error:
            raise MemoryError(f"a worker found no memory for a batch of {size} bytes: {error}") from error
        self._places.append(Place(offset, size))
        self._memories.append(self.file.memory(self._places[slot]))
        return slot


def _rounded(size: int) -> int:
    """The next of four sizes in each power of two, so that batches of similar size share slots."""
    step = max(_HEADER, 1 << max(size.bit_length() - 3, 0))
    return -(-size // step) * step


class SlotReader:
    """The side of the process that iterates: reads slots, and frees them when the arrays over them are gone."""

    def __init__(self, file: SlotFile) -> None:
        self.file = file
        self._memories: dict[int, mmap.mmap] = {}

    def arrays(self, sent: Sequence[Sent]) -> list[np.ndarray]:
        """The bytes in some slots, in place."""
        found: dict[int, np.ndarray] = {}
        for slot, place, _ in sent:
            if slot not in found:
                if slot not in self._memories:
                    self._memories[slot] = self.file.memory(place)
                whole = found[slot] = np.frombuffer(self._memories[slot], np.uint8)
                weakref.finalize(whole, _free, self.file.taken, slot, os.getpid()).atexit = False
        return [found[slot][:size] for slot, _, size in sent]


def _free(taken: np.ndarray, slot: int, process: int) -> None:
    if os.getpid() == process:  # a forked child has a copy of the arrays, and drops it
        taken[slot] = 0
