"""``lazygrad.distributed.rpc``: calls of other processes, which are not there; programs import it in advance."""

from __future__ import annotations

from typing import Any

from lazygrad.distributed import ONE_PROCESS
from lazygrad.left_out import stand_in

_FUNCTIONS = ("init_rpc", "remote", "rpc_async", "rpc_sync", "shutdown")

__all__ = [*_FUNCTIONS]


def is_available() -> bool:
    """Whether other processes can be called: False."""
    return False


def __getattr__(name: str) -> Any:
    if name not in _FUNCTIONS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return globals().setdefault(name, stand_in(f"distributed.rpc.{name}", ONE_PROCESS))
