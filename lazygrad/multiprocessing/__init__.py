"""``lazygrad.multiprocessing``: Python's `multiprocessing`, by which tensors travel as copies.

PyTorch's hands all tensors over as handles of shared memory. Here it does so with those whose memory
`Tensor.share_memory_` made; of others a queue or a pipe brings another tensor.
"""

import multiprocessing as _multiprocessing
from multiprocessing import *

from lazygrad.multiprocessing.spawn import (
    ProcessContext,
    ProcessExitedException,
    ProcessRaisedException,
    SpawnContext,
    spawn,
    start_processes,
)

__all__ = [
    *_multiprocessing.__all__,
    "ProcessContext",
    "ProcessExitedException",
    "ProcessRaisedException",
    "SpawnContext",
    "get_all_sharing_strategies",
    "get_sharing_strategy",
    "set_sharing_strategy",
    "spawn",
    "start_processes",
]

_sharing = {"strategy": "file_descriptor"}


def get_all_sharing_strategies() -> set[str]:
    """The ways in which PyTorch shares memory between processes. Here it is the first, whichever is set."""
    return {"file_descriptor", "file_system"}


def get_sharing_strategy() -> str:
    """What `set_sharing_strategy` was given; nothing reads it."""
    return _sharing["strategy"]


def set_sharing_strategy(new_strategy: str) -> None:
    """Keeps a name of `get_all_sharing_strategies`. AssertionError: another name."""
    if new_strategy not in get_all_sharing_strategies():
        raise AssertionError(
            f"invalid sharing strategy {new_strategy!r}, expected one of {sorted(get_all_sharing_strategies())}"
        )
    _sharing["strategy"] = new_strategy
