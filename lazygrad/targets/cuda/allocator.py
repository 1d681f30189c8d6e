"""Memory of a CUDA device: segments that are taken from the device once, cut into blocks and used again.

To ask the device for memory takes as long as many kernels, and to give it back waits for all of them. So freed blocks
stay here. A request takes the smallest free block that will do and leaves the rest of it free; neighbours that are both
free become one block again. Requests of at most 1 MiB are cut from segments of 2 MiB, others from segments of 20 MiB or
from one of their own, as PyTorch does it: small values then do not cut up what large ones need whole.

Work of a stream is in order. So a block can be used again by the stream it was taken for as soon as it is freed: what
was asked for before is done before. Where other streams have used it, it waits until they are done (see `ordering`).
"""

from __future__ import annotations

import gc
import threading
from bisect import bisect_left, insort
from collections import Counter, defaultdict, deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Any

import numpy as np

from lazygrad.host.allocator import Allocator, OutOfMemoryError
from lazygrad.host.buffer import Buffer, DeviceBuffer
from lazygrad.host.forks import unlocked_in_child
from lazygrad.ir.device import Device
from lazygrad.ir.node import TensorType
from lazygrad.ir.shape import numel
from lazygrad.targets.cuda.driver import OutOfMemory
from lazygrad.targets.cuda.drivers import check_process, driver_of
from lazygrad.targets.cuda.ordering import Ordering, Uses
from lazygrad.targets.cuda.pinned import PinnedPool
from lazygrad.targets.cuda.statistics import Statistics

_GRANULE = 512
_SMALL = 1 << 20
_SMALL_SEGMENT = 2 << 20
_LARGE_SEGMENT = 20 << 20
_OWN_SEGMENT = 10 << 20  # requests from here on have a segment of their own,
_SEGMENT_GRANULE = 2 << 20  # a multiple of this
_NAMED_IN_ERROR = 5


class Block:
    """A part of a segment. What was `allocate`d is one.

    Attributes:
        address, size: where it lies.
        type: of the value it holds; None where it holds none, or is free.
        requested: how many bytes were asked for; -1 where it is free.
        is_small, stream: which pool it belongs to.
        uses: the work that it takes part in.
        before, behind: its neighbours in the segment.
    """

    __slots__ = ("address", "before", "behind", "is_small", "requested", "size", "stream", "type", "uses")

    def __init__(self, address: int, size: int, is_small: bool, stream: int = 0) -> None:
        self.address, self.size, self.is_small, self.stream, self.uses = address, size, is_small, stream, Uses()
        self.type: TensorType | None = None
        self.requested = -1
        self.before: Block | None = None
        self.behind: Block | None = None

    @property
    def is_split(self) -> bool:
        """Whether the segment has other blocks."""
        return self.before is not None or self.behind is not None


class CudaAllocator(Allocator):
    """Memory of one CUDA device.

    Attributes:
        device: whose memory it is.
        driver: of the device.
        statistics: what was counted; `counted` brings them up to date first.
    """

    def __init__(self, device: Device) -> None:
        self.device, self.driver = device, driver_of(device)
        self.statistics = Statistics()
        self._pinned = PinnedPool(self.driver)
        self._lock = unlocked_in_child(threading.Lock())
        self._ordering = Ordering(self.driver)
        self._free: defaultdict[tuple[int, bool], list[tuple[int, int, Block]]] = defaultdict(list)  # smallest first
        self._segments: dict[int, Block] = {}  # the first block of each, by address
        self._returned: deque[Block] = deque()
        self._used_elsewhere: list[Block] = []  # which nobody has any more, but other streams may not be done with
        self._scratch: dict[int, Block] = {}  # by stream
        self._share = 1.0

    def allocate(self, type: TensorType) -> Block:
        """Memory for a value of ``type``.

        Raises:
            OutOfMemoryError: the device has not enough, even after all that is free was given back to it.
        """
        return self._allocated(numel(type.shape) * type.dtype.itemsize, type)

    def allocate_bytes(self, size: int) -> Block:
        """Memory that belongs to no value; the errors are those of `allocate`."""
        return self._allocated(size, None)

    def scratch(self, size: int) -> int:
        """The address of ``size`` bytes for a plan to use while it runs. Plans of a stream run one after the other, and
        share them; the errors are those of `allocate`."""
        stream = self.driver.stream
        found = self._scratch.get(stream)
        if found is None or found.size < size:
            if found is not None:
                self.free(self._scratch.pop(stream))
            found = self._scratch[stream] = self.allocate_bytes(size)
        return found.address

    def free(self, memory: Block) -> None:
        """Take a block back. This can happen anywhere, in the middle of `allocate` too, where Python's collector runs;
        so it is put down here, and done with the next request. Memory of others is theirs to free."""
        if isinstance(memory, Block):
            self._returned.append(memory)

    def copy_in(self, source: np.ndarray, target: Block) -> None:
        with self._work((), (target,)):
            self.driver.copy_in(source, target.address)

    def copy_in_later(self, source: np.ndarray, target: Block) -> None:
        with self._work((), (target,)):
            self.driver.copy_in_later(source, target.address)

    def work(self, inputs: Sequence[Buffer], outputs: Sequence[Buffer]) -> AbstractContextManager[None]:
        """Inside of this context a plan asks for its work, on the current stream, after what its operands ask for."""
        return self._ordering.work(lambda: _uses_of(inputs), lambda: _uses_of(outputs))

    def _work(self, read: Iterable[Any], written: Iterable[Any]) -> AbstractContextManager[None]:
        return self._ordering.work(lambda: _uses(read), lambda: _uses(written))

    def pinned(self, size: int) -> np.ndarray:
        return self._pinned.take(size)

    def is_pinned(self, array: np.ndarray) -> bool:
        return self._pinned.holds(array.ctypes.data)

    def finish(self) -> None:
        self.driver.synchronize()

    def finish_streams(self) -> None:
        if self.driver.has_streams:
            self.driver.synchronize()

    def copy_out(self, source: Block, target: np.ndarray) -> None:
        with self._work((source,), ()):
            self.driver.copy_out(source.address, target)

    def copy_across(self, source: Block, type: TensorType, other: Allocator, target: Block) -> None:
        if other is self:
            with self._work((source,), (target,)):
                self.driver.copy(source.address, target.address, numel(type.shape) * type.dtype.itemsize)
        else:
            super().copy_across(source, type, other, target)

    def address(self, memory: Block) -> int:
        return memory.address

    # What `lazygrad.cuda` asks.

    def counted(self) -> Statistics:
        """The statistics of now."""
        with self._lock:
            self._take_returned()
        return self.statistics

    def empty_cache(self) -> None:
        """Give segments of which nothing is in use back to the device."""
        with self._lock:
            self._take_returned()
            self._release_segments()

    def limit_to(self, share: float) -> None:
        """Take at most this share of the device's memory."""
        self._share = share

    def segments(self) -> Iterator[list[Block]]:
        """The blocks of each segment, in order."""
        with self._lock:
            self._take_returned()
            first = list(self._segments.values())
        for block in first:
            yield list(_blocks_from(block))

    # Requests.

    def _allocated(self, requested: int, type: TensorType | None) -> Block:
        check_process()
        size = max(-(-requested // _GRANULE) * _GRANULE, _GRANULE)
        with self._lock:
            self._take_returned()
            block = self._found(size) or self._new_segment(size)
            if block is None:
                self.statistics.num_alloc_retries += 1
                self._wait_for_others()
                self._release_segments()
                block = self._new_segment(size)
        if block is None:
            block = self._collected(size)
        if block is None:
            raise self._out_of_memory(requested)
        return self._taken(block, requested, type)

    def _wait_for_others(self) -> None:
        """Have all blocks that nobody has any more."""
        if self._used_elsewhere:
            self.driver.synchronize()
            self._take_returned()

    def _collected(self, size: int) -> Block | None:
        """A block after values that refer to themselves were freed, too. The lock is not held: this runs any code."""
        gc.collect()
        with self._lock:
            self._take_returned()
            self._wait_for_others()
            found = self._found(size)
            if found is None:
                self._release_segments()
                found = self._new_segment(size)
            return found

    def _taken(self, block: Block, requested: int, type: TensorType | None) -> Block:
        block.type, block.requested = type, requested
        counts = self.statistics
        counts.allocation.add(block.is_small, 1)
        counts.allocated_bytes.add(block.is_small, block.size)
        counts.requested_bytes.add(block.is_small, requested)
        return block

    def _found(self, size: int) -> Block | None:
        """The smallest free block of at least ``size`` bytes, without what is too much of it."""
        is_small = size <= _SMALL
        free = self._free[self.driver.stream, is_small]
        position = bisect_left(free, (size,))
        if position == len(free):
            return None
        block = free.pop(position)[2]
        self._count_inactive(block, -1)
        return self._cut(block, size)

    def _cut(self, block: Block, size: int) -> Block:
        rest = block.size - size
        if rest >= (_GRANULE if block.is_small else _SMALL + 1):
            behind = Block(block.address + size, rest, block.is_small, block.stream)
            behind.before, behind.behind = block, block.behind
            if block.behind is not None:
                block.behind.before = behind
            block.behind, block.size = behind, size
            self._keep(behind)
        return block

    def _new_segment(self, size: int) -> Block | None:
        is_small = size <= _SMALL
        if is_small:
            whole = _SMALL_SEGMENT
        elif size < _OWN_SEGMENT:
            whole = _LARGE_SEGMENT
        else:
            whole = -(-size // _SEGMENT_GRANULE) * _SEGMENT_GRANULE
        if self._share < 1 and self._reserved + whole > self._share * self.driver.memory_info()[1]:
            return None
        try:
            address = self.driver.allocate(whole)
        except OutOfMemory:
            return None
        counts = self.statistics
        counts.num_device_alloc += 1
        counts.segment.add(is_small, 1)
        counts.reserved_bytes.add(is_small, whole)
        block = self._segments[address] = Block(address, whole, is_small, self.driver.stream)
        return self._cut(block, size)

    @property
    def _reserved(self) -> int:
        return self.statistics.reserved_bytes.total.current

    # What comes back.

    def _take_returned(self) -> None:
        returned, counts = self._returned, self.statistics
        waiting, self._used_elsewhere = self._used_elsewhere, []
        while returned:
            block = returned.popleft()
            counts.allocation.take(block.is_small, 1)
            counts.allocated_bytes.take(block.is_small, block.size)
            counts.requested_bytes.take(block.is_small, block.requested)
            waiting.append(block)
        for block in waiting:
            if self._ordering.is_over(block.uses, block.stream):
                block.type, block.requested = None, -1
                self._keep(self._joined(block))
            else:
                self._used_elsewhere.append(block)

    def _joined(self, block: Block) -> Block:
        """A free block, together with free neighbours."""
        behind, before = block.behind, block.before
        if behind is not None and behind.requested < 0:
            self._forget(behind)
            self._absorb(block, behind)
        if before is not None and before.requested < 0:
            self._forget(before)
            self._absorb(before, block)
            block = before
        return block

    def _absorb(self, block: Block, behind: Block) -> None:
        block.size += behind.size
        block.behind = behind.behind
        if behind.behind is not None:
            behind.behind.before = block

    def _keep(self, block: Block) -> None:
        insort(self._free[block.stream, block.is_small], (block.size, block.address, block))
        self._count_inactive(block, 1)

    def _forget(self, block: Block) -> None:
        free = self._free[block.stream, block.is_small]
        del free[bisect_left(free, (block.size, block.address))]
        self._count_inactive(block, -1)

    def _count_inactive(self, block: Block, change: int) -> None:
        if block.is_split:
            for counted, amount in (
                (self.statistics.inactive_split, 1),
                (self.statistics.inactive_split_bytes, block.size),
            ):
                (counted.add if change > 0 else counted.take)(block.is_small, amount)

    def _release_segments(self) -> None:
        for block in [block for block in self._segments.values() if block.requested < 0 and not block.is_split]:
            self._forget(block)
            del self._segments[block.address]
            self.driver.free(block.address)
            counts = self.statistics
            counts.num_device_free += 1
            counts.segment.take(block.is_small, 1)
            counts.reserved_bytes.take(block.is_small, block.size)

    # What is said where it is not enough.

    def _out_of_memory(self, requested: int) -> OutOfMemoryError:
        self.statistics.num_ooms += 1
        free, total = self.driver.memory_info()
        allocated = self.statistics.allocated_bytes.total.current
        unallocated = self._reserved - allocated
        limit = f" {size_text(int(self._share * total))} allowed;" if self._share < 1 else ""
        held = self._largest_held()
        return OutOfMemoryError(
            f"CUDA out of memory. Tried to allocate {size_text(requested)}. GPU {self.device.index or 0} has a total "
            f"capacity of {size_text(total)} of which {size_text(free)} is free.{limit} Of the allocated memory "
            f"{size_text(allocated)} is allocated by lazygrad, and {size_text(unallocated)} is reserved by lazygrad "
            f"but unallocated." + (f" The most is held by {held}." if held else "")
        )

    def _largest_held(self) -> str:
        """The types of values that hold most memory."""
        held: Counter[str] = Counter()
        counts: Counter[str] = Counter()
        for blocks in self.segments():
            for block in blocks:
                if block.requested >= 0:
                    name = "arenas of plans" if block.type is None else str(block.type).partition("@")[0]
                    held[name] += block.size
                    counts[name] += 1
        return ", ".join(
            f"{counts[name]} × {name} ({size_text(size)})" for name, size in held.most_common(_NAMED_IN_ERROR)
        )


def _uses(memory: Iterable[Any]) -> Iterator[Uses]:
    """Of blocks; what others do with their memory is theirs to order."""
    return (block.uses for block in memory if isinstance(block, Block))


def _uses_of(values: Iterable[Buffer]) -> Iterator[Uses]:
    return _uses(value.memory for value in values if isinstance(value, DeviceBuffer))


def _blocks_from(block: Block) -> Iterator[Block]:
    found: Block | None = block
    while found is not None:
        yield found
        found = found.behind


def size_text(count: int) -> str:
    """As PyTorch writes sizes."""
    for unit, size in (("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)):
        if count >= size:
            return f"{count / size:.2f} {unit}"
    return f"{count} bytes"
