"""Tensors made from data: numbers, nested sequences, arrays and other tensors."""

from __future__ import annotations

from array import array
from typing import Any

import numpy as np

from lazygrad.grad_mode import is_grad_enabled
from lazygrad.ir.device import Device
from lazygrad.ir.dtype import DType
from lazygrad.ir.memory_format import MemoryFormat, preserve_format
from lazygrad.ir.user_warning import warn_user
from lazygrad.ops.arguments.kinds import DeviceLike, DTypeLike
from lazygrad.ops.arguments.operands import get_default_dtype
from lazygrad.ops.arguments.options import device_option, dtype_option, finished, placed, valueless
from lazygrad.ops.arguments.python_data import array_of
from lazygrad.ops.creation.device_memory import from_interface
from lazygrad.ops.creation.sharing import from_dlpack, from_numpy, frombuffer
from lazygrad.ops.shapes.layout import copy_in_order, order_of
from lazygrad.tensor import Tensor

__all__ = ["tensor", "as_tensor", "asarray"]


def tensor(
    data: Any, *, dtype: DTypeLike | None = None, device: DeviceLike | None = None, requires_grad: bool = False
) -> Tensor:
    """A new tensor with a copy of ``data``: a number, nested sequences, a numpy array or a tensor.

    Raises:
        TypeError, ValueError, RuntimeError: rows of different lengths, something that is not a number, a Python
            number that does not fit into ``dtype``.
    """
    wanted = None if dtype is None else dtype_option(dtype)
    if hasattr(data, "__cuda_array_interface__") and not isinstance(data, Tensor):
        # Its owner may write to it after this call.
        return finished(_moved_now(from_interface(data.__cuda_array_interface__, data), wanted, device), requires_grad)
    if isinstance(data, Tensor):
        warn_of_copied_tensor("tensor")
        copy = copied(data.detach(), wanted or data.dtype, device_option(device, data.device))
    else:
        copy = placed(array_of(data, wanted), device_option(device))
    return finished(copy, requires_grad)


def warn_of_copied_tensor(function: str) -> None:
    """PyTorch's advice to who makes a tensor of a tensor."""
    warn_user("To copy construct from a tensor, it is recommended to use sourceTensor.detach().clone() or "
              f"sourceTensor.detach().clone().requires_grad_(True), rather than {function}(sourceTensor).")  # fmt: skip


def _moved_now(source: Tensor, dtype: DType | None, device: DeviceLike | None) -> Tensor:
    return copied(source, dtype or source.dtype, device_option(device, source.device)).realize()


def as_tensor(data: Any, dtype: DTypeLike | None = None, device: DeviceLike | None = None) -> Tensor:
    """``data`` as a tensor, copied only where that cannot be avoided; numpy arrays share their memory."""
    return asarray(data, dtype=dtype, device=device)


def asarray(
    obj: Any,
    *,
    dtype: DTypeLike | None = None,
    device: DeviceLike | None = None,
    copy: bool | None = None,
    requires_grad: bool = False,
) -> Tensor:
    """``obj`` as a tensor.

    Args:
        obj: a tensor, a numpy array, an object with DLPack, ``__cuda_array_interface__`` or the buffer protocol, a
            number or nested sequences.
        dtype, device: what the result has; by default what ``obj`` has, of a buffer the default dtype.
        copy: True always copies, False never does, None copies where that cannot be avoided.
        requires_grad: whether a result made from data records gradients.

    Raises:
        ValueError: ``copy=False`` where only a copy has the wanted dtype or device.
    """
    wanted = None if dtype is None else dtype_option(dtype)
    if isinstance(obj, np.ndarray):
        source = from_numpy(obj)
    elif isinstance(obj, Tensor):
        source = obj
    elif hasattr(obj, "__dlpack__"):
        source = from_dlpack(obj)
    elif hasattr(obj, "__cuda_array_interface__"):
        source = from_interface(obj.__cuda_array_interface__, obj)
    elif isinstance(obj, (bytes, bytearray, memoryview, array)):
        source = frombuffer(obj, dtype=wanted or get_default_dtype())
    elif copy is False:
        raise ValueError(f"asarray: can't alias the memory of a {type(obj).__name__}; leave copy=False out")
    else:
        return tensor(obj, dtype=wanted, device=device, requires_grad=requires_grad)
    wanted, place = wanted or source.dtype, device_option(device, source.device)
    if copy or wanted is not source.dtype or place is not source.device:
        if copy is False:
            raise ValueError(
                f"asarray: can't alias {source.dtype.name} on {source.device} as {wanted.name} on {place}: it must copy"
            )
        source = copied(source, wanted, place)
    return finished(source, requires_grad)


def copied(source: Tensor, dtype: DType, device: Device, memory_format: MemoryFormat = preserve_format) -> Tensor:
    """A copy of ``source`` as ``dtype`` on ``device``, which gradients flow through.

    Raises:
        NotImplementedError: values asked of a device that has none.
    """
    if not device.computes and device is not source.device and not (source.requires_grad and is_grad_enabled()):
        return valueless(source.shape, dtype, device)
    return copy_in_order(source, order_of(source, memory_format), dtype, device)
