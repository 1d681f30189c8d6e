"""ConvNeXt: Liu et al., arXiv:2201.03545."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from lazygrad import nn
from lazygrad.nn import functional as F
from lazygrad.ops.public import ones
from lazygrad.tensor import Tensor
from lazygrad.vision.models._api import WeightsEnum, builder, imagenet
from lazygrad.vision.models._utils import initialize, truncated_0_02
from lazygrad.vision.ops.misc import Conv2dNormActivation, Layer, Permute
from lazygrad.vision.ops.stochastic_depth import StochasticDepth

__all__ = """ConvNeXt ConvNeXt_Tiny_Weights ConvNeXt_Small_Weights ConvNeXt_Base_Weights ConvNeXt_Large_Weights
convnext_tiny convnext_small convnext_base convnext_large""".split()


class LayerNorm2d(nn.LayerNorm):
    """A layer norm of the channels of [batch, channels, height, width]."""

    def forward(self, x: Tensor) -> Tensor:
        last = x.permute(0, 2, 3, 1)
        return F.layer_norm(last, self.normalized_shape, self.weight, self.bias, self.eps).permute(0, 3, 1, 2)


class CNBlock(nn.Module):
    """A depthwise 7×7 convolution and two linear layers, scaled, beside a shortcut."""

    def __init__(
        self, dim: int, layer_scale: float, stochastic_depth_prob: float, norm_layer: Layer | None = None
    ) -> None:
        super().__init__()
        norm_layer = norm_layer or partial(nn.LayerNorm, eps=1e-6)
        self.block = nn.Sequential(
            nn.Conv2d(dim, dim, kernel_size=7, padding=3, groups=dim, bias=True),
            Permute([0, 2, 3, 1]),
            norm_layer(dim),
            nn.Linear(dim, 4 * dim),
            nn.GELU(),
            nn.Linear(4 * dim, dim),
            Permute([0, 3, 1, 2]),
        )
        self.layer_scale = nn.Parameter(ones(dim, 1, 1) * layer_scale)
        self.stochastic_depth = StochasticDepth(stochastic_depth_prob, "row")

    def forward(self, input: Tensor) -> Tensor:
        result: Tensor = self.stochastic_depth(self.layer_scale * self.block(input))
        return result + input


class CNBlockConfig:
    """A stage: its channels, those after it (None for the last one), and the number of its blocks."""

    def __init__(self, input_channels: int, out_channels: int | None, num_layers: int) -> None:
        self.input_channels = input_channels
        self.out_channels = out_channels
        self.num_layers = num_layers

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={value}' for name, value in vars(self).items())})"


class ConvNeXt(nn.Module):
    """Images [batch, 3, height, width] of 32 pixels or more to [batch, num_classes].

    Args:
        block_setting: of each stage.
        stochastic_depth_prob: how likely the last block is left out; the first never is.
        layer_scale: what the results of blocks are multiplied by at first.
        num_classes: size of the result.
        block, norm_layer: in place of `CNBlock` and `LayerNorm2d`.
        kwargs: ignored.

    Raises:
        ValueError: there are no stages.
        TypeError: they are not `CNBlockConfig`.
    """

    def __init__(
        self,
        block_setting: Sequence[CNBlockConfig],
        stochastic_depth_prob: float = 0.0,
        layer_scale: float = 1e-6,
        num_classes: int = 1000,
        block: Layer | None = None,
        norm_layer: Layer | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__()
        if not block_setting:
            raise ValueError("The block_setting should not be empty")
        if not (isinstance(block_setting, Sequence) and all(isinstance(row, CNBlockConfig) for row in block_setting)):
            raise TypeError("The block_setting should be List[CNBlockConfig]")
        block, norm_layer = block or CNBlock, norm_layer or partial(LayerNorm2d, eps=1e-6)
        channels = block_setting[0].input_channels
        stem = Conv2dNormActivation(
            3, channels, kernel_size=4, stride=4, padding=0, norm_layer=norm_layer, activation_layer=None, bias=True
        )
        layers: list[nn.Module] = [stem]
        total, number = sum(stage.num_layers for stage in block_setting), 0
        for stage in block_setting:
            blocks = []
            for _ in range(stage.num_layers):
                probability = stochastic_depth_prob * number / (total - 1.0)
                blocks.append(block(stage.input_channels, layer_scale, probability))
                number += 1
            layers.append(nn.Sequential(*blocks))
            channels = stage.input_channels
            if stage.out_channels is not None:
                smaller = nn.Conv2d(channels, stage.out_channels, kernel_size=2, stride=2)
                layers.append(nn.Sequential(norm_layer(channels), smaller))
                channels = stage.out_channels
        self.features = nn.Sequential(*layers)
        self.avgpool = nn.AdaptiveAvgPool2d(1)
        self.classifier = nn.Sequential(norm_layer(channels), nn.Flatten(1), nn.Linear(channels, num_classes))
        initialize(self, truncated_0_02, truncated_0_02)

    def forward(self, x: Tensor) -> Tensor:
        logits: Tensor = self.classifier(self.avgpool(self.features(x)))
        return logits


class ConvNeXt_Tiny_Weights(WeightsEnum):
    IMAGENET1K_V1 = imagenet("convnext_tiny-983f1562.pth", 28_589_128, min_size=32, resize_size=236)
    DEFAULT = IMAGENET1K_V1


class ConvNeXt_Small_Weights(WeightsEnum):
    IMAGENET1K_V1 = imagenet("convnext_small-0c510722.pth", 50_223_688, min_size=32, resize_size=230)
    DEFAULT = IMAGENET1K_V1


class ConvNeXt_Base_Weights(WeightsEnum):
    IMAGENET1K_V1 = imagenet("convnext_base-6075fbad.pth", 88_591_464, min_size=32, resize_size=232)
    DEFAULT = IMAGENET1K_V1


class ConvNeXt_Large_Weights(WeightsEnum):
    IMAGENET1K_V1 = imagenet("convnext_large-ea097f82.pth", 197_767_336, min_size=32, resize_size=232)
    DEFAULT = IMAGENET1K_V1


def _convnext(
    name: str, weights: type[WeightsEnum], width: int, third: int, probability: float
) -> Callable[..., ConvNeXt]:
    """The function of a network of ``width`` channels at first, with ``third`` blocks in the third stage."""
    widths, counts = [width, 2 * width, 4 * width, 8 * width, None], [3, 3, third, 3]
    setting = [
        CNBlockConfig(channels or 0, after, count)
        for channels, after, count in zip(widths[:-1], widths[1:], counts, strict=True)
    ]
    return builder(name, weights, ConvNeXt, setting, defaults={"stochastic_depth_prob": probability})


convnext_tiny = _convnext("convnext_tiny", ConvNeXt_Tiny_Weights, 96, 9, 0.1)
convnext_small = _convnext("convnext_small", ConvNeXt_Small_Weights, 96, 27, 0.4)
convnext_base = _convnext("convnext_base", ConvNeXt_Base_Weights, 128, 27, 0.5)
convnext_large = _convnext("convnext_large", ConvNeXt_Large_Weights, 192, 27, 0.5)
