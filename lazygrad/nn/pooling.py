"""Pooling layers."""

from __future__ import annotations

from typing import Any

from lazygrad.nn import functional as F
from lazygrad.nn._types import IntOr1d, IntOr2d, expand_to_tuple
from lazygrad.nn.module import Module
from lazygrad.tensor import Tensor

__all__ = ["MaxPool1d", "MaxPool2d", "AvgPool1d", "AvgPool2d", "AdaptiveAvgPool1d", "AdaptiveAvgPool2d"]


class _MaxPool(Module):
    """What max pooling of all ranks shares.

    Args:
        kernel_size: extent of the window.
        stride: step between windows, the window's extent when left out.
        padding: negative infinities around the input.
        dilation: step between the input elements a window looks at.
        return_indices: also return where each maximum was.
        ceil_mode: round the output's size up instead of down.
    """

    def __init__(
        self,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        dilation: Any = 1,
        return_indices: bool = False,
        ceil_mode: bool = False,
    ) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = kernel_size if stride is None else stride
        self.padding = padding
        self.dilation = dilation
        self.return_indices = return_indices
        self.ceil_mode = ceil_mode

    def extra_repr(self) -> str:
        return (
            f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}, "
            f"dilation={self.dilation}, ceil_mode={self.ceil_mode}"
        )


class MaxPool1d(_MaxPool):
    """The largest element of every window of a signal, see `MaxPool2d`.

    Shapes:
        (N, C, L) or (C, L) → the same with the output length.
    """

    def forward(self, input: Tensor) -> Any:
        return F.max_pool1d(
            input,
            self.kernel_size,
            self.stride,
            self.padding,
            self.dilation,
            ceil_mode=self.ceil_mode,
            return_indices=self.return_indices,
        )


class MaxPool2d(_MaxPool):
    """The largest element of every window of an image.

    Args:
        kernel_size: extent of the window; here and below an int stands for both dimensions.
        stride: step between windows, the window's extent when left out.
        padding: negative infinities around the input.
        dilation: step between the input elements a window looks at.
        return_indices: also return where each maximum was.
        ceil_mode: round the output's size up instead of down.

    Shapes:
        (N, C, H, W) or (C, H, W) → the same with
        ⌊(size + 2·padding − dilation·(kernel − 1) − 1) / stride⌋ + 1 along the last two dimensions.
    """

    def forward(self, input: Tensor) -> Any:
        return F.max_pool2d(
            input,
            self.kernel_size,
            self.stride,
            self.padding,
            self.dilation,
            ceil_mode=self.ceil_mode,
            return_indices=self.return_indices,
        )


class _AvgPool(Module):
    """What average pooling of all ranks shares."""

    kernel_size: Any
    stride: Any
    padding: Any

    def extra_repr(self) -> str:
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class AvgPool1d(_AvgPool):
    """The mean of every window of a signal, see `AvgPool2d`.

    Shapes:
        (N, C, L) or (C, L) → the same with the output length.
    """

    def __init__(
        self,
        kernel_size: IntOr1d,
        stride: IntOr1d | None = None,
        padding: IntOr1d = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
    ) -> None:
        super().__init__()
        self.kernel_size = expand_to_tuple(kernel_size, 1)
        self.stride = expand_to_tuple(kernel_size if stride is None else stride, 1)
        self.padding = expand_to_tuple(padding, 1)
        self.ceil_mode = ceil_mode
        self.count_include_pad = count_include_pad

    def forward(self, input: Tensor) -> Tensor:
        return F.avg_pool1d(input, self.kernel_size, self.stride, self.padding, self.ceil_mode, self.count_include_pad)


class AvgPool2d(_AvgPool):
    """The mean of every window of an image.

    Args:
        kernel_size: extent of the window; here and below an int stands for both dimensions.
        stride: step between windows, the window's extent when left out.
        padding: zeros around the input.
        ceil_mode: round the output's size up instead of down.
        count_include_pad: count the zeros of the padding in the mean.
        divisor_override: what the sum is divided by instead of the number of elements.

    Shapes:
        (N, C, H, W) or (C, H, W) → the same with ⌊(size + 2·padding − kernel) / stride⌋ + 1 along the last two
        dimensions.
    """

    def __init__(
        self,
        kernel_size: IntOr2d,
        stride: IntOr2d | None = None,
        padding: IntOr2d = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int | None = None,
    ) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = kernel_size if stride is None else stride
        self.padding = padding
        self.ceil_mode = ceil_mode
        self.count_include_pad = count_include_pad
        self.divisor_override = divisor_override

    def forward(self, input: Tensor) -> Tensor:
        return F.avg_pool2d(
            input,
            self.kernel_size,
            self.stride,
            self.padding,
            self.ceil_mode,
            self.count_include_pad,
            self.divisor_override,
        )


class _AdaptiveAvgPool(Module):
    """What adaptive average pooling of all ranks shares."""

    def __init__(self, output_size: Any) -> None:
        super().__init__()
        self.output_size = output_size

    def extra_repr(self) -> str:
        return f"output_size={self.output_size}"


class AdaptiveAvgPool1d(_AdaptiveAvgPool):
    """Means of windows chosen so that the output has a given length.

    Shapes:
        (N, C, L) or (C, L) → (N, C, output_size) or (C, output_size).
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.adaptive_avg_pool1d(input, self.output_size)


class AdaptiveAvgPool2d(_AdaptiveAvgPool):
    """Means of windows chosen so that the output has a given size.

    Args:
        output_size: (height, width), None keeping the input's; an int stands for both.

    Shapes:
        (N, C, H, W) or (C, H, W) → (N, C, *output_size) or (C, *output_size).
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.adaptive_avg_pool2d(input, self.output_size)
