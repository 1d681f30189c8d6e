"""Copies of a module on other devices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lazygrad.ir.device import Device
from lazygrad.nn.core.module import Module
from lazygrad.nn.parallel._devices import devices_of
from lazygrad.tensor import Tensor

__all__ = ["replicate"]


def replicate(network: Module, devices: Sequence[Any], detach: bool = False) -> list[Module]:
    """Copies of a module on devices, for one call. Their parameters are copies that gradients flow through to the
    module's own, unless ``detach`` is set; where a tensor is on the device, the copy of the module has the very tensor,
    so that statistics of a batch normalization there are kept."""
    return [_replica(network, device, detach, {}) for device in devices_of(devices)]


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
