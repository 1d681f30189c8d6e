"""Convolutions with as many input channels as their first input has."""

from __future__ import annotations

from typing import Any

from lazygrad.ir.dtype import DType
from lazygrad.nn._types import DeviceLike, IntOr1d, IntOr2d, IntOr3d
from lazygrad.nn.convolutions.convolution import Conv1d, Conv2d, Conv3d, _ConvolutionBase
from lazygrad.nn.convolutions.transposed import ConvTranspose1d, ConvTranspose2d, ConvTranspose3d
from lazygrad.nn.lazy import LazyModuleMixin
from lazygrad.nn.parameter import UninitializedParameter
from lazygrad.tensor import Tensor

__all__ = [
    "LazyConv1d",
    "LazyConv2d",
    "LazyConv3d",
    "LazyConvTranspose1d",
    "LazyConvTranspose2d",
    "LazyConvTranspose3d",
]


class _LazyConvolution(LazyModuleMixin, _ConvolutionBase):
    """What lazy convolutions share."""

    def _wait_for_input(self, out_channels: int, bias: bool, device: DeviceLike, dtype: DType | None) -> None:
        self.out_channels = out_channels
        self.weight = UninitializedParameter(device=device, dtype=dtype)
        if bias:
            self.bias = UninitializedParameter(device=device, dtype=dtype)

    def reset_parameters(self) -> None:
        """Draws new weights, then a new bias, once their sizes are known."""
        if not self.has_uninitialized_params() and self.in_channels != 0:
            super().reset_parameters()

    def initialize_parameters(self, input: Tensor, *args: Any, **kwargs: Any) -> None:
        """Gives weight and bias shapes and values."""
        self.in_channels = self._channels_of(input)
        if not self.has_uninitialized_params():
            return
        if self.in_channels % self.groups != 0:
            raise ValueError("in_channels must be divisible by groups")
        ends = (self.in_channels, self.out_channels)
        outer, inner = ends if self.transposed else reversed(ends)
        self._materialize(weight=(outer, inner // self.groups, *self.kernel_size), bias=(self.out_channels,))
        self.reset_parameters()

    def _channels_of(self, input: Tensor) -> int:
        rank = len(self.kernel_size)
        if input.dim() not in (rank + 1, rank + 2):
            raise RuntimeError(
                f"Expected {rank + 1}D (unbatched) or {rank + 2}D (batched) input to {type(self).__name__}, but got "
                f"input of size: {input.shape}"
            )
        return input.shape[-rank - 1]


class LazyConv1d(_LazyConvolution, Conv1d):
    """A `Conv1d` whose ``in_channels`` is that of its first input; arguments as of `Conv1d`."""

    cls_to_become = Conv1d

    def __init__(
        self,
        out_channels: int,
        kernel_size: IntOr1d,
        stride: IntOr1d = 1,
        padding: str | IntOr1d = 0,
        dilation: IntOr1d = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        device: DeviceLike = None,
        dtype: DType | None = None,
    ) -> None:
        Conv1d.__init__(self, 0, 0, kernel_size, stride, padding, dilation, groups, False, padding_mode)
        self._wait_for_input(out_channels, bias, device, dtype)


class LazyConv2d(_LazyConvolution, Conv2d):
    """A `Conv2d` whose ``in_channels`` is that of its first input; arguments as of `Conv2d`."""

    cls_to_become = Conv2d

    def __init__(
        self,
        out_channels: int,
        kernel_size: IntOr2d,
        stride: IntOr2d = 1,
        padding: str | IntOr2d = 0,
        dilation: IntOr2d = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        device: DeviceLike = None,
        dtype: DType | None = None,
    ) -> None:
        Conv2d.__init__(self, 0, 0, kernel_size, stride, padding, dilation, groups, False, padding_mode)
        self._wait_for_input(out_channels, bias, device, dtype)


class LazyConv3d(_LazyConvolution, Conv3d):
    """A `Conv3d` whose ``in_channels`` is that of its first input; arguments as of `Conv3d`."""

    cls_to_become = Conv3d

    def __init__(
        self,
        out_channels: int,
        kernel_size: IntOr3d,
        stride: IntOr3d = 1,
        padding: str | IntOr3d = 0,
        dilation: IntOr3d = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        device: DeviceLike = None,
        dtype: DType | None = None,
    ) -> None:
        Conv3d.__init__(self, 0, 0, kernel_size, stride, padding, dilation, groups, False, padding_mode)
        self._wait_for_input(out_channels, bias, device, dtype)


class LazyConvTranspose1d(_LazyConvolution, ConvTranspose1d):
    """A `ConvTranspose1d` whose ``in_channels`` is that of its first input; arguments as of `ConvTranspose1d`."""

    cls_to_become = ConvTranspose1d

    def __init__(
        self,
        out_channels: int,
        kernel_size: IntOr1d,
        stride: IntOr1d = 1,
        padding: IntOr1d = 0,
        output_padding: IntOr1d = 0,
        groups: int = 1,
        bias: bool = True,
        dilation: IntOr1d = 1,
        padding_mode: str = "zeros",
        device: DeviceLike = None,
        dtype: DType | None = None,
    ) -> None:
        ConvTranspose1d.__init__(
            self, 0, 0, kernel_size, stride, padding, output_padding, groups, False, dilation, padding_mode
        )
        self._wait_for_input(out_channels, bias, device, dtype)


class LazyConvTranspose2d(_LazyConvolution, ConvTranspose2d):
    """A `ConvTranspose2d` whose ``in_channels`` is that of its first input; arguments as of `ConvTranspose2d`."""

    cls_to_become = ConvTranspose2d

    def __init__(
        self,
        out_channels: int,
        kernel_size: IntOr2d,
        stride: IntOr2d = 1,
        padding: IntOr2d = 0,
        output_padding: IntOr2d = 0,
        groups: int = 1,
        bias: bool = True,
        dilation: IntOr2d = 1,
        padding_mode: str = "zeros",
        device: DeviceLike = None,
        dtype: DType | None = None,
    ) -> None:
        ConvTranspose2d.__init__(
            self, 0, 0, kernel_size, stride, padding, output_padding, groups, False, dilation, padding_mode
        )
        self._wait_for_input(out_channels, bias, device, dtype)


class LazyConvTranspose3d(_LazyConvolution, ConvTranspose3d):
    """A `ConvTranspose3d` whose ``in_channels`` is that of its first input; arguments as of `ConvTranspose3d`."""

    cls_to_become = ConvTranspose3d

    def __init__(
        self,
        out_channels: int,
        kernel_size: IntOr3d,
        stride: IntOr3d = 1,
        padding: IntOr3d = 0,
        output_padding: IntOr3d = 0,
        groups: int = 1,
        bias: bool = True,
        dilation: IntOr3d = 1,
        padding_mode: str = "zeros",
        device: DeviceLike = None,
        dtype: DType | None = None,
    ) -> None:
        ConvTranspose3d.__init__(
            self, 0, 0, kernel_size, stride, padding, output_padding, groups, False, dilation, padding_mode
        )
        self._wait_for_input(out_channels, bias, device, dtype)
