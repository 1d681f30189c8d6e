"""Average pooling layers, and those that pool by p-norms."""

from __future__ import annotations

from typing import Any

from lazygrad.nn import functional as F
from lazygrad.nn._types import IntOr1d, IntOr2d, IntOr3d, expand_to_tuple
from lazygrad.nn.core.module import Module
from lazygrad.tensor import Tensor

__all__ = ["AvgPool1d", "AvgPool2d", "AvgPool3d", "LPPool1d", "LPPool2d", "LPPool3d"]


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


class AvgPool3d(_AvgPool):
    """The mean of every window of a volume, see `AvgPool2d`.

    Shapes:
        (N, C, D, H, W) or (C, D, H, W) → the same with the output's extents.
    """

    def __init__(
        self,
        kernel_size: IntOr3d,
        stride: IntOr3d | None = None,
        padding: IntOr3d = 0,
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
        return F.avg_pool3d(
            input,
            self.kernel_size,
            self.stride,
            self.padding,
            self.ceil_mode,
            self.count_include_pad,
            self.divisor_override,
        )


class _LPPool(Module):
    """What pooling by p-norms of all ranks shares."""

    _rank: int

    def __init__(self, norm_type: float, kernel_size: Any, stride: Any = None, ceil_mode: bool = False) -> None:
        super().__init__()
        self.norm_type = norm_type
        self.kernel_size = kernel_size
        self.stride = stride
        self.ceil_mode = ceil_mode

    def forward(self, input: Tensor) -> Tensor:
        pool = (F.lp_pool1d, F.lp_pool2d, F.lp_pool3d)[self._rank - 1]
        return pool(input, float(self.norm_type), self.kernel_size, self.stride, self.ceil_mode)

    def extra_repr(self) -> str:
        return (
            f"norm_type={self.norm_type}, kernel_size={self.kernel_size}, stride={self.stride}, "
            f"ceil_mode={self.ceil_mode}"
        )


class LPPool1d(_LPPool):
    """(Σ x^p)^(1/p) of every window of a signal, see `LPPool2d`.

    Shapes:
        (N, C, L) or (C, L) → the same with the output length.
    """

    _rank = 1


class LPPool2d(_LPPool):
    """(Σ x^p)^(1/p) of every window of an image.

    Args:
        norm_type: p; inf for the largest magnitude.
        kernel_size: extent of the window; here and below an int stands for both dimensions.
        stride: step between windows, the window's extent when left out.
        ceil_mode: round the output's size up instead of down.

    Shapes:
        (N, C, H, W) or (C, H, W) → the same with ⌊(size − kernel) / stride⌋ + 1 along the last two dimensions.
    """

    _rank = 2


class LPPool3d(_LPPool):
    """(Σ x^p)^(1/p) of every window of a volume, see `LPPool2d`.

    Shapes:
        (N, C, D, H, W) or (C, D, H, W) → the same with the output's extents.
    """

    _rank = 3
