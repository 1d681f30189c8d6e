"""MobileNetV2: inverted residuals. Sandler et al., arXiv:1801.04381, table 2."""

from __future__ import annotations

from collections.abc import Sequence

from lazygrad import nn
from lazygrad.tensor import Tensor
from lazygrad.vision.models._api import WeightsEnum, builder, imagenet
from lazygrad.vision.models._utils import _make_divisible, initialize, kaiming_fan_out, normal_0_01
from lazygrad.vision.ops.misc import Conv2dNormActivation, Layer

__all__ = ["MobileNetV2", "MobileNet_V2_Weights", "mobilenet_v2"]

# expansion, channels, blocks, stride of the first
_SETTING = [
    [1, 16, 1, 1],
    [6, 24, 2, 2],
    [6, 32, 3, 2],
    [6, 64, 4, 2],
    [6, 96, 3, 1],
    [6, 160, 3, 2],
    [6, 320, 1, 1],
]


class InvertedResidual(nn.Module):
    """A depthwise convolution of many channels between 1×1 ones; the shortcut is between the few.

    Raises:
        ValueError: a stride other than 1 and 2.
    """

    def __init__(self, inp: int, oup: int, stride: int, expand_ratio: int, norm_layer: Layer | None = None) -> None:
        super().__init__()
        if stride not in (1, 2):
            raise ValueError(f"stride should be 1 or 2 instead of {stride}")
        norm_layer = norm_layer or nn.BatchNorm2d
        hidden = round(inp * expand_ratio)
        self.stride = stride
        self.use_res_connect = stride == 1 and inp == oup
        layers: list[nn.Module] = []
        if expand_ratio != 1:
            layers.append(
                Conv2dNormActivation(inp, hidden, kernel_size=1, norm_layer=norm_layer, activation_layer=nn.ReLU6)
            )
        layers.append(
            Conv2dNormActivation(
                hidden, hidden, stride=stride, groups=hidden, norm_layer=norm_layer, activation_layer=nn.ReLU6
            )
        )
        layers += [nn.Conv2d(hidden, oup, 1, 1, 0, bias=False), norm_layer(oup)]
        self.conv = nn.Sequential(*layers)
        self.out_channels = oup
        self._is_cn = stride > 1

    def forward(self, x: Tensor) -> Tensor:
        result: Tensor = self.conv(x)
        return x + result if self.use_res_connect else result


class MobileNetV2(nn.Module):
    """Images [batch, 3, height, width] to [batch, num_classes].

    Args:
        num_classes: size of the result.
        width_mult: factor on all channels.
        inverted_residual_setting: rows of expansion, channels, number of blocks, stride of the first.
        round_nearest: channels are a multiple of it.
        block, norm_layer: in place of `InvertedResidual` and of a batch norm.
        dropout: its probability before the last layer.

    Raises:
        ValueError: a setting without rows, or whose rows are not of four numbers.
    """

    def __init__(
        self,
        num_classes: int = 1000,
        width_mult: float = 1.0,
        inverted_residual_setting: Sequence[Sequence[int]] | None = None,
        round_nearest: int = 8,
        block: Layer | None = None,
        norm_layer: Layer | None = None,
        dropout: float = 0.2,
    ) -> None:
        super().__init__()
        block, norm_layer = block or InvertedResidual, norm_layer or nn.BatchNorm2d
        setting = _SETTING if inverted_residual_setting is None else inverted_residual_setting
        if len(setting) == 0 or len(setting[0]) != 4:
            raise ValueError(f"inverted_residual_setting should be non-empty or a 4-element list, got {setting}")
        channels = _make_divisible(32 * width_mult, round_nearest)
        self.last_channel = _make_divisible(1280 * max(1.0, width_mult), round_nearest)
        features: list[nn.Module] = [
            Conv2dNormActivation(3, channels, stride=2, norm_layer=norm_layer, activation_layer=nn.ReLU6)
        ]
        for expansion, width, count, stride in setting:
            out_channels = _make_divisible(width * width_mult, round_nearest)
            for position in range(count):
                step = stride if position == 0 else 1
                features.append(block(channels, out_channels, step, expand_ratio=expansion, norm_layer=norm_layer))
                channels = out_channels
        features.append(
            Conv2dNormActivation(
                channels, self.last_channel, kernel_size=1, norm_layer=norm_layer, activation_layer=nn.ReLU6
            )
        )
        self.features = nn.Sequential(*features)
        self.classifier = nn.Sequential(nn.Dropout(p=dropout), nn.Linear(self.last_channel, num_classes))
        initialize(self, kaiming_fan_out, normal_0_01)

    def forward(self, x: Tensor) -> Tensor:
        pooled = nn.functional.adaptive_avg_pool2d(self.features(x), (1, 1))
        logits: Tensor = self.classifier(pooled.flatten(1))
        return logits


class MobileNet_V2_Weights(WeightsEnum):
    IMAGENET1K_V1 = imagenet("mobilenet_v2-b0353104.pth", 3_504_872)
    IMAGENET1K_V2 = imagenet("mobilenet_v2-7ebf99e0.pth", 3_504_872, resize_size=232)
    DEFAULT = IMAGENET1K_V2


mobilenet_v2 = builder("mobilenet_v2", MobileNet_V2_Weights, MobileNetV2)
