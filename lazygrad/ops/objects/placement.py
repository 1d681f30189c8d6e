"""Where a tensor lives: device, layout and kind of memory."""

from __future__ import annotations

from collections.abc import Callable
from mmap import mmap
from typing import Any

import numpy as np

from lazygrad.exposure import move_to
from lazygrad.host.buffer import host_view, is_seen_by_host
from lazygrad.ir.device import CPU
from lazygrad.ir.memory_format import Layout, strided
from lazygrad.ops.arguments.kinds import DeviceLike
from lazygrad.ops.arguments.operands import tensor_argument
from lazygrad.ops.arguments.registering import method
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
    """The tensor in page-locked memory, which only an accelerator could make use of.

    Raises:
        RuntimeError: there is no accelerator.
    """
    raise RuntimeError("pin_memory: page-locked memory is for copies to an accelerator, and none is available; leave "
                       "it out on the CPU")  # fmt: skip


@method()
def is_pinned(input: Tensor, device: DeviceLike | None = None) -> bool:
    """Whether the memory is page-locked: False, there is no accelerator that could read it."""
    return False


@method()
def share_memory_(input: Tensor) -> Tensor:
    """Move the values to memory that processes forked later share with this one, for reading and for in-place writes;
    returns the tensor. Memory of a device other than the CPU stays where it is.
    """
    if not is_shared(input):
        contents = Tensor.from_storage(input._storage, detached=True).array()
        mapped = np.ndarray(contents.shape, contents.dtype, mmap(-1, max(contents.nbytes, 1)))
        mapped[...] = contents
        move_to(input._storage, mapped)
    return input


@method()
def is_shared(input: Tensor) -> bool:
    """Whether the values lie in memory that `share_memory_` made; as in PyTorch always on a device but the CPU."""
    if input.device is not CPU and input.device.computes:
        return True
    buffer = input._storage.value.value
    return is_seen_by_host(buffer) and isinstance(host_view(buffer).base, mmap)
