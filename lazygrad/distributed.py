"""``lazygrad.distributed``: answers that programs run in one process, so that those that ask take that path."""

from __future__ import annotations

from lazygrad.left_out import stand_in

__all__ = [
    "all_reduce",
    "barrier",
    "destroy_process_group",
    "get_rank",
    "get_world_size",
    "init_process_group",
    "is_available",
    "is_initialized",
]


def is_available() -> bool:
    """Whether several processes can work together: False."""
    return False


def is_initialized() -> bool:
    """Whether they do: False."""
    return False


def is_torchelastic_launched() -> bool:
    """Whether a launcher of several processes started this one: False."""
    return False


_ONE = "lazygrad computes in one process, on all cores of its CPU; ask distributed.is_available() first"

init_process_group = stand_in("distributed.init_process_group", _ONE)
destroy_process_group = stand_in("distributed.destroy_process_group", _ONE)
get_rank = stand_in("distributed.get_rank", _ONE)
get_world_size = stand_in("distributed.get_world_size", _ONE)
all_reduce = stand_in("distributed.all_reduce", _ONE)
barrier = stand_in("distributed.barrier", _ONE)
