"""Convolution layers."""

from __future__ import annotations

from typing import Any

from lazygrad.ir.dtype import DType
from lazygrad.nn import functional as F
from lazygrad.nn._initialization import draw_weight_and_bias
from lazygrad.nn._types import DeviceLike, IntOr1d, IntOr2d, IntOr3d, expand_to_tuple
from lazygrad.nn.core.module import Module
from lazygrad.nn.parameter import Parameter
from lazygrad.ops.creation.filled import empty
from lazygrad.tensor import Tensor

__all__ = ["Conv1d", "Conv2d", "Conv3d"]

_PADDING_MODES = ("zeros", "reflect", "replicate", "circular")


class _ConvolutionBase(Module):
    """What convolutions and transposed convolutions of all ranks share: arguments, parameters, initial values."""

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: tuple[int, ...],
        stride: tuple[int, ...],
        padding: str | tuple[int, ...],
        dilation: tuple[int, ...],
        transposed: bool,
        output_padding: tuple[int, ...],
        groups: int,
        bias: bool,
        padding_mode: str,
        device: DeviceLike = None,
        dtype: DType | None = None,
    ) -> None:
        super().__init__()
        self.in_channels = in_channels
        self.out_channels = out_channels
        self.kernel_size = kernel_size
        self.stride = stride
        self.padding = padding
        self.dilation = dilation
        self.transposed = transposed
        self.output_padding = output_padding
        self.groups = groups
        self.padding_mode = padding_mode
        self._check_arguments()
        self._reversed_padding_repeated_twice = self._border()
        channels = (in_channels, out_channels // groups) if transposed else (out_channels, in_channels // groups)
        self.weight = Parameter(empty((*channels, *kernel_size), device=device, dtype=dtype))
        self.register_parameter("bias", Parameter(empty(out_channels, device=device, dtype=dtype)) if bias else None)
        self.reset_parameters()

    def _check_arguments(self) -> None:
        if self.groups <= 0:
            raise ValueError("groups must be a positive integer")
        if self.in_channels % self.groups != 0:
            raise ValueError("in_channels must be divisible by groups")
        if self.out_channels % self.groups != 0:
            raise ValueError("out_channels must be divisible by groups")
        if isinstance(self.padding, str) and self.padding not in ("same", "valid"):
            raise ValueError(f"Invalid padding string {self.padding!r}, should be one of {{'same', 'valid'}}")
        if self.padding == "same" and any(step != 1 for step in self.stride):
            raise ValueError("padding='same' is not supported for strided convolutions")
        if self.padding_mode not in _PADDING_MODES:
            raise ValueError(
                f"padding_mode must be one of {_PADDING_MODES}, but got padding_mode='{self.padding_mode}'"
            )

    def _border(self) -> list[int]:
        """The padding as `F.pad` takes it: before and after each dimension, the last one first."""
        amounts: list[int] = []
        for axis in reversed(range(len(self.kernel_size))):
            if self.padding == "same":
                total = self.dilation[axis] * (self.kernel_size[axis] - 1)
                amounts += [total // 2, total - total // 2]
            else:
                amounts += [0, 0] if isinstance(self.padding, str) else [self.padding[axis]] * 2
        return amounts

    def reset_parameters(self) -> None:
        """Draws new weights, then a new bias."""
        draw_weight_and_bias(self.weight, self.bias)

    def extra_repr(self) -> str:
        rank = len(self.kernel_size)
        parts = [
            f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, stride={self.stride}",
            f"padding={self.padding}" if self.padding != (0,) * rank else "",
            f"dilation={self.dilation}" if self.dilation != (1,) * rank else "",
            f"output_padding={self.output_padding}" if self.output_padding != (0,) * rank else "",
            f"groups={self.groups}" if self.groups != 1 else "",
            "bias=False" if self.bias is None else "",
            f"padding_mode={self.padding_mode}" if self.padding_mode != "zeros" else "",
        ]
        return ", ".join(part for part in parts if part)


class _Convolution(_ConvolutionBase):
    """What convolutions of all ranks share."""

    _rank: int

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        dilation: Any = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        device: DeviceLike = None,
        dtype: DType | None = None,
    ) -> None:
        rank = self._rank
        super().__init__(
            in_channels,
            out_channels,
            expand_to_tuple(kernel_size, rank),
            expand_to_tuple(stride, rank),
            padding if isinstance(padding, str) else expand_to_tuple(padding, rank),
            expand_to_tuple(dilation, rank),
            False,
            (0,) * rank,
            groups,
            bias,
            padding_mode,
            device,
            dtype,
        )

    def forward(self, input: Tensor) -> Tensor:
        return self._conv_forward(input, self.weight, self.bias)

    def _conv_forward(self, input: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        """The convolution with other parameters, for subclasses that compute theirs."""
        convolve = (F.conv1d, F.conv2d, F.conv3d)[self._rank - 1]
        padding = self.padding
        if self.padding_mode != "zeros":
            input, padding = F.pad(input, self._reversed_padding_repeated_twice, self.padding_mode), (0,) * self._rank
        return convolve(input, weight, bias, self.stride, padding, self.dilation, self.groups)


class Conv1d(_Convolution):
    """Cross-correlation of a signal with learned kernels, see `Conv2d`.

    Shapes:
        ``weight`` (out_channels, in_channels / groups, kernel), ``bias`` (out_channels),
        (N, in_channels, L) or (in_channels, L) → the same with out_channels and the output length.
    """

    _rank = 1

    def __init__(
        self,
        in_channels: int,
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
        super().__init__(
            in_channels, out_channels, kernel_size, stride, padding, dilation, groups, bias, padding_mode, device, dtype
        )


class Conv2d(_Convolution):
    """Cross-correlation of an image with learned kernels.

    Weight and bias start uniform in ±1/√fan_in, where fan_in is the number of inputs of one output element.

    Args:
        in_channels: channels of the input.
        out_channels: channels of the output.
        kernel_size: extent of the kernel; here and below an int stands for all dimensions.
        stride: step between output elements.
        padding: border around the input, or ``"same"`` (as much as keeps its size) or ``"valid"`` (none).
        dilation: step between the input elements a kernel looks at.
        groups: blocks of channels that are convolved separately.
        bias: whether a bias is learned.
        padding_mode: what the border holds: ``"zeros"``, or as for `F.pad` ``"reflect"``, ``"replicate"`` or
            ``"circular"``.
        device: where the parameters live.
        dtype: their dtype, the default one when left out.

    Shapes:
        ``weight`` (out_channels, in_channels / groups, *kernel_size), ``bias`` (out_channels),
        (N, in_channels, H, W) or (in_channels, H, W) → the same with out_channels and
        ⌊(size + 2·padding − dilation·(kernel − 1) − 1) / stride⌋ + 1 along each dimension.

    Raises:
        ValueError: channels not divisible by groups, or an unknown kind of padding.
    """

    _rank = 2

    def __init__(
        self,
        in_channels: int,
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
        super().__init__(
            in_channels, out_channels, kernel_size, stride, padding, dilation, groups, bias, padding_mode, device, dtype
        )


class Conv3d(_Convolution):
    """Cross-correlation of a volume with learned kernels, see `Conv2d`.

    Shapes:
        ``weight`` (out_channels, in_channels / groups, *kernel_size), ``bias`` (out_channels),
        (N, in_channels, D, H, W) or (in_channels, D, H, W) → the same with out_channels and the output's extents.
    """

    _rank = 3

    def __init__(
        self,
        in_channels: int,
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
        super().__init__(
            in_channels, out_channels, kernel_size, stride, padding, dilation, groups, bias, padding_mode, device, dtype
        )
