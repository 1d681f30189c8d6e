"""Converting a module's parameters and buffers to another dtype or device."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

from lazygrad.grad_mode import no_grad
from lazygrad.ir.dtype import DType, bfloat16, float16, float32, float64
from lazygrad.ir.memory_format import MemoryFormat
from lazygrad.nn._types import DeviceLike
from lazygrad.nn.core.attributes import ModuleAttributes
from lazygrad.ops.creation.like import empty_like
from lazygrad.tensor import Tensor


class ModuleConversion(ModuleAttributes):
    """The part of `Module` that converts all its tensors. Parameters stay the same objects; optimizers keep them."""

    def to(self, *args: Any, **kwargs: Any) -> Self:
        """Moves all tensors to a device and casts the floating point ones to a dtype.

        Called as ``to(device, dtype)`` with either left out, or ``to(tensor)`` for that tensor's device and dtype;
        ``non_blocking`` and ``memory_format`` are accepted; parameters' elements always lie row-major.
        ``non_blocking`` is accepted. ``memory_format`` is the order in memory of tensors of 4 and 5 dimensions.

        Raises:
            TypeError: the dtype is not a floating point one.
        """
        device, dtype, memory_format = parse_to_arguments(*args, **kwargs)
        if dtype is not None and not (dtype.is_floating_point or dtype.is_complex):
            raise TypeError(
                f"nn.Module.to only accepts floating point or complex dtypes, but got desired dtype={dtype}"
            )
        return self._converted(device, dtype, memory_format)

    def _converted(self, device: DeviceLike, dtype: DType | None, memory_format: MemoryFormat | None = None) -> Self:
        """What `to` and its short forms do; these don't call `to`, which a class may define in terms of them."""
        return self._apply(lambda tensor: _convert(tensor, device, dtype, memory_format))

    def float(self) -> Self:
        """Casts all floating point parameters and buffers to float32."""
        return self._converted(None, float32)

    def double(self) -> Self:
        """Casts all floating point parameters and buffers to float64."""
        return self._converted(None, float64)

    def half(self) -> Self:
        """Casts all floating point parameters and buffers to float16."""
        return self._converted(None, float16)

    def bfloat16(self) -> Self:
        """Casts all floating point parameters and buffers to bfloat16."""
        return self._converted(None, bfloat16)

    def type(self, dst_type: DType) -> Self:
        """Casts all parameters and buffers, integer ones too, to ``dst_type``."""
        return self._apply(lambda tensor: tensor.to(dst_type))

    def cpu(self) -> Self:
        """Moves all parameters and buffers to the CPU."""
        return self._converted("cpu", None)

    def cuda(self, device: DeviceLike = None) -> Self:
        """Moves all parameters and buffers to a GPU, the current one when ``device`` is left out."""
        return self._converted("cuda" if device is None else device, None)

    def to_empty(self, *, device: DeviceLike, recurse: bool = True) -> Self:
        """Moves all parameters and buffers to a device without their values; those that they get are undefined.

        Args:
            device: where to.
            recurse: also those of submodules.
        """
        return self._apply(lambda tensor: empty_like(tensor, device=device), recurse=recurse)

    def share_memory(self) -> Self:
        """Moves all parameters and buffers to memory that other processes see, see `Tensor.share_memory_`."""
        return self._apply(lambda tensor: tensor.share_memory_())

    def _apply(self, fn: Callable[[Tensor], Tensor], recurse: bool = True) -> Self:
        """Replaces every tensor by ``fn(tensor)``: parameters and their gradients in place, buffers as new objects."""
        if recurse:
            for child in dict.fromkeys(self._modules.values()):
                if child is not None:
                    child._apply(fn)
        with no_grad():
            for parameter in self._parameters.values():
                if parameter is not None:
                    gradient = parameter.grad
                    parameter.data = fn(parameter)
                    if gradient is not None:
                        gradient.data = fn(gradient)
        for name, buffer in self._buffers.items():
            if buffer is not None:
                self._buffers[name] = fn(buffer)
        return self


def parse_to_arguments(
    *args: Any,
    device: DeviceLike = None,
    dtype: DType | None = None,
    non_blocking: bool = False,
    memory_format: MemoryFormat | None = None,
) -> tuple[DeviceLike, DType | None, MemoryFormat | None]:
    """The device, the dtype and the memory format among the arguments of ``to``."""
    for value in args:
        if isinstance(value, Tensor):
            device, dtype = value.device, value.dtype
        elif isinstance(value, DType):
            dtype = value
        elif not isinstance(value, bool) and value is not None:  # a bool is non_blocking, which changes no value
            device = value
    return device, dtype, memory_format


def _convert(
    tensor: Tensor, device: DeviceLike, dtype: DType | None, memory_format: MemoryFormat | None = None
) -> Tensor:
    if dtype is not None and (tensor.dtype.is_floating_point or tensor.dtype.is_complex):
        tensor = tensor.to(dtype)
    if device is not None:
        tensor = tensor.to(device)
    return tensor if memory_format is None or tensor.dim() not in (4, 5) else tensor.to(memory_format=memory_format)
