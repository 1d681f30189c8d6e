"""The class of modules that several processes train, which there is to be named."""

from __future__ import annotations

from typing import Any

from lazygrad.nn.core.module import Module

__all__ = ["DistributedDataParallel"]


class DistributedDataParallel(Module):
    """Training in several processes, which lazygrad does not do. NotImplementedError when made.

    The class is there to be named in imports and ``isinstance``.
    """

    def __init__(self, module: Module, *args: Any, **kwargs: Any) -> None:
        raise NotImplementedError(
            "lazygrad has no DistributedDataParallel: it computes in one process, on all cores of its CPU; "
            "call the module itself, or use DataParallel on several GPUs"
        )
