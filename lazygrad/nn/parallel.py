"""Modules spread over devices."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from typing import Any

from lazygrad.host.allocator import why_unavailable
from lazygrad.ir.device import Device
from lazygrad.nn.core.module import Module
from lazygrad.ops.public import cat, chunk, stack
from lazygrad.tensor import Tensor

__all__ = ["DataParallel", "DistributedDataParallel", "data_parallel", "gather", "replicate", "scatter"]


def _all_devices() -> list[Device]:
    """The CUDA devices that there are."""
    found: list[Device] = []
    while why_unavailable(device := Device("cuda", len(found))) is None:
        found.append(device)
    return found


def _devices(named: Sequence[Any] | None) -> list[Device]:
    if named is None:
        return _all_devices()
    return [Device("cuda", each) if isinstance(each, int) else Device(each).place for each in named]


def scatter(inputs: Any, target_gpus: Sequence[Any], dim: int = 0) -> tuple[Any, ...]:
    """Splits tensors, in containers of any depth, into parts along ``dim``, one on each device; all else goes to each.

    Returns:
        As many of ``inputs``' kind as there are parts, at most one for each device.
    """
    devices = _devices(target_gpus)

    def spread(value: Any) -> list[Any]:
        if isinstance(value, Tensor):
            parts = chunk(value, len(devices), dim)
            return [part.to(device) for part, device in zip(parts, devices, strict=False)]
        if isinstance(value, tuple) and hasattr(value, "_fields"):
            return [type(value)(*each) for each in zip(*map(spread, value), strict=False)]
        if isinstance(value, (tuple, list)) and value:
            return [type(value)(each) for each in zip(*map(spread, value), strict=False)]
        if isinstance(value, Mapping) and value:
            return [type(value)(each) for each in zip(*map(spread, value.items()), strict=False)]  # type: ignore[call-arg]
        return [value for _ in devices]

    return tuple(spread(inputs))


def gather(outputs: Sequence[Any], target_device: Any, dim: int = 0) -> Any:
    """What `scatter` split, put together again on one device; scalars become a vector."""
    device = Device("cuda", target_device) if isinstance(target_device, int) else Device(target_device).place
    first = outputs[0]
    if isinstance(first, Tensor):
        parts = [output.to(device) for output in outputs]
        return stack(parts) if first.dim() == 0 else cat(parts, dim)
    if first is None:
        return None
    if isinstance(first, Mapping):
        if any(len(output) != len(first) for output in outputs):
            raise ValueError("All dicts must have the same number of keys")
        return type(first)((key, gather([output[key] for output in outputs], device, dim)) for key in first)  # type: ignore[call-arg]
    made: Callable[..., Any] = first._make if hasattr(first, "_make") else type(first)
    return made([gather(each, device, dim) for each in zip(*outputs, strict=True)])


def replicate(network: Module, devices: Sequence[Any], detach: bool = False) -> list[Module]:
    """Copies of a module on devices, for one call. Their parameters are copies that gradients flow through to the
    module's own, unless ``detach`` is set; where a tensor is on the device, the copy of the module has the very tensor,
    so that statistics of a batch normalization there are kept."""
    return [_replica(network, device, detach, {}) for device in _devices(devices)]


def _replica(module: Module, device: Device, detach: bool, made: dict[int, Any]) -> Module:
    """A module with the same attributes but tensors on ``device``; one that is there twice is one in the copy, too."""
    known: Module | None = made.get(id(module))
    if known is not None:
        return known

    def moved(tensor: Tensor | None) -> Tensor | None:
        if tensor is None:
            return None
        if id(tensor) not in made:
            made[id(tensor)] = (tensor.detach() if detach else tensor).to(device)
        found: Tensor = made[id(tensor)]
        return found

    replica: Module = made.setdefault(id(module), type(module).__new__(type(module)))
    replica.__dict__.update(module.__dict__)
    replica.__dict__["_buffers"] = {name: moved(buffer) for name, buffer in module._buffers.items()}
    replica.__dict__["_modules"] = {
        name: None if child is None else _replica(child, device, detach, made)
        for name, child in module._modules.items()
    }
    # As plain attributes: a copy is no parameter, which would be a leaf.
    replica.__dict__["_parameters"] = {}
    replica.__dict__.update({name: moved(parameter) for name, parameter in module._parameters.items()})
    return replica


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
        devices = _devices(device_ids) if _all_devices() else []
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
        outputs = [replica(*own[0], **own[1]) for replica, own in zip(replicas, parts, strict=True)]
        return gather(outputs, self.output_device, self.dim)


class DistributedDataParallel(Module):
    """Training in several processes, which lazygrad does not do. NotImplementedError when made.

    The class is there to be named in imports and ``isinstance``.
    """

    def __init__(self, module: Module, *args: Any, **kwargs: Any) -> None:
        raise NotImplementedError(
            "lazygrad has no DistributedDataParallel: it computes in one process, on all cores of its CPU; "
            "call the module itself, or use DataParallel on several GPUs"
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
    return DataParallel(module, device_ids, output_device, dim)(*given, **(module_kwargs or {}))
