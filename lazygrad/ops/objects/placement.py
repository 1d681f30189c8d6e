"""Where a tensor lives: device, layout and kind of memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from lazygrad.exposure import move_to
from lazygrad.host.allocator import Allocator, allocator_of, why_unavailable
from lazygrad.host.buffer import DeviceBuffer, host_view, is_seen_by_host
from lazygrad.host.shared_memory import shared_memory, shared_memory_of
from lazygrad.ir.device import CPU, Device
from lazygrad.ir.memory_format import Layout, strided
from lazygrad.ir.node import tensor_type
from lazygrad.ir.origin import capture
from lazygrad.ir.primitives.leaf import buffer, leaf_node
from lazygrad.ir.shape import numel
from lazygrad.levels import levels
from lazygrad.ops.arguments.kinds import DeviceLike
from lazygrad.ops.arguments.operands import tensor_argument
from lazygrad.ops.arguments.registering import method
from lazygrad.runtime.listening import listening
from lazygrad.tensor import Tensor

__all__ = ["get_device"]


@method()
def get_device(input: Tensor) -> int:
    """The ordinal of the tensor's accelerator; -1 on the CPU and where there are no values."""
    index = tensor_argument(input, "get_device").device.index
    return -1 if index is None else index


def _attribute(name: str, doc: str, of: Callable[[Tensor], Any]) -> None:
    setattr(Tensor, name, property(of, doc=doc))


def _is_on(*types: str) -> Callable[[Tensor], bool]:
    def is_on(tensor: Tensor) -> bool:
        return tensor.device.type in types

    return is_on


def _layout(tensor: Tensor) -> Layout:
    return strided


for _type in ("cpu", "cuda", "mps", "xpu", "meta"):
    _attribute(f"is_{_type}", f"Whether the tensor is on a {_type} device.", _is_on(_type))
for _type in ("hpu", "ipu", "maia", "mtia", "vulkan", "xla"):
    _attribute(f"is_{_type}", f"False: there are no {_type} devices.", _is_on())
for _kind in ("mkldnn", "nested", "quantized", "sparse", "sparse_csr"):
    _attribute(f"is_{_kind}", f"Whether the tensor is a {_kind} one, which those of this class are not.", _is_on())
_attribute("layout", "How the elements are stored: `strided`, one by one.", _layout)


# Kinds of memory.


@method()
def pin_memory(input: Tensor, device: DeviceLike | None = None) -> Tensor:
    """The tensor in page-locked memory, from which an accelerator copies by itself; itself if it is there.

    Args:
        input: on the CPU.
        device: for whose copies; the current CUDA device by default.

    Raises:
        RuntimeError: there is no accelerator, or the tensor is on one.
    """
    if input.device is not CPU:
        raise RuntimeError(f"cannot pin '{input.type()}' only dense CPU tensors can be pinned")
    accelerator = _accelerator(device)
    if accelerator is None:
        raise RuntimeError("pin_memory: page-locked memory is for copies to an accelerator, and none is available; "
                           "leave it out on the CPU")  # fmt: skip
    if is_pinned(input, device):
        return input
    values = input.detach().array()
    memory = accelerator.pinned(values.nbytes).view(values.dtype).reshape(values.shape)
    memory[...] = values
    return Tensor.from_array(memory, CPU, shared=True)


@method()
def is_pinned(input: Tensor, device: DeviceLike | None = None) -> bool:
    """Whether the memory is page-locked, as `pin_memory` makes it."""
    value = input._storage.value.value
    accelerator = _accelerator(device) if input.device is CPU and is_seen_by_host(value) else None
    return accelerator is not None and is_seen_by_host(value) and accelerator.is_pinned(host_view(value))


def _accelerator(device: DeviceLike | None) -> Allocator | None:
    """The memory of the accelerator that is meant, if it is there."""
    place = Device("cuda" if device is None else device).place
    return None if place is CPU or why_unavailable(place) is not None else allocator_of(place)


def sent_from_pinned(input: Tensor, device: Device, non_blocking: bool) -> Tensor | None:
    """A copy on an accelerator of a tensor in pinned memory, which is asked for at once and not recorded.

    Args:
        input: on the CPU; a part of a tensor, one with a gradient, and one that is recorded by somebody is not sent.
        device: the accelerator.
        non_blocking: let the program go on while the accelerator copies; the memory must stay as it is until then.

    Returns:
        The copy, or None where it is recorded as other copies are.
    """
    value = input._storage.value.value
    if input.device is not CPU or not device.computes or not is_seen_by_host(value):
        return None
    if input.requires_grad or listening.listener is not None or levels.active:
        return None
    array, memory, view = host_view(value), allocator_of(device), input.view_of_storage()
    if not memory.is_pinned(array) or not view.is_contiguous or numel(view.shape) != array.size:
        return None
    type = tensor_type(view.shape, input.dtype, device)
    made = DeviceBuffer(type)
    (memory.copy_in_later if non_blocking else memory.copy_in)(array, made.memory)
    node = leaf_node(buffer, (None,), type)
    node.origin, node.value = capture(), made
    return Tensor.from_node(node)


@method()
def share_memory_(input: Tensor) -> Tensor:
    """Move the values to memory that other processes share with this one, for reading and for in-place writes; returns
    the tensor. Those are the processes that are forked later, and those that `multiprocessing` hands the tensor to, as
    an argument or by a queue. Memory of a device other than the CPU stays where it is.
    """
    if not is_shared(input):
        contents = Tensor.from_storage(input._storage, detached=True).array()
        mapped = np.ndarray(contents.shape, contents.dtype, shared_memory(contents.nbytes))
        mapped[...] = contents
        move_to(input._storage, mapped)
    return input


@method()
def is_shared(input: Tensor) -> bool:
    """Whether the values lie in memory that `share_memory_` made; as in PyTorch always on a device but the CPU."""
    if input.device is not CPU and input.device.computes:
        return True
    buffer = input._storage.value.value
    return is_seen_by_host(buffer) and shared_memory_of(host_view(buffer)) is not None
