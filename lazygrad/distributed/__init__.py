"""``lazygrad.distributed``: answers that programs run in one process, so that those that ask take that path.

The names of processes working together are there, so that a program can import them; to use one says why it cannot.
"""

from __future__ import annotations

from enum import Enum
from importlib import import_module
from typing import Any

from lazygrad.left_out import stand_in, stand_in_class

ONE_PROCESS = "lazygrad computes in one process, on all cores of its CPU; ask distributed.is_available() first"
_FUNCTIONS = (
    "all_gather", "all_gather_into_tensor", "all_gather_object", "all_reduce", "all_to_all", "all_to_all_single",
    "barrier", "broadcast", "broadcast_object_list", "destroy_process_group", "gather", "gather_object", "get_backend",
    "get_process_group_ranks", "get_rank", "get_world_size", "init_process_group", "irecv", "isend",
    "monitored_barrier", "new_group", "recv", "reduce", "reduce_scatter", "reduce_scatter_tensor", "scatter",
    "scatter_object_list", "send",
)  # fmt: skip
_CLASSES = ("ProcessGroup", "Work")

__all__ = ["ReduceOp", "is_available", "is_initialized", *_CLASSES, *_FUNCTIONS]


class ReduceOp(Enum):
    """How values of several processes would be combined: programs name it in the defaults of their functions."""

    SUM, AVG, PRODUCT, MIN, MAX, BAND, BOR, BXOR = range(8)


def is_available() -> bool:
    """Whether several processes can work together: False."""
    return False


def is_initialized() -> bool:
    """Whether they do: False."""
    return False


def is_torchelastic_launched() -> bool:
    """Whether a launcher of several processes started this one: False."""
    return False


is_gloo_available = is_mpi_available = is_nccl_available = is_available


def __getattr__(name: str) -> Any:
    if name == "rpc":
        return import_module("lazygrad.distributed.rpc")
    if name not in _FUNCTIONS and name not in _CLASSES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    make = stand_in if name in _FUNCTIONS else stand_in_class
    return globals().setdefault(name, make(f"distributed.{name}", ONE_PROCESS))  # type: ignore[operator]
