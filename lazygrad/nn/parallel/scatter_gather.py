"""Parts of a batch, one for each device, and results put together."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from lazygrad.ir.device import Device
from lazygrad.nn.parallel._devices import devices_of
from lazygrad.ops.public import cat, chunk, stack
from lazygrad.tensor import Tensor

__all__ = ["gather", "scatter", "scatter_kwargs"]


def scatter(inputs: Any, target_gpus: Sequence[Any], dim: int = 0) -> tuple[Any, ...]:
    """Splits tensors, in containers of any depth, into parts along ``dim``, one on each device; all else goes to each.

    Returns:
        As many of ``inputs``' kind as there are parts, at most one for each device.
    """
    devices = devices_of(target_gpus)

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


def scatter_kwargs(
    inputs: tuple[Any, ...], kwargs: dict[str, Any] | None, target_gpus: Sequence[Any], dim: int = 0
) -> tuple[tuple[Any, ...], tuple[dict[str, Any], ...]]:
    """`scatter` of the positional and of the named arguments of a call; the shorter result is filled up with none.

    Returns:
        As many tuples as dictionaries; both are empty where there are no arguments.
    """
    parts = scatter(inputs, target_gpus, dim) if inputs else ()
    named = scatter(kwargs, target_gpus, dim) if kwargs else ()
    length = max(len(parts), len(named))
    return (*parts, *[()] * (length - len(parts))), (*named, *[{} for _ in range(length - len(named))])
