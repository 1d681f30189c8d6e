"""EfficientNet, Tan and Le, arXiv:1905.11946, table 1, and its second version, arXiv:2104.00298, table 4."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass
from functools import partial
from typing import Any

from lazygrad import nn
from lazygrad.tensor import Tensor
from lazygrad.vision.models._api import WeightsEnum, builder, imagenet
from lazygrad.vision.models._utils import _make_divisible, initialize, kaiming_fan_out
from lazygrad.vision.ops.misc import Conv2dNormActivation, Layer, SqueezeExcitation
from lazygrad.vision.ops.stochastic_depth import StochasticDepth
from lazygrad.vision.transforms.interpolation import InterpolationMode

__all__ = """
EfficientNet EfficientNet_B0_Weights EfficientNet_B1_Weights EfficientNet_B2_Weights
EfficientNet_B3_Weights EfficientNet_B4_Weights EfficientNet_B5_Weights EfficientNet_B6_Weights
EfficientNet_B7_Weights EfficientNet_V2_S_Weights EfficientNet_V2_M_Weights
EfficientNet_V2_L_Weights efficientnet_b0 efficientnet_b1 efficientnet_b2 efficientnet_b3
efficientnet_b4 efficientnet_b5 efficientnet_b6 efficientnet_b7 efficientnet_v2_s efficientnet_v2_m
efficientnet_v2_l
""".split()


@dataclass
class _MBConvConfig:
    """What the blocks of one stage are made of."""

    expand_ratio: float
    kernel: int
    stride: int
    input_channels: int
    out_channels: int
    num_layers: int
    block: Layer

    @staticmethod
    def adjust_channels(channels: int, width_mult: float, min_value: int | None = None) -> int:
        return _make_divisible(channels * width_mult, 8, min_value)


class MBConvConfig(_MBConvConfig):
    """A stage of `MBConv`, its channels and its number of layers multiplied."""

    def __init__(
        self,
        expand_ratio: float,
        kernel: int,
        stride: int,
        input_channels: int,
        out_channels: int,
        num_layers: int,
        width_mult: float = 1.0,
        depth_mult: float = 1.0,
        block: Layer | None = None,
    ) -> None:
        super().__init__(
            expand_ratio,
            kernel,
            stride,
            self.adjust_channels(input_channels, width_mult),
            self.adjust_channels(out_channels, width_mult),
            self.adjust_depth(num_layers, depth_mult),
            block or MBConv,
        )

    @staticmethod
    def adjust_depth(num_layers: int, depth_mult: float) -> int:
        return math.ceil(num_layers * depth_mult)


class FusedMBConvConfig(_MBConvConfig):
    """A stage of `FusedMBConv`."""

    def __init__(
        self,
        expand_ratio: float,
        kernel: int,
        stride: int,
        input_channels: int,
        out_channels: int,
        num_layers: int,
        block: Layer | None = None,
    ) -> None:
        super().__init__(expand_ratio, kernel, stride, input_channels, out_channels, num_layers, block or FusedMBConv)


class _Residual(nn.Module):
    """A block with a shortcut where shapes allow, left out by chance.

    Raises:
        ValueError: a stride other than 1 and 2.
    """

    block: nn.Sequential

    def __init__(self, cnf: _MBConvConfig) -> None:
        super().__init__()
        if not 1 <= cnf.stride <= 2:
            raise ValueError("illegal stride value")
        self.use_res_connect = cnf.stride == 1 and cnf.input_channels == cnf.out_channels

    def forward(self, input: Tensor) -> Tensor:
        result: Tensor = self.block(input)
        if not self.use_res_connect:
            return result
        kept: Tensor = self.stochastic_depth(result)
        return kept + input


class MBConv(_Residual):
    """A depthwise convolution of many channels between 1×1 ones, with squeeze-and-excitation."""

    def __init__(
        self,
        cnf: MBConvConfig,
        stochastic_depth_prob: float,
        norm_layer: Layer,
        se_layer: Layer = SqueezeExcitation,
    ) -> None:
        super().__init__(cnf)
        convolution = partial(Conv2dNormActivation, norm_layer=norm_layer, activation_layer=nn.SiLU)
        expanded = cnf.adjust_channels(cnf.input_channels, cnf.expand_ratio)
        layers: list[nn.Module] = []
        if expanded != cnf.input_channels:
            layers.append(convolution(cnf.input_channels, expanded, kernel_size=1))
        layers.append(convolution(expanded, expanded, cnf.kernel, stride=cnf.stride, groups=expanded))
        squeezed = max(1, cnf.input_channels // 4)
        layers.append(se_layer(expanded, squeezed, activation=partial(nn.SiLU, inplace=True)))
        layers.append(convolution(expanded, cnf.out_channels, kernel_size=1, activation_layer=None))
        self.block = nn.Sequential(*layers)
        self.stochastic_depth = StochasticDepth(stochastic_depth_prob, "row")
        self.out_channels = cnf.out_channels


class FusedMBConv(_Residual):
    """`MBConv` whose first two convolutions are one, without squeeze-and-excitation."""

    def __init__(self, cnf: FusedMBConvConfig, stochastic_depth_prob: float, norm_layer: Layer) -> None:
        super().__init__(cnf)
        convolution = partial(Conv2dNormActivation, norm_layer=norm_layer, activation_layer=nn.SiLU)
        expanded = cnf.adjust_channels(cnf.input_channels, cnf.expand_ratio)
        if expanded != cnf.input_channels:
            layers = [
                convolution(cnf.input_channels, expanded, cnf.kernel, stride=cnf.stride),
                convolution(expanded, cnf.out_channels, kernel_size=1, activation_layer=None),
            ]
        else:
            layers = [convolution(cnf.input_channels, cnf.out_channels, cnf.kernel, stride=cnf.stride)]
        self.block = nn.Sequential(*layers)
        self.stochastic_depth = StochasticDepth(stochastic_depth_prob, "row")
        self.out_channels = cnf.out_channels


class EfficientNet(nn.Module):
    """Images [batch, 3, height, width] to [batch, num_classes].

    Args:
        inverted_residual_setting: of each stage.
        dropout: its probability before the last layer.
        stochastic_depth_prob: how likely the last block is left out; the first never is.
        num_classes: size of the result.
        norm_layer: called with the channels; a batch norm by default.
        last_channel: of the last convolution; four times those of the last stage by default.

    Raises:
        ValueError: there are no stages.
        TypeError: they are not settings of stages.
    """

    def __init__(
        self,
        inverted_residual_setting: Sequence[_MBConvConfig],
        dropout: float,
        stochastic_depth_prob: float = 0.2,
        num_classes: int = 1000,
        norm_layer: Layer | None = None,
        last_channel: int | None = None,
    ) -> None:
        super().__init__()
        setting = inverted_residual_setting
        if not setting:
            raise ValueError("The inverted_residual_setting should not be empty")
        if not (isinstance(setting, Sequence) and all(isinstance(stage, _MBConvConfig) for stage in setting)):
            raise TypeError("The inverted_residual_setting should be List[MBConvConfig]")
        norm_layer = norm_layer or nn.BatchNorm2d
        convolution = partial(Conv2dNormActivation, norm_layer=norm_layer, activation_layer=nn.SiLU)
        layers: list[nn.Module] = [convolution(3, setting[0].input_channels, kernel_size=3, stride=2)]
        layers += _stages(setting, stochastic_depth_prob, norm_layer)
        channels = 4 * setting[-1].out_channels if last_channel is None else last_channel
        layers.append(convolution(setting[-1].out_channels, channels, kernel_size=1))
        self.features = nn.Sequential(*layers)
        self.avgpool = nn.AdaptiveAvgPool2d(1)
        self.classifier = nn.Sequential(nn.Dropout(p=dropout, inplace=True), nn.Linear(channels, num_classes))
        bound = 1.0 / math.sqrt(num_classes)
        initialize(self, kaiming_fan_out, lambda weight: nn.init.uniform_(weight, -bound, bound))

    def forward(self, x: Tensor) -> Tensor:
        pooled: Tensor = self.avgpool(self.features(x))
        logits: Tensor = self.classifier(pooled.flatten(1))
        return logits


def _stages(setting: Sequence[_MBConvConfig], last_probability: float, norm_layer: Layer) -> list[nn.Sequential]:
    """The blocks of each stage; the first of them changes the size and the channels."""
    total, number, stages = sum(stage.num_layers for stage in setting), 0, []
    for stage in setting:
        blocks = []
        for position in range(stage.num_layers):
            cnf = copy(stage)
            if position > 0:
                cnf.input_channels, cnf.stride = cnf.out_channels, 1
            blocks.append(cnf.block(cnf, last_probability * float(number) / total, norm_layer))
            number += 1
        stages.append(nn.Sequential(*blocks))
    return stages


def _efficientnet_b(width_mult: float, depth_mult: float, **options: Any) -> EfficientNet:
    stage = partial(MBConvConfig, width_mult=width_mult, depth_mult=depth_mult)
    setting = [
        stage(1, 3, 1, 32, 16, 1),
        stage(6, 3, 2, 16, 24, 2),
        stage(6, 5, 2, 24, 40, 2),
        stage(6, 3, 2, 40, 80, 3),
        stage(6, 5, 1, 80, 112, 3),
        stage(6, 5, 2, 112, 192, 4),
        stage(6, 3, 1, 192, 320, 1),
    ]
    return EfficientNet(setting, **options)


# Rows of three fused stages, then of others.
_V2 = {
    "s": "1 3 1 24 24 2, 4 3 2 24 48 4, 4 3 2 48 64 4, 4 3 2 64 128 6, 6 3 1 128 160 9, 6 3 2 160 256 15",
    "m": "1 3 1 24 24 3, 4 3 2 24 48 5, 4 3 2 48 80 5, 4 3 2 80 160 7, 6 3 1 160 176 14, 6 3 2 176 304 18, "
    "6 3 1 304 512 5",
    "l": "1 3 1 32 32 4, 4 3 2 32 64 7, 4 3 2 64 96 7, 4 3 2 96 192 10, 6 3 1 192 224 19, 6 3 2 224 384 25, "
    "6 3 1 384 640 7",
}


def _stage(kind: Callable[..., _MBConvConfig], row: list[int]) -> _MBConvConfig:
    return kind(*row)


def _efficientnet_v2(size: str, **options: Any) -> EfficientNet:
    rows = [[int(number) for number in row.split()] for row in _V2[size].split(",")]
    setting = [_stage(FusedMBConvConfig if place < 3 else MBConvConfig, row) for place, row in enumerate(rows)]
    return EfficientNet(setting, **options)


class EfficientNet_B0_Weights(WeightsEnum):
    IMAGENET1K_V1 = imagenet(
        "efficientnet_b0_rwightman-7f5810bc.pth", 5_288_548, interpolation=InterpolationMode.BICUBIC
    )
    DEFAULT = IMAGENET1K_V1


class EfficientNet_B1_Weights(WeightsEnum):
    IMAGENET1K_V1 = imagenet(
        "efficientnet_b1_rwightman-bac287d4.pth", 7_794_184, crop_size=240, interpolation=InterpolationMode.BICUBIC
    )
    IMAGENET1K_V2 = imagenet("efficientnet_b1-c27df63c.pth", 7_794_184, crop_size=240, resize_size=255)
    DEFAULT = IMAGENET1K_V2


class EfficientNet_B2_Weights(WeightsEnum):
    IMAGENET1K_V1 = imagenet(
        "efficientnet_b2_rwightman-c35c1473.pth",
        9_109_994,
        crop_size=288,
        resize_size=288,
        interpolation=InterpolationMode.BICUBIC,
    )
    DEFAULT = IMAGENET1K_V1


class EfficientNet_B3_Weights(WeightsEnum):
    IMAGENET1K_V1 = imagenet(
        "efficientnet_b3_rwightman-b3899882.pth",
        12_233_232,
        crop_size=300,
        resize_size=320,
        interpolation=InterpolationMode.BICUBIC,
    )
    DEFAULT = IMAGENET1K_V1


class EfficientNet_B4_Weights(WeightsEnum):
    IMAGENET1K_V1 = imagenet(
        "efficientnet_b4_rwightman-23ab8bcd.pth",
        19_341_616,
        crop_size=380,
        resize_size=384,
        interpolation=InterpolationMode.BICUBIC,
    )
    DEFAULT = IMAGENET1K_V1


class EfficientNet_B5_Weights(WeightsEnum):
    IMAGENET1K_V1 = imagenet(
        "efficientnet_b5_lukemelas-1a07897c.pth",
        30_389_784,
        crop_size=456,
        resize_size=456,
        interpolation=InterpolationMode.BICUBIC,
    )
    DEFAULT = IMAGENET1K_V1


class EfficientNet_B6_Weights(WeightsEnum):
    IMAGENET1K_V1 = imagenet(
        "efficientnet_b6_lukemelas-24a108a5.pth",
        43_040_704,
        crop_size=528,
        resize_size=528,
        interpolation=InterpolationMode.BICUBIC,
    )
    DEFAULT = IMAGENET1K_V1


class EfficientNet_B7_Weights(WeightsEnum):
    IMAGENET1K_V1 = imagenet(
        "efficientnet_b7_lukemelas-c5b4e57e.pth",
        66_347_960,
        crop_size=600,
        resize_size=600,
        interpolation=InterpolationMode.BICUBIC,
    )
    DEFAULT = IMAGENET1K_V1


class EfficientNet_V2_S_Weights(WeightsEnum):
    IMAGENET1K_V1 = imagenet("efficientnet_v2_s-dd5fe13b.pth", 21_458_488, crop_size=384, min_size=33, resize_size=384)
    DEFAULT = IMAGENET1K_V1


class EfficientNet_V2_M_Weights(WeightsEnum):
    IMAGENET1K_V1 = imagenet("efficientnet_v2_m-dc08266a.pth", 54_139_356, crop_size=480, min_size=33, resize_size=480)
    DEFAULT = IMAGENET1K_V1


class EfficientNet_V2_L_Weights(WeightsEnum):
    IMAGENET1K_V1 = imagenet(
        "efficientnet_v2_l-59c71312.pth",
        118_515_272,
        crop_size=480,
        min_size=33,
        resize_size=480,
        interpolation=InterpolationMode.BICUBIC,
        mean=(0.5, 0.5, 0.5),
        std=(0.5, 0.5, 0.5),
    )
    DEFAULT = IMAGENET1K_V1


def _b(
    name: str, weights: type[WeightsEnum], width: float, depth: float, dropout: float
) -> Callable[..., EfficientNet]:
    slow = {"norm_layer": partial(nn.BatchNorm2d, eps=0.001, momentum=0.01)} if width >= 1.6 else {}
    return builder(name, weights, _efficientnet_b, width, depth, defaults={"dropout": dropout, **slow})


def _v2(name: str, weights: type[WeightsEnum], dropout: float) -> Callable[..., EfficientNet]:
    defaults = {"dropout": dropout, "norm_layer": partial(nn.BatchNorm2d, eps=0.001), "last_channel": 1280}
    return builder(name, weights, _efficientnet_v2, name[-1], defaults=defaults)


efficientnet_b0 = _b("efficientnet_b0", EfficientNet_B0_Weights, 1.0, 1.0, 0.2)
efficientnet_b1 = _b("efficientnet_b1", EfficientNet_B1_Weights, 1.0, 1.1, 0.2)
efficientnet_b2 = _b("efficientnet_b2", EfficientNet_B2_Weights, 1.1, 1.2, 0.3)
efficientnet_b3 = _b("efficientnet_b3", EfficientNet_B3_Weights, 1.2, 1.4, 0.3)
efficientnet_b4 = _b("efficientnet_b4", EfficientNet_B4_Weights, 1.4, 1.8, 0.4)
efficientnet_b5 = _b("efficientnet_b5", EfficientNet_B5_Weights, 1.6, 2.2, 0.4)
efficientnet_b6 = _b("efficientnet_b6", EfficientNet_B6_Weights, 1.8, 2.6, 0.5)
efficientnet_b7 = _b("efficientnet_b7", EfficientNet_B7_Weights, 2.0, 3.1, 0.5)
efficientnet_v2_s = _v2("efficientnet_v2_s", EfficientNet_V2_S_Weights, 0.2)
efficientnet_v2_m = _v2("efficientnet_v2_m", EfficientNet_V2_M_Weights, 0.3)
efficientnet_v2_l = _v2("efficientnet_v2_l", EfficientNet_V2_L_Weights, 0.4)
