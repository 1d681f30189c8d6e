"""Memory of CUDA devices that is shared with cupy, torch, numba and others, by DLPack and ``__cuda_array_interface__``.

What another library sees is the memory of the present contents. A write by lazygrad makes new contents elsewhere, so
it is not seen there; a write by the other library is seen by whatever lazygrad computes from that memory later.
"""

from __future__ import annotations

from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from lazygrad.host.buffer import Buffer, DeviceBuffer
from lazygrad.host.dlpack import CUDA, DLDeviceType, Shared, capsule_of, row_major
from lazygrad.host.dtypes import from_numpy, to_numpy
from lazygrad.ir.alias import keeps_memory
from lazygrad.ir.device import Device
from lazygrad.ir.dtype import bfloat16
from lazygrad.ir.node import tensor_type
from lazygrad.ir.origin import capture
from lazygrad.ir.primitives import movement
from lazygrad.ir.primitives.elementwise import clone
from lazygrad.ir.primitives.leaf import buffer, leaf_node
from lazygrad.ir.shape import numel
from lazygrad.ops.arguments.options import device_option
from lazygrad.runtime.realize import realize
from lazygrad.storage import Storage
from lazygrad.tensor import Tensor
from lazygrad.tensor_base import record_node

DEFAULT_STREAM = 1  # as both protocols number the device's own
_handed_out: WeakKeyDictionary[Storage, list[Buffer]] = WeakKeyDictionary()  # kept as long as somebody may look


class _Foreign:
    """Memory that another library owns, as an allocator's blocks are."""

    def __init__(self, address: int, owner: Any) -> None:
        self.address, self.owner = address, owner


def shared_memory(input: Tensor) -> Shared:
    """The memory of a tensor on a CUDA device, which stays as it is while its owner lives."""
    if not keeps_memory(input._chain):  # what it sees are no elements of the memory
        input = Tensor.from_node(record_node(clone, (input.node(),)))
    view = input.view_of_storage()
    if input._storage.value.value is None:
        realize([input._storage.value])
    value = input._storage.value.value
    assert isinstance(value, DeviceBuffer)
    value.allocator.finish_streams()
    value.shared = True  # a plan that wrote over it would be seen outside
    _handed_out.setdefault(input._storage, []).append(value)
    address = value.address + view.offset * input.dtype.itemsize
    return Shared(address, input.dtype, tuple(view.shape), tuple(view.strides), input.device.index or 0, value)


def to_dlpack(input: Tensor, stream: int | None) -> Any:
    """A DLPack capsule over the tensor's memory.

    Args:
        input: on a CUDA device.
        stream: on which it will be read; work on another one than the device's own waits for nothing of ours, so the
            capsule is handed over when the device is done.

    Raises:
        BufferError: DLPack has no code for the dtype.
    """
    memory = shared_memory(input)
    if stream not in (None, -1, DEFAULT_STREAM):
        memory.owner.allocator.finish()
    return capsule_of(memory)


def dlpack_device(input: Tensor) -> tuple[DLDeviceType, int]:
    """The DLPack code and ordinal of a CUDA device."""
    return CUDA, input.device.index or 0


def from_interface(interface: dict[str, Any], owner: Any) -> Tensor:
    """A tensor over what ``__cuda_array_interface__`` describes, on the current device.

    Raises:
        TypeError: it has a mask, or a dtype that there is not.
        RuntimeError: CUDA cannot be used here.
    """
    if interface.get("mask") is not None:
        raise TypeError("__cuda_array_interface__: arrays with a mask are not supported")
    dtype = np.dtype(interface["typestr"])
    shape, strides = tuple(interface["shape"]), interface.get("strides")
    steps = row_major(shape) if strides is None else tuple(stride // dtype.itemsize for stride in strides)
    ordinal = Device("cuda").place.index or 0
    return around(Shared(interface["data"][0] or 0, from_numpy(dtype), shape, steps, ordinal, owner))


def around(memory: Shared) -> Tensor:
    """A view, of the memory's strides, of a tensor over all between the first and the last element.

    Raises:
        ValueError: negative strides.
    """
    if any(stride < 0 for stride in memory.strides):
        raise ValueError("at least one stride is negative, which tensors do not support; make a copy first")
    device = device_option(Device("cuda", memory.ordinal))
    is_whole = memory.strides == row_major(memory.shape) or not numel(memory.shape)
    steps = list(zip(memory.shape, memory.strides, strict=True))
    length = 1 + sum((size - 1) * step for size, step in steps)
    type = tensor_type(memory.shape if is_whole else (length,), memory.dtype, device)
    node = leaf_node(buffer, (None,), type)
    node.origin, node.value = capture(), DeviceBuffer.around(type, _Foreign(memory.address, memory.owner))
    view = Tensor.from_node(node)
    return view if is_whole else strided_view(view, steps)


def strided_view(view: Tensor, steps: list[tuple[int, int]]) -> Tensor:
    """The elements of a vector at ``steps``, a size and a distance for each axis."""
    for axis, (size, step) in enumerate(steps):
        # (…, rest) becomes (…, rest left over, size): `size` places that lie `step` elements apart.
        view = view.moved(movement.windows, ((size,), (1,), (step,)))
        view = view.moved(movement.permute, ((*range(axis), axis + 1, axis),))
    return view.moved(movement.reshape, (tuple(size for size, _ in steps),))


def _interface(input: Tensor) -> dict[str, Any]:
    """What other libraries read of a tensor on a CUDA device.

    Raises:
        AttributeError: it is not on one.
        RuntimeError: it requires a gradient.
        TypeError: a dtype that numpy has no name for.
    """
    if input.device.type != "cuda":
        raise AttributeError(f"Can't get __cuda_array_interface__ on non-CUDA tensor type: {input.type()} "
                             "If CUDA data is required use tensor.cuda() to copy tensor to device memory.")  # fmt: skip
    if input.requires_grad:
        raise RuntimeError(
            "Can't get __cuda_array_interface__ on Variable that requires grad. "
            "If gradients aren't required, use var.detach() to get Variable that doesn't require grad."
        )
    if input.dtype is bfloat16 or input.dtype.is_float8:
        raise TypeError(f"__cuda_array_interface__ has no name for {input.dtype.name}")
    memory = shared_memory(input)
    size = input.dtype.itemsize
    is_whole = memory.strides == row_major(memory.shape)
    return {
        "typestr": to_numpy(input.dtype).str,
        "shape": memory.shape,
        "strides": None if is_whole else tuple(stride * size for stride in memory.strides),
        "data": (memory.address if numel(memory.shape) else 0, False),
        "version": 2,
    }


setattr(Tensor, "__cuda_array_interface__", property(_interface))  # noqa: B010, attached like all of Tensor's methods
