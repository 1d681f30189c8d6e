"""Layers that rearrange channels and elements without computing anything."""

from __future__ import annotations

from typing import Any

from lazygrad.nn import functional as F
from lazygrad.nn.core.module import Module
from lazygrad.tensor import Tensor

__all__ = ["PixelShuffle", "PixelUnshuffle", "ChannelShuffle", "Fold", "Unfold"]


class PixelShuffle(Module):
    """Channels become a finer grid of elements. Source: Shi et al., "Real-Time Super-Resolution", 2016.

    Shapes:
        (…, C · r², H, W) → (…, C, H · r, W · r) with r = upscale_factor.
    """

    def __init__(self, upscale_factor: int) -> None:
        super().__init__()
        self.upscale_factor = upscale_factor

    def forward(self, input: Tensor) -> Tensor:
        return F.pixel_shuffle(input, self.upscale_factor)

    def extra_repr(self) -> str:
        return f"upscale_factor={self.upscale_factor}"


class PixelUnshuffle(Module):
    """Blocks of elements become channels: the inverse of `PixelShuffle`.

    Shapes:
        (…, C, H · r, W · r) → (…, C · r², H, W) with r = downscale_factor.
    """

    def __init__(self, downscale_factor: int) -> None:
        super().__init__()
        self.downscale_factor = downscale_factor

    def forward(self, input: Tensor) -> Tensor:
        return F.pixel_unshuffle(input, self.downscale_factor)

    def extra_repr(self) -> str:
        return f"downscale_factor={self.downscale_factor}"


class ChannelShuffle(Module):
    """The channels of ``groups`` groups one of each in turn. Source: Zhang et al., "ShuffleNet", 2018.

    Shapes:
        (N, C, *spatial) → the same.
    """

    def __init__(self, groups: int) -> None:
        super().__init__()
        self.groups = groups

    def forward(self, input: Tensor) -> Tensor:
        return F.channel_shuffle(input, self.groups)

    def extra_repr(self) -> str:
        return f"groups={self.groups}"


class Unfold(Module):
    """The sliding blocks of an image as columns.

    Args:
        kernel_size: extent of a block; here and below an int stands for both dimensions.
        dilation: step between the elements of a block.
        padding: zeros around the image.
        stride: step between blocks.

    Shapes:
        (N, C, H, W) or (C, H, W) → (N, C · elements of a block, blocks), or without N.
    """

    def __init__(self, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.dilation = dilation
        self.padding = padding
        self.stride = stride

    def forward(self, input: Tensor) -> Tensor:
        return F.unfold(input, self.kernel_size, self.dilation, self.padding, self.stride)

    def extra_repr(self) -> str:
        return f"kernel_size={self.kernel_size}, dilation={self.dilation}, padding={self.padding}, stride={self.stride}"


class Fold(Module):
    """Columns of blocks summed where they overlap into an image: the adjoint of `Unfold`.

    Args:
        output_size: (H, W) of the image.
        kernel_size: extent of a block; here and below an int stands for both dimensions.
        dilation: step between the elements of a block.
        padding: zeros around the image, which are cut off.
        stride: step between blocks.

    Shapes:
        (N, C · elements of a block, blocks) → (N, C, H, W), or both without N.
    """

    def __init__(
        self, output_size: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1
    ) -> None:
        super().__init__()
        self.output_size = output_size
        self.kernel_size = kernel_size
        self.dilation = dilation
        self.padding = padding
        self.stride = stride

    def forward(self, input: Tensor) -> Tensor:
        return F.fold(input, self.output_size, self.kernel_size, self.dilation, self.padding, self.stride)

    def extra_repr(self) -> str:
        return (
            f"output_size={self.output_size}, kernel_size={self.kernel_size}, dilation={self.dilation}, "
            f"padding={self.padding}, stride={self.stride}"
        )
