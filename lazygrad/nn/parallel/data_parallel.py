"""Modules called on several CUDA devices of one process."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any

from lazygrad.nn.core.module import Module
from lazygrad.nn.parallel._devices import all_devices, devices_of
from lazygrad.nn.parallel.parallel_apply import parallel_apply
from lazygrad.nn.parallel.replicate import replicate
from lazygrad.nn.parallel.scatter_gather import gather, scatter

__all__ = ["DataParallel", "data_parallel"]


class DataParallel(Module):
    """Calls copies of ``module`` on several CUDA devices, each with a part of the batch, and puts the results together.

    With one device, or none, it calls the module itself. Its state dict has the prefix ``module.``.

    Args:
        module: what is called; its parameters are on the first device.
        device_ids: ordinals or devices, all that there are by default.
        output_device: where results are put together, on the first device by default.
        dim: of the batch.

    Raises:
        RuntimeError: when called, parameters or buffers that are not on the first device.
    """

    def __init__(
        self, module: Module, device_ids: Sequence[Any] | None = None, output_device: Any = None, dim: int = 0
    ) -> None:
        super().__init__()
        devices = devices_of(device_ids) if all_devices() else []
        self.module, self.dim = module, dim
        self.device_ids: list[Any] = [device.index for device in devices]
        self.output_device: Any = None
        if devices:
            self.output_device = self.device_ids[0] if output_device is None else output_device
            self.src_device_obj = devices[0]
        if len(devices) == 1:
            self.module.to(devices[0])

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        if not self.device_ids:
            return self.module(*inputs, **kwargs)
        for tensor in chain(self.module.parameters(), self.module.buffers()):
            if tensor.device is not self.src_device_obj:
                raise RuntimeError(
                    f"module must have its parameters and buffers on device {self.src_device_obj} (device_ids[0]) but "
                    f"found one of them on device: {tensor.device}"
                )
        parts = scatter((inputs, kwargs), self.device_ids, self.dim)
        if len(self.device_ids) == 1:
            ((own_inputs, own_kwargs),) = parts
            return self.module(*own_inputs, **own_kwargs)
        replicas = replicate(self.module, self.device_ids[: len(parts)], detach=False)
        outputs = parallel_apply(replicas, *zip(*parts, strict=True))
        return gather(outputs, self.output_device, self.dim)


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
    return DataParallel(module, device_ids, output_device, dim)(*given, **(module_kwargs or {}))
