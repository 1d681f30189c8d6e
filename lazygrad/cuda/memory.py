"""What is known of the memory of CUDA devices; on a machine without any, there is none in use."""

from __future__ import annotations

from typing import Any

from lazygrad.cuda.devices import device_count, driver_of, is_available, place_of
from lazygrad.host.allocator import allocator_of, made_allocator
from lazygrad.ir.device import Device
from lazygrad.targets.cuda.allocator import Block, CudaAllocator, size_text
from lazygrad.targets.cuda.statistics import Statistics


def _allocator(device: Any) -> CudaAllocator | None:
    """The allocator of a device, if it has been used."""
    found = made_allocator(place_of(device)) if is_available() else None
    return found if isinstance(found, CudaAllocator) else None


def _statistics(device: Any) -> Statistics:
    found = _allocator(device)
    return Statistics() if found is None else found.counted()


def memory_allocated(device: Any = None) -> int:
    """Bytes that values and arenas take on a device, by default the current one."""
    return _statistics(device).allocated_bytes.total.current


def max_memory_allocated(device: Any = None) -> int:
    """The most bytes that values and arenas took since `reset_peak_memory_stats`."""
    return _statistics(device).allocated_bytes.total.peak


def memory_reserved(device: Any = None) -> int:
    """Bytes that were taken from a device, those that are free for use again included."""
    return _statistics(device).reserved_bytes.total.current


def max_memory_reserved(device: Any = None) -> int:
    """The most bytes that were taken from a device since `reset_peak_memory_stats`."""
    return _statistics(device).reserved_bytes.total.peak


def memory_stats(device: Any = None) -> dict[str, int]:
    """All that is counted, by PyTorch's names such as ``"allocated_bytes.all.peak"``; empty while CUDA is not used."""
    found = _allocator(device)
    return {} if found is None else found.counted().as_dictionary()


def reset_peak_memory_stats(device: Any = None) -> None:
    """Forget the most there was of everything."""
    _statistics(device).reset_peak()


def reset_accumulated_memory_stats(device: Any = None) -> None:
    """Forget what came and went."""
    _statistics(device).reset_accumulated()


reset_max_memory_allocated = reset_max_memory_cached = reset_peak_memory_stats
memory_cached, max_memory_cached = memory_reserved, max_memory_reserved


def empty_cache() -> None:
    """Give memory that no value takes back to all devices, so that other processes can use it."""
    for place in _devices():
        found = made_allocator(place)
        if isinstance(found, CudaAllocator):
            found.empty_cache()


def _devices() -> list[Device]:
    return [place_of(ordinal) for ordinal in range(device_count())]


def mem_get_info(device: Any = None) -> tuple[int, int]:
    """Bytes that a device has free, and in all.

    Raises:
        RuntimeError: it is not there.
    """
    return driver_of(device).memory_info()


def set_per_process_memory_fraction(fraction: float, device: Any = None) -> None:
    """Take at most this share of a device's memory; a request beyond it raises OutOfMemoryError.

    Raises:
        RuntimeError: the device is not there.
        TypeError: not a float.
        ValueError: outside [0, 1].
    """
    if not isinstance(fraction, float):
        raise TypeError("Invalid type for fraction argument, must be `float`")
    if not 0 <= fraction <= 1:
        raise ValueError(f"Invalid fraction value: {fraction}. Allowed range: 0~1")
    memory = allocator_of(place_of(device))
    assert isinstance(memory, CudaAllocator)
    memory.limit_to(fraction)


def memory_summary(device: Any = None, abbreviated: bool = False) -> str:
    """What `memory_stats` counts, as a table for people.

    Args:
        device: by default the current one.
        abbreviated: leave out the pools of small and large requests.
    """
    statistics = _statistics(device)
    head = f"{'':26}{'now':>12}{'peak':>12}{'taken':>12}{'freed':>12}"
    lines = [f"CUDA memory: {statistics.num_ooms} out of memory, {statistics.num_alloc_retries} retries", head]
    for name, counted, as_text in (
        ("allocated", statistics.allocated_bytes, size_text),
        ("requested", statistics.requested_bytes, size_text),
        ("reserved", statistics.reserved_bytes, size_text),
        ("free parts of segments", statistics.inactive_split_bytes, size_text),
        ("allocations", statistics.allocation, str),
        ("segments", statistics.segment, str),
    ):
        for pool, statistic in counted.named():
            if pool == "all" or not abbreviated:
                label = name if pool == "all" else f"  {pool.replace('_', ' ')}"
                figures = (statistic.current, statistic.peak, statistic.allocated, statistic.freed)
                lines.append(f"{label:26}" + "".join(f"{as_text(figure):>12}" for figure in figures))
    return "\n".join(lines)


def memory_snapshot() -> list[dict[str, Any]]:
    """The segments of all devices, each with its blocks in order."""
    return [
        _segment(place.index, blocks)
        for place in _devices()
        if isinstance(found := made_allocator(place), CudaAllocator)
        for blocks in found.segments()
    ]


def _segment(ordinal: int | None, blocks: list[Block]) -> dict[str, Any]:
    held = [block for block in blocks if block.requested >= 0]
    return {
        "device": ordinal,
        "address": blocks[0].address,
        "total_size": sum(block.size for block in blocks),
        "allocated_size": sum(block.size for block in held),
        "active_size": sum(block.size for block in held),
        "requested_size": sum(block.requested for block in held),
        "segment_type": "small" if blocks[0].is_small else "large",
        "blocks": [
            {
                "address": block.address,
                "size": block.size,
                "requested_size": max(block.requested, 0),
                "state": "inactive" if block.requested < 0 else "active_allocated",
            }
            for block in blocks
        ],
    }
