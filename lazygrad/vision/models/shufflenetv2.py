"""ShuffleNetV2: Ma et al., arXiv:1807.11164, table 5."""

from __future__ import annotations

from collections.abc import Sequence

from lazygrad import nn
from lazygrad.ops.public import cat
from lazygrad.tensor import Tensor
from lazygrad.vision.models._api import WeightsEnum, builder, imagenet
from lazygrad.vision.ops.misc import Layer

__all__ = """ShuffleNetV2 ShuffleNet_V2_X0_5_Weights ShuffleNet_V2_X1_0_Weights ShuffleNet_V2_X1_5_Weights
ShuffleNet_V2_X2_0_Weights shufflenet_v2_x0_5 shufflenet_v2_x1_0 shufflenet_v2_x1_5 shufflenet_v2_x2_0""".split()


def channel_shuffle(x: Tensor, groups: int) -> Tensor:
    """Channels of [batch, channels, height, width], the first of each group before the second of each."""
    batch, channels, height, width = x.shape
    grouped = x.reshape(batch, groups, channels // groups, height, width)
    return grouped.transpose(1, 2).reshape(batch, channels, height, width)


class InvertedResidual(nn.Module):
    """Half of the channels pass by while the others are convolved; with a stride, all take both ways.

    Raises:
        ValueError: a stride that is not 1, 2 or 3; a stride of 1 that changes the channels.
    """

    def __init__(self, inp: int, oup: int, stride: int) -> None:
        super().__init__()
        if not 1 <= stride <= 3:
            raise ValueError("illegal stride value")
        half = oup // 2
        if stride == 1 and inp != 2 * half:
            raise ValueError(
                f"Invalid combination of stride {stride}, inp {inp} and oup {oup} values. If stride == 1 then inp "
                "should be equal to oup // 2 << 1."
            )
        self.stride = stride
        self.branch1 = nn.Sequential()
        if stride > 1:
            self.branch1 = nn.Sequential(
                self.depthwise_conv(inp, inp, kernel_size=3, stride=stride, padding=1), nn.BatchNorm2d(inp),
                *_pointwise(inp, half),
            )  # fmt: skip
        self.branch2 = nn.Sequential(
            *_pointwise(inp if stride > 1 else half, half),
            self.depthwise_conv(half, half, kernel_size=3, stride=stride, padding=1), nn.BatchNorm2d(half),
            *_pointwise(half, half),
        )  # fmt: skip

    @staticmethod
    def depthwise_conv(
        i: int, o: int, kernel_size: int, stride: int = 1, padding: int = 0, bias: bool = False
    ) -> nn.Conv2d:
        return nn.Conv2d(i, o, kernel_size, stride, padding, bias=bias, groups=i)

    def forward(self, x: Tensor) -> Tensor:
        if self.stride == 1:
            kept, given = x.chunk(2, dim=1)
        else:
            kept, given = self.branch1(x), x
        return channel_shuffle(cat([kept, self.branch2(given)], dim=1), 2)


def _pointwise(channels: int, out_channels: int) -> list[nn.Module]:
    convolution = nn.Conv2d(channels, out_channels, kernel_size=1, stride=1, padding=0, bias=False)
    return [convolution, nn.BatchNorm2d(out_channels), nn.ReLU(inplace=True)]


class ShuffleNetV2(nn.Module):
    """Images [batch, 3, height, width] to [batch, num_classes].

    Args:
        stages_repeats: how many blocks each of the three stages has.
        stages_out_channels: of the first convolution, of each stage, of the last convolution.
        num_classes: size of the result.
        inverted_residual: in place of `InvertedResidual`.

    Raises:
        ValueError: lists of other lengths.
    """

    def __init__(
        self,
        stages_repeats: Sequence[int],
        stages_out_channels: Sequence[int],
        num_classes: int = 1000,
        inverted_residual: Layer = InvertedResidual,
    ) -> None:
        super().__init__()
        if len(stages_repeats) != 3:
            raise ValueError("expected stages_repeats as list of 3 positive ints")
        if len(stages_out_channels) != 5:
            raise ValueError("expected stages_out_channels as list of 5 positive ints")
        self._stage_out_channels = stages_out_channels
        channels, *stages, last_channels = stages_out_channels
        self.conv1 = nn.Sequential(
            nn.Conv2d(3, channels, 3, 2, 1, bias=False), nn.BatchNorm2d(channels), nn.ReLU(inplace=True)
        )
        self.maxpool = nn.MaxPool2d(kernel_size=3, stride=2, padding=1)
        for number, (count, out_channels) in enumerate(zip(stages_repeats, stages, strict=True), 2):
            blocks = [inverted_residual(channels, out_channels, 2)]
            blocks += [inverted_residual(out_channels, out_channels, 1) for _ in range(count - 1)]
            setattr(self, f"stage{number}", nn.Sequential(*blocks))
            channels = out_channels
        self.conv5 = nn.Sequential(*_pointwise(channels, last_channels))
        self.fc = nn.Linear(last_channels, num_classes)

    def forward(self, x: Tensor) -> Tensor:
        x = self.maxpool(self.conv1(x))
        x = self.conv5(self.stage4(self.stage3(self.stage2(x))))
        logits: Tensor = self.fc(x.mean([2, 3]))
        return logits


class ShuffleNet_V2_X0_5_Weights(WeightsEnum):
    IMAGENET1K_V1 = imagenet("shufflenetv2_x0.5-f707e7126e.pth", 1_366_792)
    DEFAULT = IMAGENET1K_V1


class ShuffleNet_V2_X1_0_Weights(WeightsEnum):
    IMAGENET1K_V1 = imagenet("shufflenetv2_x1-5666bf0f80.pth", 2_278_604)
    DEFAULT = IMAGENET1K_V1


class ShuffleNet_V2_X1_5_Weights(WeightsEnum):
    IMAGENET1K_V1 = imagenet("shufflenetv2_x1_5-3c479a10.pth", 3_503_624, resize_size=232)
    DEFAULT = IMAGENET1K_V1


class ShuffleNet_V2_X2_0_Weights(WeightsEnum):
    IMAGENET1K_V1 = imagenet("shufflenetv2_x2_0-8be3c8ee.pth", 7_393_996, resize_size=232)
    DEFAULT = IMAGENET1K_V1


shufflenet_v2_x0_5 = builder(
    "shufflenet_v2_x0_5", ShuffleNet_V2_X0_5_Weights, ShuffleNetV2, [4, 8, 4], [24, 48, 96, 192, 1024]
)
shufflenet_v2_x1_0 = builder(
    "shufflenet_v2_x1_0", ShuffleNet_V2_X1_0_Weights, ShuffleNetV2, [4, 8, 4], [24, 116, 232, 464, 1024]
)
shufflenet_v2_x1_5 = builder(
    "shufflenet_v2_x1_5", ShuffleNet_V2_X1_5_Weights, ShuffleNetV2, [4, 8, 4], [24, 176, 352, 704, 1024]
)
shufflenet_v2_x2_0 = builder(
    "shufflenet_v2_x2_0", ShuffleNet_V2_X2_0_Weights, ShuffleNetV2, [4, 8, 4], [24, 244, 488, 976, 2048]
)
