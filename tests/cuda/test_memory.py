"""Memory of CUDA devices: what is used again, what is counted, and what happens when it runs out."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import lazygrad as lg
from lazygrad.host.allocator import allocator_of
from lazygrad.ir.device import Device
from lazygrad.ir.dtype import float32
from lazygrad.ir.node import tensor_type
from lazygrad.targets.cuda.allocator import CudaAllocator
from tests.cuda.host_driver import HostDriver, host_devices

MIB = 1 << 20
DEVICE = Device("cuda:0")


@pytest.fixture
def memory() -> Iterator[CudaAllocator]:
    """That of a device of 64 MiB."""
    with host_devices(capacity=64 * MIB):
        yield CudaAllocator(DEVICE)


def asked(memory: CudaAllocator, what: str) -> int:
    assert isinstance(memory.driver, HostDriver)
    return memory.driver.asked.count(what)


def allocated(memory: CudaAllocator) -> int:
    return memory.counted().allocated_bytes.total.current


def test_small_requests_share_a_segment_and_freed_blocks_are_used_again(memory: CudaAllocator) -> None:
    blocks = [memory.allocate_bytes(1000) for _ in range(100)]
    assert asked(memory, "allocate") == 1 and len({block.address for block in blocks}) == 100
    assert all(block.address % 256 == 0 and block.size == 1024 for block in blocks)
    address = blocks[50].address
    memory.free(blocks.pop(50))
    assert memory.allocate_bytes(1).address == address


def test_free_neighbours_become_one_block(memory: CudaAllocator) -> None:
    blocks = [memory.allocate_bytes(512) for _ in range(4)]
    for block in (blocks[0], blocks[2], blocks[1]):
        memory.free(block)
    assert memory.allocate_bytes(3 * 512).address == blocks[0].address
    assert [len(segment) for segment in memory.segments()] == [3]


def test_the_smallest_block_that_will_do_is_taken(memory: CudaAllocator) -> None:
    large, gap, small, end = (memory.allocate_bytes(size) for size in (4096, 512, 1024, 512))
    memory.free(large)
    memory.free(small)
    assert memory.allocate_bytes(1024).address == small.address
    assert memory.allocate_bytes(2048).address == large.address and gap.address < end.address


def test_random_requests_never_overlap_and_leave_nothing(memory: CudaAllocator) -> None:
    random = np.random.default_rng(0)
    held: list[Any] = []
    for _ in range(600):
        if held and (random.random() < 0.45 or allocated(memory) > 40 * MIB):
            memory.free(held.pop(random.integers(len(held))))
        else:
            size = int(2 ** random.uniform(0, 22))
            held.append(memory.allocate_bytes(size))
        spans = sorted((block.address, block.address + block.size) for block in held)
        assert all(end <= start for (_, end), (start, _) in pairwise(spans))
        assert allocated(memory) == sum(block.size for block in held)
    for block in held:
        memory.free(block)
    memory.empty_cache()
    counted = memory.counted()
    assert counted.reserved_bytes.total.current == 0 and not list(memory.segments())
    for name, value in counted.as_dictionary().items():
        assert not name.endswith("current") or value == 0, name


def test_statistics_count_what_is_there_and_what_was(memory: CudaAllocator) -> None:
    first, second = memory.allocate_bytes(3 * MIB), memory.allocate_bytes(100)
    memory.free(first)
    figures = memory.counted().as_dictionary()
    assert figures["allocated_bytes.all.current"] == 512
    assert figures["allocated_bytes.all.peak"] == 3 * MIB + 512
    assert figures["allocated_bytes.large_pool.freed"] == 3 * MIB == figures["active_bytes.large_pool.peak"]
    assert figures["requested_bytes.all.current"] == 100
    assert figures["reserved_bytes.all.current"] == 22 * MIB and figures["segment.all.current"] == 2
    assert figures["allocation.small_pool.current"] == 1 and figures["allocation.all.allocated"] == 2
    assert figures["inactive_split_bytes.all.current"] == 2 * MIB - 512  # the other segment is whole again
    memory.statistics.reset_peak()
    memory.statistics.reset_accumulated()
    figures = memory.counted().as_dictionary()
    assert figures["allocated_bytes.all.peak"] == 512 and figures["allocation.all.allocated"] == 0
    memory.free(second)


def test_cached_segments_are_given_back_before_memory_is_said_to_be_out(memory: CudaAllocator) -> None:
    memory.free(memory.allocate_bytes(30 * MIB))
    assert memory.counted().reserved_bytes.total.current == 30 * MIB
    block = memory.allocate_bytes(50 * MIB)
    assert asked(memory, "free") == 1 and memory.statistics.num_alloc_retries == 1
    assert memory.statistics.num_ooms == 0 and allocated(memory) == block.size


def test_values_in_a_circle_are_collected_before_memory_is_said_to_be_out(memory: CudaAllocator) -> None:
    class Holder:
        def __init__(self) -> None:
            self.itself, self.block = self, memory.allocate_bytes(50 * MIB)

        def __del__(self) -> None:
            memory.free(self.block)

    gc.disable()
    try:
        Holder()
        assert memory.allocate_bytes(50 * MIB).size == 50 * MIB
    finally:
        gc.enable()


def test_out_of_memory_says_what_is_held_and_can_be_recovered_from(memory: CudaAllocator) -> None:
    held = [memory.allocate(tensor_type((1024, 2048), float32, DEVICE)) for _ in range(5)]
    with pytest.raises(lg.cuda.OutOfMemoryError) as raised:
        memory.allocate_bytes(40 * MIB)
    text = str(raised.value)
    assert text.startswith("CUDA out of memory. Tried to allocate 40.00 MiB. GPU 0 has a total capacity of 64.00 MiB")
    assert "40.00 MiB is allocated by lazygrad" in text and "5 × f32[1024,2048] (40.00 MiB)" in text
    assert isinstance(raised.value, RuntimeError) and lg.cuda.OutOfMemoryError is lg.OutOfMemoryError
    for block in held:
        memory.free(block)
    assert memory.allocate_bytes(40 * MIB).size == 40 * MIB and memory.statistics.num_ooms == 1


def test_a_share_of_the_device_is_a_limit(memory: CudaAllocator) -> None:
    memory.limit_to(0.25)
    with pytest.raises(lg.cuda.OutOfMemoryError, match=r"16\.00 MiB allowed"):
        memory.allocate_bytes(17 * MIB)
    assert memory.allocate_bytes(15 * MIB).size == 16 * MIB  # what is left is too little to be worth a block


def test_tensors_come_back_when_they_are_gone() -> None:
    with host_devices():
        x = lg.tensor([1.0] * 1000, device="cuda")
        y = (x * 2 + 1).sum()
        assert y.item() == 3000 and y.device == lg.device("cuda:0")
        memory = allocator_of(DEVICE)
        assert isinstance(memory, CudaAllocator) and allocated(memory) >= 4096
        del x, y
        assert allocated(memory) == 0
