"""Other dtypes and devices: to, type, float and friends, cpu, cuda."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any, overload

from lazygrad.ir.device import CPU, Device
from lazygrad.ir.dtype import (
    DType,
    bfloat16,
    bool_,
    complex64,
    complex128,
    float16,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    uint8,
)
from lazygrad.ir.memory_format import MemoryFormat, preserve_format
from lazygrad.ir.spoken_name import spoken
from lazygrad.ops.arguments.kinds import DeviceLike, DTypeLike
from lazygrad.ops.arguments.operands import tensor_argument
from lazygrad.ops.arguments.options import device_option, dtype_option
from lazygrad.ops.arguments.registering import method
from lazygrad.ops.creation.from_data import copied
from lazygrad.ops.objects.placement import sent_from_pinned
from lazygrad.tensor import Tensor

__all__ = ["is_tensor"]

TYPE_NAMES = {
    bool_: "BoolTensor",
    uint8: "ByteTensor",
    int8: "CharTensor",
    int16: "ShortTensor",
    int32: "IntTensor",
    int64: "LongTensor",
    float16: "HalfTensor",
    bfloat16: "BFloat16Tensor",
    float32: "FloatTensor",
    float64: "DoubleTensor",
    complex64: "ComplexFloatTensor",
    complex128: "ComplexDoubleTensor",
}
_NAMED_TYPES = {name: dtype for dtype, name in TYPE_NAMES.items()}

_CASTS = {
    "float": float32,
    "double": float64,
    "half": float16,
    "bfloat16": bfloat16,
    "long": int64,
    "int": int32,
    "short": int16,
    "char": int8,
    "byte": uint8,
    "bool": bool_,
    "cfloat": complex64,
    "cdouble": complex128,
}


def is_tensor(obj: Any) -> bool:
    """Whether ``obj`` is a `Tensor`."""
    return isinstance(obj, Tensor)


@overload
def to(
    input: Tensor,
    dtype: DTypeLike,
    non_blocking: bool = False,
    copy: bool = False,
    *,
    memory_format: MemoryFormat | None = None,
) -> Tensor: ...
@overload
def to(
    input: Tensor,
    device: DeviceLike | None = None,
    dtype: DTypeLike | None = None,
    non_blocking: bool = False,
    copy: bool = False,
    *,
    memory_format: MemoryFormat | None = None,
) -> Tensor: ...
@overload
def to(
    input: Tensor,
    other: Tensor,
    non_blocking: bool = False,
    copy: bool = False,
    *,
    memory_format: MemoryFormat | None = None,
) -> Tensor: ...
@method()
def to(input: Tensor, *args: Any, **kwargs: Any) -> Tensor:
    """The tensor with another dtype or on another device; itself where nothing changes.

    Called as ``to(dtype)``, ``to(device, dtype)`` with either left out, or ``to(other)`` for another tensor's dtype
    and device; each also takes ``non_blocking``, which lets an accelerator copy from pinned memory while the program
    goes on (elsewhere nothing waits for a copy anyway), ``copy``, which makes a copy in any case, and
    ``memory_format``, the order of the result's dimensions in memory.

    Raises:
        TypeError: arguments that fit none of the forms.
        RuntimeError: a device that is not available, or values asked of the null device.
    """
    if len(args) == 1 and not kwargs and _is_there(input, args[0]):
        return input
    options = _to_options(args, kwargs)
    if "other" in options:
        dtype, device = options["other"].dtype, options["other"].device
    else:
        dtype = dtype_option(options.get("dtype"), input.dtype)
        device = device_option(options.get("device"), input.device)
    memory_format = options.get("memory_format") or preserve_format
    non_blocking = bool(options.get("non_blocking", False))
    return _converted(input, dtype, device, bool(options.get("copy", False)), memory_format, non_blocking)


def _is_there(input: Tensor, wanted: Any) -> bool:
    """Whether this is the tensor's own device or dtype, as most are that programs send tensors to."""
    device = input.device
    if isinstance(wanted, str):
        return device is CPU and wanted == "cpu"
    return wanted is device or wanted is input.dtype


def _to_options(args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
    """The arguments of ``to`` by name."""
    names = ("device", "dtype", "non_blocking", "copy", "memory_format")
    if isinstance(kwargs.get("tensor"), Tensor):  # the name of `other`, which stands first
        args = (kwargs["tensor"], *args)
        kwargs = {name: value for name, value in kwargs.items() if name != "tensor"}
    if args and isinstance(args[0], Tensor):
        names = ("other", "non_blocking", "copy", "memory_format")  # type: ignore[assignment]
    elif args and (isinstance(args[0], DType) or args[0] in (bool, int, float, complex)):
        names = ("dtype", "non_blocking", "copy", "memory_format")  # type: ignore[assignment]
    options = dict(zip(names, args, strict=False))
    unknown = [name for name in kwargs if name in options or name not in names]
    if len(args) > len(names) or unknown:
        given = ", ".join([builtins.type(value).__name__ for value in args] + [f"{name}=" for name in kwargs])
        raise TypeError(f"to() received an invalid combination of arguments: ({given}); expected to(dtype), to(device, "
                        f"dtype) or to(other), each with non_blocking=, copy= and memory_format=")  # fmt: skip
    options |= kwargs
    for flag in ("non_blocking", "copy"):
        if not isinstance(options.get(flag, False), bool):
            raise TypeError(f"to(): argument '{flag}' must be bool, not {builtins.type(options[flag]).__name__}")
    if not isinstance(options.get("memory_format"), MemoryFormat | None):
        found = builtins.type(options["memory_format"]).__name__
        raise TypeError(f"to(): argument 'memory_format' must be lazygrad.memory_format, not {found}")
    if not isinstance(options.get("device"), Device | str | int | None):
        found = builtins.type(options["device"]).__name__
        raise TypeError(f"to(): argument 'device' must be a device or its name, not {found}")
    return options


def _converted(
    input: Tensor,
    dtype: DType,
    device: Device,
    copy: bool = False,
    memory_format: MemoryFormat = preserve_format,
    non_blocking: bool = False,
) -> Tensor:
    stays = memory_format is preserve_format or memory_format.describes(input.view_of_storage())
    if stays and dtype is input.dtype and device is input.device and not copy:
        return input
    if stays and dtype is input.dtype and device is not CPU:
        sent = sent_from_pinned(input, device, non_blocking)
        if sent is not None:
            return sent
    return copied(input, dtype, device, memory_format)


@overload
def type(input: Tensor) -> str: ...
@overload
def type(input: Tensor, dtype: DTypeLike | str, non_blocking: bool = False) -> Tensor: ...
@method()
def type(input: Tensor, dtype: Any = None, non_blocking: bool = False) -> str | Tensor:
    """The name of the tensor's type, such as ``'lazygrad.FloatTensor'``; with ``dtype``, the tensor cast to it.

    Args:
        input: any tensor.
        dtype: a dtype, a type such as `FloatTensor`, or its name.
        non_blocking: accepted; there is nothing to wait for.

    Raises:
        ValueError: the name of an unknown type.
    """
    if dtype is None:
        return type_name(input.dtype, input.device.type == "cuda")
    place = input.device
    if isinstance(dtype, builtins.type) and dtype not in (bool, int, float, complex):
        place = _device_of_type(place, getattr(dtype, "is_cuda", False))
        dtype = getattr(dtype, "dtype", dtype)
    if isinstance(dtype, str):
        found = _NAMED_TYPES.get(dtype.rpartition(".")[2])
        if found is None:
            raise ValueError(f"invalid type: {dtype!r}; expected one such as 'lazygrad.FloatTensor', or a dtype")
        place = _device_of_type(place, ".cuda." in dtype)
        dtype = found
    return _converted(input, dtype_option(dtype), place)


def _device_of_type(present: Device, is_cuda: bool) -> Device:
    """Where a tensor goes that becomes one of a type such as ``cuda.FloatTensor``."""
    if is_cuda == (present.type == "cuda"):
        return present
    return device_option("cuda") if is_cuda else CPU


def type_name(dtype: DType, is_cuda: bool = False) -> str:
    """``'lazygrad.FloatTensor'`` for float32, and so on."""
    return spoken(f"{'cuda.' if is_cuda else ''}{TYPE_NAMES.get(dtype) or f'{dtype.scalar_type}Tensor'}")


@method()
def type_as(input: Tensor, other: Tensor) -> Tensor:
    """The tensor with ``other``'s dtype and device."""
    other = tensor_argument(other, "type_as", "other")
    return _converted(input, other.dtype, other.device)


def _cast_method(name: str, dtype: DType) -> Callable[..., Tensor]:
    def function(input: Tensor, memory_format: MemoryFormat = preserve_format) -> Tensor:
        return _converted(input, dtype, input.device, memory_format=memory_format)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"The tensor as {dtype.name}; itself if it is."
    return method()(function)


for _name, _dtype in _CASTS.items():
    _cast_method(_name, _dtype)


@method()
def chalf(input: Tensor) -> Tensor:
    """The tensor as PyTorch's complex32, which does not exist here.

    Raises:
        NotImplementedError: always.
    """
    raise NotImplementedError("chalf(): there is no complex dtype of 16-bit parts; use .cfloat()")


@method()
def cpu(input: Tensor, memory_format: MemoryFormat = preserve_format) -> Tensor:
    """The tensor on the CPU; itself if it is there."""
    return _converted(input, input.dtype, CPU, memory_format=memory_format)


@method()
def cuda(
    input: Tensor,
    device: Device | str | int | None = None,
    non_blocking: bool = False,
    memory_format: MemoryFormat = preserve_format,
) -> Tensor:
    """The tensor on a GPU, the current one when ``device`` is left out.

    Args:
        input: any tensor.
        device: a name, an ordinal or a device.
        non_blocking: let the GPU copy from pinned memory while the program goes on.
        memory_format: the order of the result's dimensions in memory.

    Raises:
        RuntimeError: no CUDA device or back end is available.
    """
    place = device_option("cuda" if device is None else device)
    return _converted(input, input.dtype, place, memory_format=memory_format, non_blocking=non_blocking)
