"""MobileNetV3: Howard et al., arXiv:1905.02244, tables 1 and 2."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from lazygrad import nn
from lazygrad.tensor import Tensor
from lazygrad.vision.models._api import WeightsEnum, builder, imagenet
from lazygrad.vision.models._utils import _make_divisible, initialize, kaiming_fan_out, normal_0_01
from lazygrad.vision.ops.misc import Conv2dNormActivation, Layer, SqueezeExcitation

__all__ = """MobileNetV3 MobileNet_V3_Large_Weights MobileNet_V3_Small_Weights mobilenet_v3_large
mobilenet_v3_small""".split()

# Input channels, kernel, expanded channels, output channels, squeeze-and-excitation, activation, stride. The last three
# rows are the tail, which may be reduced and dilated.
_ROWS: dict[str, list[tuple[int, int, int, int, bool, str, int]]] = {
    "mobilenet_v3_large": [
        (16, 3, 16, 16, False, "RE", 1),
        (16, 3, 64, 24, False, "RE", 2),
        (24, 3, 72, 24, False, "RE", 1),
        (24, 5, 72, 40, True, "RE", 2),
        (40, 5, 120, 40, True, "RE", 1),
        (40, 5, 120, 40, True, "RE", 1),
        (40, 3, 240, 80, False, "HS", 2),
        (80, 3, 200, 80, False, "HS", 1),
        (80, 3, 184, 80, False, "HS", 1),
        (80, 3, 184, 80, False, "HS", 1),
        (80, 3, 480, 112, True, "HS", 1),
        (112, 3, 672, 112, True, "HS", 1),
        (112, 5, 672, 160, True, "HS", 2),
        (160, 5, 960, 160, True, "HS", 1),
        (160, 5, 960, 160, True, "HS", 1),
    ],
    "mobilenet_v3_small": [
        (16, 3, 16, 16, True, "RE", 2),
        (16, 3, 72, 24, False, "RE", 2),
        (24, 3, 88, 24, False, "RE", 1),
        (24, 5, 96, 40, True, "HS", 2),
        (40, 5, 240, 40, True, "HS", 1),
        (40, 5, 240, 40, True, "HS", 1),
        (40, 5, 120, 48, True, "HS", 1),
        (48, 5, 144, 48, True, "HS", 1),
        (48, 5, 288, 96, True, "HS", 2),
        (96, 5, 576, 96, True, "HS", 1),
        (96, 5, 576, 96, True, "HS", 1),
    ],
}
_HARD_EXCITATION = partial(SqueezeExcitation, scale_activation=nn.Hardsigmoid)
_LAST_CHANNELS = {"mobilenet_v3_large": 1280, "mobilenet_v3_small": 1024}


class InvertedResidualConfig:
    """What one block is made of; all channels are multiplied by ``width_mult``."""

    def __init__(
        self,
        input_channels: int,
        kernel: int,
        expanded_channels: int,
        out_channels: int,
        use_se: bool,
        activation: str,
        stride: int,
        dilation: int,
        width_mult: float,
    ) -> None:
        self.input_channels = self.adjust_channels(input_channels, width_mult)
        self.kernel = kernel
        self.expanded_channels = self.adjust_channels(expanded_channels, width_mult)
        self.out_channels = self.adjust_channels(out_channels, width_mult)
        self.use_se = use_se
        self.use_hs = activation == "HS"
        self.stride = stride
        self.dilation = dilation

    @staticmethod
    def adjust_channels(channels: int, width_mult: float) -> int:
        return _make_divisible(channels * width_mult, 8)


class InvertedResidual(nn.Module):
    """A depthwise convolution of many channels between 1×1 ones, with squeeze-and-excitation where it says so.

    Raises:
        ValueError: a stride other than 1 and 2.
    """

    def __init__(
        self,
        cnf: InvertedResidualConfig,
        norm_layer: Layer,
        se_layer: Layer = _HARD_EXCITATION,
    ) -> None:
        super().__init__()
        if not 1 <= cnf.stride <= 2:
            raise ValueError("illegal stride value")
        self.use_res_connect = cnf.stride == 1 and cnf.input_channels == cnf.out_channels
        expanded = cnf.expanded_channels
        convolution = partial(
            Conv2dNormActivation, norm_layer=norm_layer, activation_layer=nn.Hardswish if cnf.use_hs else nn.ReLU
        )
        layers: list[nn.Module] = []
        if expanded != cnf.input_channels:
            layers.append(convolution(cnf.input_channels, expanded, kernel_size=1))
        stride = 1 if cnf.dilation > 1 else cnf.stride
        layers.append(
            convolution(expanded, expanded, cnf.kernel, stride=stride, dilation=cnf.dilation, groups=expanded)
        )
        if cnf.use_se:
            layers.append(se_layer(expanded, _make_divisible(expanded // 4, 8)))
        layers.append(convolution(expanded, cnf.out_channels, kernel_size=1, activation_layer=None))
        self.block = nn.Sequential(*layers)
        self.out_channels = cnf.out_channels
        self._is_cn = cnf.stride > 1

    def forward(self, input: Tensor) -> Tensor:
        result: Tensor = self.block(input)
        return result + input if self.use_res_connect else result


class MobileNetV3(nn.Module):
    """Images [batch, 3, height, width] to [batch, num_classes].

    Args:
        inverted_residual_setting: of each block.
        last_channel: size of the layer before the last.
        num_classes: size of the result.
        block, norm_layer: in place of `InvertedResidual` and of a batch norm.
        dropout: its probability before the last layer.
        kwargs: ignored.

    Raises:
        ValueError: there are no blocks.
        TypeError: they are not `InvertedResidualConfig`.
    """

    def __init__(
        self,
        inverted_residual_setting: Sequence[InvertedResidualConfig],
        last_channel: int,
        num_classes: int = 1000,
        block: Layer | None = None,
        norm_layer: Layer | None = None,
        dropout: float = 0.2,
        **kwargs: Any,
    ) -> None:
        super().__init__()
        setting = inverted_residual_setting
        if not setting:
            raise ValueError("The inverted_residual_setting should not be empty")
        if not (isinstance(setting, Sequence) and all(isinstance(row, InvertedResidualConfig) for row in setting)):
            raise TypeError("The inverted_residual_setting should be List[InvertedResidualConfig]")
        block = block or InvertedResidual
        norm_layer = norm_layer or partial(nn.BatchNorm2d, eps=0.001, momentum=0.01)
        convolution = partial(Conv2dNormActivation, norm_layer=norm_layer, activation_layer=nn.Hardswish)
        layers: list[nn.Module] = [convolution(3, setting[0].input_channels, kernel_size=3, stride=2)]
        layers += [block(row, norm_layer) for row in setting]
        channels = 6 * setting[-1].out_channels
        layers.append(convolution(setting[-1].out_channels, channels, kernel_size=1))
        self.features = nn.Sequential(*layers)
        self.avgpool = nn.AdaptiveAvgPool2d(1)
        self.classifier = nn.Sequential(
            nn.Linear(channels, last_channel),
            nn.Hardswish(inplace=True),
            nn.Dropout(p=dropout, inplace=True),
            nn.Linear(last_channel, num_classes),
        )
        initialize(self, kaiming_fan_out, normal_0_01)

    def forward(self, x: Tensor) -> Tensor:
        pooled: Tensor = self.avgpool(self.features(x))
        logits: Tensor = self.classifier(pooled.flatten(1))
        return logits


def _mobilenet_v3_conf(
    arch: str, width_mult: float = 1.0, reduced_tail: bool = False, dilated: bool = False, **kwargs: Any
) -> tuple[list[InvertedResidualConfig], int]:
    """The blocks of a published network, and the size of its layer before the last.

    Raises:
        ValueError: there is no such network.
    """
    if arch not in _ROWS:
        raise ValueError(f"Unsupported model type {arch}")
    divider, rows = 2 if reduced_tail else 1, _ROWS[arch]
    setting = []
    for position, (inp, kernel, expanded, out, use_se, activation, stride) in enumerate(rows):
        in_tail = position - len(rows)  # -3, -2 and -1 are the tail; its first row gets and expands all channels
        if in_tail >= -3:
            out //= divider
        if in_tail >= -2:
            inp, expanded = inp // divider, expanded // divider
        dilation = 2 if dilated and in_tail >= -3 else 1
        setting.append(
            InvertedResidualConfig(inp, kernel, expanded, out, use_se, activation, stride, dilation, width_mult)
        )
    return setting, InvertedResidualConfig.adjust_channels(_LAST_CHANNELS[arch] // divider, width_mult)


def _mobilenet_v3(arch: str, **options: Any) -> MobileNetV3:
    return MobileNetV3(*_mobilenet_v3_conf(arch, **options), **options)


class MobileNet_V3_Large_Weights(WeightsEnum):
    IMAGENET1K_V1 = imagenet("mobilenet_v3_large-8738ca79.pth", 5_483_032)
    IMAGENET1K_V2 = imagenet("mobilenet_v3_large-5c1a4163.pth", 5_483_032, resize_size=232)
    DEFAULT = IMAGENET1K_V2


class MobileNet_V3_Small_Weights(WeightsEnum):
    IMAGENET1K_V1 = imagenet("mobilenet_v3_small-047dcff4.pth", 2_542_856)
    DEFAULT = IMAGENET1K_V1


mobilenet_v3_large = builder("mobilenet_v3_large", MobileNet_V3_Large_Weights, _mobilenet_v3, "mobilenet_v3_large")
mobilenet_v3_small = builder("mobilenet_v3_small", MobileNet_V3_Small_Weights, _mobilenet_v3, "mobilenet_v3_small")
