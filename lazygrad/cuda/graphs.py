"""CUDA graphs as programs name them; lazygrad records whole calls itself, see `lazygrad.compile`."""

from __future__ import annotations

import contextlib
from typing import Any, NoReturn

_INSTEAD = (
    "operations are recorded when they are called and computed later, so that a block of code is no sequence of "
    "launches that could be captured: give the function to lazygrad.compile, whose replays launch one CUDA graph"
)


def is_current_stream_capturing() -> bool:
    """Whether a program is capturing a CUDA graph: False."""
    return False


class CUDAGraph:
    """A captured sequence of launches. NotImplementedError when made: `lazygrad.compile` captures whole calls."""

    def __init__(self, keep_graph: bool = False) -> None:
        raise NotImplementedError(f"lazygrad has no cuda.CUDAGraph: {_INSTEAD}")


class graph(contextlib.AbstractContextManager[None]):
    """Captures what a block launches. NotImplementedError when made, like `CUDAGraph`."""

    def __init__(self, cuda_graph: Any, pool: Any = None, stream: Any = None, **kwargs: Any) -> None:
        raise NotImplementedError(f"lazygrad has no cuda.graph: {_INSTEAD}")

    def __exit__(self, *error: object) -> None:
        """Never entered."""


def graph_pool_handle() -> NoReturn:
    """Memory that graphs share. NotImplementedError, like `CUDAGraph`."""
    raise NotImplementedError(f"lazygrad has no cuda.graph_pool_handle: {_INSTEAD}")


def make_graphed_callables(callables: Any, sample_args: Any, **kwargs: Any) -> NoReturn:
    """Functions whose calls replay a graph. NotImplementedError, like `CUDAGraph`."""
    raise NotImplementedError(f"lazygrad has no cuda.make_graphed_callables: {_INSTEAD}")
