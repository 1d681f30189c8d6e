"""Modules spread over devices, of which there is one here: the CPU."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lazygrad.nn.core.module import Module

__all__ = ["DataParallel", "DistributedDataParallel", "data_parallel"]


class DataParallel(Module):
    """Calls ``module``: without accelerators there is nothing to spread it over, as in PyTorch.

    Its state dict has the prefix ``module.``, so that checkpoints of programs that wrap their models fit.

    Args:
        module: what is called.
        device_ids, output_device, dim: accepted as PyTorch does where there is no accelerator.
    """

    def __init__(
        self, module: Module, device_ids: Sequence[Any] | None = None, output_device: Any = None, dim: int = 0
    ) -> None:
        super().__init__()
        self.module = module
        self.device_ids: list[Any] = []

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        return self.module(*inputs, **kwargs)


class DistributedDataParallel(Module):
    """Training in several processes, which lazygrad does not do. NotImplementedError when made.

    The class is there to be named in imports and ``isinstance``.
    """

    def __init__(self, module: Module, *args: Any, **kwargs: Any) -> None:
        raise NotImplementedError(
            "lazygrad has no DistributedDataParallel: it computes in one process, on all cores of its CPU; "
            "call the module itself"
        )


def data_parallel(
    module: Module,
    inputs: Any,
    device_ids: Sequence[Any] | None = None,
    output_device: Any = None,
    dim: int = 0,
    module_kwargs: dict[str, Any] | None = None,
) -> Any:
    """``module`` called on ``inputs`` (one, or a tuple of them); see `DataParallel`."""
    given = inputs if isinstance(inputs, tuple) else (inputs,)
    return module(*given, **(module_kwargs or {}))
