"""PyTorch's functions of quantized tensors: the methods, by their names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lazygrad.quantized.tensor import QuantizedTensor
from lazygrad.tensor import Tensor


def _quantized(input: Any, name: str) -> QuantizedTensor:
    if not isinstance(input, QuantizedTensor):
        raise NotImplementedError(f"{name} takes a quantized tensor, as quantize_per_tensor makes them")
    return input


def dequantize(input: Tensor | Sequence[Tensor]) -> Any:
    """The numbers that a quantized tensor's integers stand for, float32; of an ordinary tensor, float32 as well.

    Args:
        input: a tensor, or a sequence of tensors for a tuple of results.
    """
    if isinstance(input, Tensor):
        return input.dequantize() if isinstance(input, QuantizedTensor) else input.float()
    return tuple(dequantize(each) for each in input)


def int_repr(input: Tensor) -> Tensor:
    """The integers of a quantized tensor. NotImplementedError: an ordinary tensor."""
    return _quantized(input, "int_repr").int_repr()


def q_scale(input: Tensor) -> float:
    """See `QuantizedTensor.q_scale`. NotImplementedError: an ordinary tensor."""
    return _quantized(input, "q_scale").q_scale()


def q_zero_point(input: Tensor) -> int:
    """See `QuantizedTensor.q_zero_point`. NotImplementedError: an ordinary tensor."""
    return _quantized(input, "q_zero_point").q_zero_point()


def q_per_channel_scales(input: Tensor) -> Tensor:
    """See `QuantizedTensor.q_per_channel_scales`. NotImplementedError: an ordinary tensor."""
    return _quantized(input, "q_per_channel_scales").q_per_channel_scales()


def q_per_channel_zero_points(input: Tensor) -> Tensor:
    """See `QuantizedTensor.q_per_channel_zero_points`. NotImplementedError: an ordinary tensor."""
    return _quantized(input, "q_per_channel_zero_points").q_per_channel_zero_points()


def q_per_channel_axis(input: Tensor) -> int:
    """See `QuantizedTensor.q_per_channel_axis`. NotImplementedError: an ordinary tensor."""
    return _quantized(input, "q_per_channel_axis").q_per_channel_axis()
