"""Memory shared with numpy and, through DLPack, with other libraries."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from typing import Any

import numpy as np

from lazygrad.grad_mode import is_grad_enabled
from lazygrad.host.dlpack import DLDeviceType, Shared, array_over, capsule_of_array, read_capsule
from lazygrad.host.dtypes import from_numpy as dtype_of_array
from lazygrad.host.dtypes import to_numpy
from lazygrad.host.strides import as_strided
from lazygrad.host.warn_once import warn_user_once
from lazygrad.ir.alias import keeps_memory
from lazygrad.ir.device import CPU, Device
from lazygrad.ir.dtype import DType
from lazygrad.ops.arguments.kinds import DeviceLike
from lazygrad.ops.arguments.operands import get_default_dtype
from lazygrad.ops.arguments.options import device_option
from lazygrad.ops.arguments.registering import method
from lazygrad.ops.creation import device_memory
from lazygrad.ops.pointwise.complex_numbers import is_conj, is_neg
from lazygrad.tensor import Tensor

__all__ = ["from_numpy", "from_dlpack", "frombuffer", "from_file"]


def from_numpy(ndarray: np.ndarray) -> Tensor:
    """A tensor over a numpy array's memory: what is written to the array later, the tensor reads.

    Raises:
        TypeError: not an array, or of a dtype that has no counterpart.
        ValueError: negative strides, strides between elements, or another machine's byte order.
    """
    if not isinstance(ndarray, np.ndarray):
        raise TypeError(f"expected np.ndarray (got {type(ndarray).__name__})")
    if not ndarray.flags.writeable:
        warn_user_once(
            "The given NumPy array is not writable, and lazygrad does not support non-writable tensors. This means "
            "writing to this tensor will result in undefined behavior. You may want to copy the array to protect its "
            "data or make it writable before converting it to a tensor. This type of warning will be suppressed for "
            "the rest of this program."
        )
    return around_array(ndarray)


def around_array(ndarray: np.ndarray) -> Tensor:
    """`from_numpy` of an array that may be one that nobody writes to."""
    dtype = ndarray.dtype
    if not dtype.isnative:
        raise ValueError("given numpy array has a byte order different from this machine's; use .astype() first")
    dtype_of_array(dtype)
    if ndarray.strides != (dtype.itemsize,):
        _require_strides_of_elements(ndarray)
    if ndarray.flags.c_contiguous:
        return Tensor.from_array(ndarray, CPU, shared=True)
    return _strided(ndarray)


def _require_strides_of_elements(array: np.ndarray) -> None:
    strides, size = array.strides, array.itemsize
    if strides and min(strides) < 0:
        raise ValueError("at least one stride in the given numpy array is negative, which tensors do not support; "
                         "make a copy with array.copy()")  # fmt: skip
    for stride in strides:
        if stride % size:
            raise ValueError(
                "given numpy array strides are not a multiple of the element size; make a copy with array.copy()"
            )


def _strided(array: np.ndarray) -> Tensor:
    """A view, of the array's strides, of a tensor over all the memory between its first and last element."""
    steps = [(size, stride // array.itemsize) for size, stride in zip(array.shape, array.strides, strict=True)]
    length = 1 + sum((size - 1) * step for size, step in steps)
    span = as_strided(array, (length,), (array.itemsize,))
    return device_memory.strided_view(Tensor.from_array(span, CPU, shared=True), steps)


@method()
def numpy(input: Tensor, *, force: bool = False) -> np.ndarray:
    """The value as a numpy array that shares the tensor's memory; bfloat16 comes as ml_dtypes' dtype.

    Args:
        input: a tensor without gradient; any tensor while gradients are not recorded.
        force: take ``input.detach()`` of one with gradient.

    Raises:
        RuntimeError: the tensor requires grad, gradients are recorded and ``force`` is not set; or it has no values
            (the null device).
        TypeError: it is on a device whose memory is not the host's, and ``force`` is not set.
    """
    if input.dtype.is_float8:
        raise TypeError(f"Got unsupported ScalarType {input.dtype.scalar_type}; numpy has no such dtype: use "
                        f".float().numpy(), or .view(lazygrad.uint8).numpy() for the bytes")  # fmt: skip
    if input.device.computes and input.device is not CPU:
        if not force:
            raise TypeError(
                f"can't convert {input.device} device type tensor to numpy. Use Tensor.cpu() to copy the tensor to "
                f"host memory first."
            )
        input = input.cpu()
    if input.requires_grad:
        if not force and is_grad_enabled():
            raise RuntimeError("Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.")
        input = input.detach()
    if not input.is_sparse and input._chain and (is_conj(input) or is_neg(input)):
        if not force:
            bit = "conjugate" if is_conj(input) else "negative"
            resolve = "resolve_conj" if is_conj(input) else "resolve_neg"
            raise RuntimeError(f"Can't call numpy() on Tensor that has {bit} bit set. Use tensor.{resolve}().numpy() "
                               f"instead.")  # fmt: skip
        input = input.clone()
    return input.exposed_array()


@method()
def __array__(input: Tensor, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
    """Numpy's way to ask for an array, as in ``np.asarray(tensor)``.

    Raises:
        ValueError: ``copy=False`` where only a copy is what was asked for.
    """
    if copy is False and not _lies_in_host_memory(input, dtype):
        raise ValueError(
            f"Unable to avoid copy while creating an array as requested. A tensor of {input.dtype.name} on "
            f"{input.device} has no memory of that form: leave copy=False out"
        )
    array = numpy(input)
    if copy:
        return array.astype(array.dtype if dtype is None else dtype, copy=True)
    return array if dtype is None or array.dtype == dtype else array.astype(dtype)


def _lies_in_host_memory(input: Tensor, dtype: Any) -> bool:
    """Whether the elements, as numpy's ``dtype`` or as they are, lie in memory that numpy can look at."""
    if input.is_sparse or input.device is not CPU or input.dtype.is_float8:
        return False
    return keeps_memory(input._chain) and (dtype is None or to_numpy(input.dtype) == dtype)


@method()
def __array_wrap__(input: Tensor, array: np.ndarray, context: Any = None, return_scalar: bool = False) -> Tensor:
    """What a numpy function of tensors returns: a tensor again."""
    return from_numpy(np.ascontiguousarray(array).reshape(array.shape))


@method()
def __dlpack__(
    input: Tensor,
    *,
    stream: Any = -1,
    max_version: tuple[int, int] | None = None,
    dl_device: tuple[Any, int] | None = None,
    copy: bool | None = None,
) -> Any:
    """A DLPack capsule over the tensor's memory, for other libraries' ``from_dlpack``.

    Args:
        stream: of CUDA, on which the memory will be read; None or -1 for memory of the host.
        max_version: the last version of DLPack that the reader understands; without one it gets the oldest form.
        dl_device: the kind and number of the device that the reader wants the memory on.
        copy: True always copies, False never does, None copies where that cannot be avoided.

    Raises:
        BufferError: the tensor requires grad, its memory does not hold its elements (it is conjugated, negated or
            sparse), or it is on neither the CPU nor CUDA, or is wanted elsewhere.
        TypeError, AssertionError: a stream that there is not.
        ValueError: ``copy=False`` where the memory is wanted on another device.
    """
    _require_elements_in_memory(input)
    device = input.device if dl_device is None else _device(dl_device)
    if stream is not None and type(stream) is not int:
        raise TypeError("stream must be ``int`` or ``none``")
    if device.type == "cpu" and stream not in (None, -1):
        raise AssertionError("stream should be None on cpu.")
    _require_no_copy(input.device, device, copy)
    if not input.device.computes:
        _require_cpu(input.device)
    shared = input.to(device, copy=bool(copy))
    if device.type == "cuda":
        return device_memory.to_dlpack(shared, stream)
    _require_cpu(device)
    return capsule_of_array(shared.exposed_array(), input.dtype, max_version, shared is not input)


def _require_elements_in_memory(input: Tensor) -> None:
    if input.requires_grad:
        raise BufferError("Can't export tensors that require gradient, use tensor.detach()")
    if input.is_sparse:
        raise BufferError("Can't export tensors with layout other than torch.strided; use tensor.to_dense()")
    if is_conj(input):
        raise BufferError("Can't export tensors with the conjugate bit set; use tensor.resolve_conj()")
    if not keeps_memory(input._chain):
        raise BufferError("Can't export tensors with the negative bit set; use tensor.resolve_neg()")


def _require_no_copy(source: Device, target: Device, copy: bool | None) -> None:
    if copy is False and source is not target:
        raise ValueError(f"cannot move DLPack tensor from device {source} to {target} without copying. Set copy=None "
                         f"or copy=True.")  # fmt: skip


@method()
def __dlpack_device__(input: Tensor) -> tuple[DLDeviceType, int]:
    """The DLPack code and ordinal of the tensor's device.

    Raises:
        BufferError: it is neither the CPU nor a CUDA device.
    """
    if input.device.type == "cuda":
        return device_memory.dlpack_device(input)
    _require_cpu(input.device)
    return DLDeviceType.kDLCPU, 0


def _require_cpu(device: Device) -> None:
    if device is not CPU:
        raise BufferError(f"DLPack: only the memory of CPU and CUDA tensors is shared, not that of {device}")


def _device(dl_device: tuple[Any, int]) -> Device:
    """The device that DLPack means.

    Raises:
        BufferError: it is neither the CPU nor a CUDA device.
    """
    kind, ordinal = dl_device
    if kind in (DLDeviceType.kDLCPU, DLDeviceType.kDLCUDAHost):
        return CPU
    if kind != DLDeviceType.kDLCUDA:
        raise BufferError(f"DLPack: memory of device type {int(kind)} is that of neither the CPU nor CUDA")
    return device_option(Device("cuda", ordinal))


def from_dlpack(ext_tensor: Any, *, device: DeviceLike | None = None, copy: bool | None = None) -> Tensor:
    """A tensor over the memory of another library's tensor, on the CPU or a CUDA device.

    Args:
        ext_tensor: the other tensor, or a DLPack capsule, which is used up by this.
        device: that the result is on; by default the other tensor's.
        copy: True always copies, False never does, None copies where that cannot be avoided.

    Raises:
        AssertionError: ``device`` or ``copy`` for a capsule.
        RuntimeError: the object does not speak DLPack, or the capsule was read before.
        BufferError: memory of another device, or of a dtype that there is not.
        ValueError: ``copy=False`` and another device than the memory's; negative strides.
    """
    if not hasattr(ext_tensor, "__dlpack__"):
        if device is not None or copy is not None:
            raise AssertionError("device and copy kwargs not supported when ext_tensor is already a DLPack capsule.")
        return _over(read_capsule(ext_tensor))
    source = _device(ext_tensor.__dlpack_device__())
    target = source if device is None else device_option(device)
    if target.type != "cuda":
        _require_cpu(target)
    _require_no_copy(source, target, copy)
    return _over(read_capsule(_capsule_from(ext_tensor, source, copy))).to(target, copy=bool(copy))


def _capsule_from(ext_tensor: Any, source: Device, copy: bool | None) -> Any:
    """The other library's capsule, asked for in the words that it knows."""
    stream = {} if source is CPU else {"stream": device_memory.DEFAULT_STREAM}
    without_copy = {"copy": False} if copy is False else {}
    for options in ({"max_version": (1, 0), **without_copy}, without_copy):
        with suppress(TypeError):
            return ext_tensor.__dlpack__(**stream, **options)
    return ext_tensor.__dlpack__(**stream)


def _over(memory: Shared) -> Tensor:
    """A tensor over memory that another library shares."""
    if _device((memory.device_type, memory.ordinal)) is not CPU:
        return device_memory.around(memory)
    return around_array(array_over(memory))


def frombuffer(buffer: Any, *, dtype: DType, count: int = -1, offset: int = 0, requires_grad: bool = False) -> Tensor:
    """A vector over the memory of an object with the buffer protocol, such as a bytearray.

    Args:
        buffer: the object.
        dtype: how its bytes are read.
        count: how many elements; all if negative.
        offset: how many bytes are skipped.
        requires_grad: whether the result records gradients.

    Raises:
        ValueError: an empty buffer, or fewer bytes than ``offset`` and ``count`` ask for.
    """
    stored = to_numpy(dtype)
    length = memoryview(buffer).nbytes
    rest = length - offset
    if not length or count == 0:
        raise ValueError(f"both buffer length ({length}) and count ({count}) must not be 0")
    if not 0 <= offset < length:
        raise ValueError(f"offset ({offset} bytes) must be non-negative and no greater than buffer length ({length} "
                         f"bytes) minus 1")  # fmt: skip
    if count < 0 and rest % stored.itemsize:
        raise ValueError(f"buffer length ({rest} bytes) after offset ({offset} bytes) must be a multiple of element "
                         f"size ({stored.itemsize})")  # fmt: skip
    if count > 0 and offset + count * stored.itemsize > length:
        raise ValueError(f"requested buffer length ({count} * {stored.itemsize} bytes) after offset ({offset} bytes) "
                         f"must not be greater than actual buffer length ({length} bytes)")  # fmt: skip
    if memoryview(buffer).readonly:
        warn_user_once(
            "The given buffer is not writable, and lazygrad does not support non-writable tensors. This means you can "
            "write to the underlying (supposedly non-writable) buffer using the tensor. You may want to copy the "
            "buffer to protect its data or make it writable before converting it to a tensor. This type of warning "
            "will be suppressed for the rest of this program."
        )
    array = np.frombuffer(buffer, np.uint8, offset=offset)[: count * stored.itemsize if count > 0 else rest]
    return Tensor.from_array(array.view(stored), CPU, shared=True).requires_grad_(requires_grad)


def from_file(filename: str, shared: bool | None = None, size: int = 0, *, dtype: DType | None = None) -> Tensor:
    """The first ``size`` elements of a file, which is mapped into memory rather than read.

    Args:
        filename: of the file.
        shared: whether the file is opened for writing too; it is made longer where it is too short.
        size: how many elements.
        dtype: of the elements, by default the default dtype.

    Raises:
        TypeError: a ``size`` that is no integer.
        RuntimeError: a negative ``size``, or one that memory has no addresses for; fewer bytes in a file that is not
            shared.
        OSError: the file cannot be opened, or made longer.
    """
    stored = to_numpy(dtype or get_default_dtype())
    if type(size) is not int:
        raise TypeError(f"from_file: size must be an int, not {type(size).__name__}")
    wanted = size * stored.itemsize
    if not 0 <= wanted <= sys.maxsize:
        raise RuntimeError(f"from_file: a file has no {size} elements")
    if shared:
        with open(filename, "ab") as file:
            if file.tell() < wanted:
                file.truncate(wanted)
    elif os.path.getsize(filename) < wanted:
        raise RuntimeError(f"from_file: the file {filename} has {os.path.getsize(filename)} bytes, fewer than the "
                           f"{wanted} of {size} elements")  # fmt: skip
    mapped = np.memmap(filename, stored, "r+" if shared else "c", shape=(size,))
    return Tensor.from_array(np.asarray(mapped), CPU, shared=True)
