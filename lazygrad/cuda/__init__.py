"""``lazygrad.cuda``: PyTorch's names for CUDA devices, their memory, streams and random numbers.

Where CUDA cannot be used, questions have PyTorch's answers on a machine without a GPU, what prepares, measures or
empties something does nothing, and what needs a device raises RuntimeError with the piece that is missing.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from lazygrad.cuda.devices import (
    MissingError,
    can_device_access_peer,
    current_device,
    device,
    device_count,
    device_of,
    get_arch_list,
    get_device_capability,
    get_device_name,
    get_device_properties,
    init,
    ipc_collect,
    is_available,
    is_bf16_supported,
    is_initialized,
    is_tf32_supported,
    set_device,
    synchronize,
    why_unavailable,
)
from lazygrad.cuda.graphs import (
    CUDAGraph,
    graph,
    graph_pool_handle,
    is_current_stream_capturing,
    make_graphed_callables,
)
from lazygrad.cuda.memory import (
    empty_cache,
    max_memory_allocated,
    max_memory_cached,
    max_memory_reserved,
    mem_get_info,
    memory_allocated,
    memory_cached,
    memory_reserved,
    memory_snapshot,
    memory_stats,
    memory_summary,
    reset_accumulated_memory_stats,
    reset_max_memory_allocated,
    reset_max_memory_cached,
    reset_peak_memory_stats,
    set_per_process_memory_fraction,
)
from lazygrad.cuda.random import (
    get_rng_state,
    get_rng_state_all,
    initial_seed,
    manual_seed,
    manual_seed_all,
    seed,
    seed_all,
    set_rng_state,
    set_rng_state_all,
)
from lazygrad.cuda.sensors import (
    clock_rate,
    device_memory_used,
    list_gpu_processes,
    memory_usage,
    power_draw,
    temperature,
    utilization,
)
from lazygrad.cuda.streams import (
    Event,
    ExternalStream,
    Stream,
    StreamContext,
    current_stream,
    default_stream,
    get_stream_from_external,
    set_stream,
    stream,
)
from lazygrad.host.allocator import OutOfMemoryError
from lazygrad.ir.device import Device as _Device
from lazygrad.ops.objects.storages import CUDA_STORAGES as _STORAGES
from lazygrad.ops.objects.tensor_types import CUDA_TYPES as _TYPES

__all__ = [
    "AcceleratorError", "CUDAGraph", "Event", "ExternalStream", "MissingError", "OutOfMemoryError", "Stream",
    "StreamContext", "can_device_access_peer", "clock_rate", "current_device", "current_stream", "default_stream",
    "device", "device_count", "device_memory_used", "device_of", "empty_cache", "get_arch_list",
    "get_device_capability", "get_device_name", "get_device_properties", "get_rng_state", "get_rng_state_all",
    "get_stream_from_external", "graph", "graph_pool_handle", "init", "initial_seed", "ipc_collect", "is_available",
    "is_bf16_supported", "is_current_stream_capturing", "is_initialized", "is_tf32_supported", "list_gpu_processes",
    "make_graphed_callables", "manual_seed", "manual_seed_all", "max_memory_allocated", "max_memory_cached",
    "max_memory_reserved", "mem_get_info", "memory_allocated", "memory_cached", "memory_reserved",
    "memory_snapshot", "memory_stats", "memory_summary", "memory_usage", "power_draw",
    "reset_accumulated_memory_stats", "reset_max_memory_allocated", "reset_max_memory_cached",
    "reset_peak_memory_stats", "seed", "seed_all", "set_device", "set_per_process_memory_fraction", "set_rng_state",
    "set_rng_state_all", "set_stream", "stream", "synchronize", "temperature", "utilization", "why_unavailable",
]  # fmt: skip


globals().update(_TYPES, **_STORAGES)
__all__ += [*_TYPES, *_STORAGES]


class AcceleratorError(RuntimeError):
    """Raised nowhere: what an accelerator reports when it fails."""


def __getattr__(name: str) -> Any:
    if name in ("amp", "nvtx"):  # loaded when first used, so that importing the package stays quick
        return import_module(f"lazygrad.cuda.{name}")
    if name == "default_generators":
        from lazygrad.ops.random.generator import DeviceGenerator

        return tuple(DeviceGenerator(_Device("cuda", ordinal)) for ordinal in range(device_count()))
    if name == "_initialized":  # PyTorch's private flag, which reversible networks of others read
        return is_initialized()
    if name.startswith("_"):
        raise AttributeError(f"module 'lazygrad.cuda' has no attribute {name!r}")
    raise MissingError(f"lazygrad has no cuda.{name}; ask cuda.is_available() first where a program can do without")
