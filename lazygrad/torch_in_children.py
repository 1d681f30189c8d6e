"""Processes that `multiprocessing` starts find lazygrad under PyTorch's names where their parent does.

A forked process has what its parent had. One that is spawned imports the program's main module anew, and before that
unpickles what its parent hands over: an object among it calls `as_torch` there. The server that forks processes on
demand would import the main module itself, before it has heard of anything; it imports this module in its place, and
each process that it forks imports the main module later, as a spawned one does.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

_MAIN = "__main__"


class _Called:
    """An object whose unpickling calls a function."""

    def __init__(self, function: Callable[[], object]) -> None:
        self._function = function

    def __reduce__(self) -> tuple[Callable[[], object], tuple[()]]:
        return self._function, ()


def call_in_children(as_torch: Callable[[], object]) -> None:
    """Has the processes that this one starts from now on call a function before they import its main module."""
    from multiprocessing import forkserver, spawn  # most programs start none

    if spawn.get_preparation_data.__module__ == __name__:
        return
    prepared = spawn.get_preparation_data

    def get_preparation_data(name: str) -> dict[str, Any]:
        return {"torch": _Called(as_torch), **prepared(name)}

    spawn.get_preparation_data = get_preparation_data
    server: Any = forkserver._forkserver
    server.set_forkserver_preload([__name__, *[name for name in server._preload_modules if name != _MAIN]])
