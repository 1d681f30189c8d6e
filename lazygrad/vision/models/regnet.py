"""RegNet: stages whose widths lie on a line. Radosavovic et al., arXiv:2003.13678, section 3.3."""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import groupby
from typing import Any

from lazygrad import nn
from lazygrad.ops.public import arange
from lazygrad.ops.public import round as nearest
from lazygrad.tensor import Tensor
from lazygrad.vision.models._api import WeightsEnum, builder, imagenet
from lazygrad.vision.models._utils import _make_divisible, normal_0_01
from lazygrad.vision.ops.misc import Conv2dNormActivation, Layer, SqueezeExcitation
from lazygrad.vision.transforms.interpolation import InterpolationMode

_SIZES_Y = "400MF 800MF 1_6GF 3_2GF 8GF 16GF 32GF 128GF".split()
_SIZES_X = _SIZES_Y[:-1]
__all__ = [
    "RegNet",
    *(f"RegNet_{kind}_{size}_Weights" for kind, sizes in (("Y", _SIZES_Y), ("X", _SIZES_X)) for size in sizes),
    *(f"regnet_{kind}_{size.lower()}" for kind, sizes in (("y", _SIZES_Y), ("x", _SIZES_X)) for size in sizes),
]


class SimpleStemIN(Conv2dNormActivation):
    """A 3×3 convolution that halves the image."""

    def __init__(self, width_in: int, width_out: int, norm_layer: Layer, activation_layer: Layer) -> None:
        super().__init__(
            width_in, width_out, kernel_size=3, stride=2, norm_layer=norm_layer, activation_layer=activation_layer
        )


class BottleneckTransform(nn.Sequential):
    """Convolutions of 1×1, 3×3 in groups, and 1×1, with squeeze-and-excitation before the last."""

    def __init__(
        self,
        width_in: int,
        width_out: int,
        stride: int,
        norm_layer: Layer,
        activation_layer: Layer,
        group_width: int,
        bottleneck_multiplier: float,
        se_ratio: float | None,
    ) -> None:
        convolution = partial(Conv2dNormActivation, norm_layer=norm_layer, activation_layer=activation_layer)
        width = round(width_out * bottleneck_multiplier)
        layers = OrderedDict[str, nn.Module]()
        layers["a"] = convolution(width_in, width, kernel_size=1, stride=1)
        layers["b"] = convolution(width, width, kernel_size=3, stride=stride, groups=width // group_width)
        if se_ratio:
            layers["se"] = SqueezeExcitation(width, round(se_ratio * width_in), activation=activation_layer)
        layers["c"] = convolution(width, width_out, kernel_size=1, stride=1, activation_layer=None)
        super().__init__(layers)


class ResBottleneckBlock(nn.Module):
    """`BottleneckTransform` beside a shortcut, which is a convolution where the shapes differ."""

    def __init__(
        self,
        width_in: int,
        width_out: int,
        stride: int,
        norm_layer: Layer,
        activation_layer: Layer,
        group_width: int = 1,
        bottleneck_multiplier: float = 1.0,
        se_ratio: float | None = None,
    ) -> None:
        super().__init__()
        self.proj = None
        if width_in != width_out or stride != 1:
            self.proj = Conv2dNormActivation(
                width_in, width_out, kernel_size=1, stride=stride, norm_layer=norm_layer, activation_layer=None
            )
        self.f = BottleneckTransform(
            width_in, width_out, stride, norm_layer, activation_layer, group_width, bottleneck_multiplier, se_ratio
        )
        self.activation = activation_layer(inplace=True)

    def forward(self, x: Tensor) -> Tensor:
        result: Tensor = self.activation((x if self.proj is None else self.proj(x)) + self.f(x))
        return result


class AnyStage(nn.Sequential):
    """Blocks of one width, of which the first has the stride."""

    def __init__(
        self,
        width_in: int,
        width_out: int,
        stride: int,
        depth: int,
        block_constructor: Layer,
        norm_layer: Layer,
        activation_layer: Layer,
        group_width: int,
        bottleneck_multiplier: float,
        se_ratio: float | None = None,
        stage_index: int = 0,
    ) -> None:
        super().__init__()
        same = (norm_layer, activation_layer, group_width, bottleneck_multiplier, se_ratio)
        for position in range(depth):
            shape = (width_in, width_out, stride) if position == 0 else (width_out, width_out, 1)
            self.add_module(f"block{stage_index}-{position}", block_constructor(*shape, *same))


class BlockParams:
    """What each stage is made of."""

    def __init__(
        self,
        depths: Sequence[int],
        widths: Sequence[int],
        group_widths: Sequence[int],
        bottleneck_multipliers: Sequence[float],
        strides: Sequence[int],
        se_ratio: float | None = None,
    ) -> None:
        self.depths = depths
        self.widths = widths
        self.group_widths = group_widths
        self.bottleneck_multipliers = bottleneck_multipliers
        self.strides = strides
        self.se_ratio = se_ratio

    @classmethod
    def from_init_params(
        cls,
        depth: int,
        w_0: int,
        w_a: float,
        w_m: float,
        group_width: int,
        bottleneck_multiplier: float = 1.0,
        se_ratio: float | None = None,
        **kwargs: Any,
    ) -> BlockParams:
        """Stages of equal widths, which are ``w_0 + w_a * block`` brought to powers of ``w_m``, then to multiples of 8.

        Raises:
            ValueError: a slope below zero, a first width that is no multiple of 8, a factor not above 1.
        """
        if w_a < 0 or w_0 <= 0 or w_m <= 1 or w_0 % 8 != 0:
            raise ValueError("Invalid RegNet settings")
        powers = nearest((((arange(depth, device="cpu") * w_a + w_0) / w_0).log()) / math.log(w_m))
        widths = (nearest(w_0 * w_m**powers / 8) * 8).int().tolist()
        stages = [(width, len(list(equal))) for width, equal in groupby(widths)]
        fitting = [_fitting(width, group_width, bottleneck_multiplier) for width, _ in stages]
        return cls(
            depths=[count for _, count in stages],
            widths=[width for width, _ in fitting],
            group_widths=[group for _, group in fitting],
            bottleneck_multipliers=[bottleneck_multiplier] * len(stages),
            strides=[2] * len(stages),
            se_ratio=se_ratio,
        )

    def _get_expanded_params(self) -> Iterator[tuple[int, int, int, int, float]]:
        return zip(self.widths, self.strides, self.depths, self.group_widths, self.bottleneck_multipliers, strict=True)


def _fitting(width: int, group_width: int, multiplier: float) -> tuple[int, int]:
    """A width whose bottleneck falls into whole groups, and the width of these."""
    inner = int(width * multiplier)
    group = min(group_width, inner)
    return int(_make_divisible(inner, group) / multiplier), group


class RegNet(nn.Module):
    """Images [batch, 3, height, width] to [batch, num_classes].

    Args:
        block_params: of each stage.
        num_classes: size of the result.
        stem_width: channels of the stem.
        stem_type, block_type, norm_layer, activation: in place of `SimpleStemIN`, `ResBottleneckBlock`, a batch norm
            and ReLU.
    """

    def __init__(
        self,
        block_params: BlockParams,
        num_classes: int = 1000,
        stem_width: int = 32,
        stem_type: Layer | None = None,
        block_type: Layer | None = None,
        norm_layer: Layer | None = None,
        activation: Layer | None = None,
    ) -> None:
        super().__init__()
        norm_layer, activation = norm_layer or nn.BatchNorm2d, activation or nn.ReLU
        self.stem = (stem_type or SimpleStemIN)(3, stem_width, norm_layer, activation)
        layers = (block_type or ResBottleneckBlock, norm_layer, activation)
        width, stages = stem_width, OrderedDict[str, nn.Module]()
        for number, (width_out, stride, depth, group, multiplier) in enumerate(block_params._get_expanded_params(), 1):
            stages[f"block{number}"] = AnyStage(
                width, width_out, stride, depth, *layers, group, multiplier, block_params.se_ratio, number
            )
            width = width_out
        self.trunk_output = nn.Sequential(stages)
        self.avgpool = nn.AdaptiveAvgPool2d((1, 1))
        self.fc = nn.Linear(width, num_classes)
        for module in self.modules():
            if isinstance(module, nn.Conv2d):
                _draw_by_all_outputs(module.weight)
        normal_0_01(self.fc.weight)
        nn.init.zeros_(self.fc.bias)

    def forward(self, x: Tensor) -> Tensor:
        pooled: Tensor = self.avgpool(self.trunk_output(self.stem(x)))
        logits: Tensor = self.fc(pooled.flatten(1))
        return logits


def _draw_by_all_outputs(weight: Tensor) -> None:
    """As if the convolution had no groups."""
    out_channels, _, height, width = weight.shape
    nn.init.normal_(weight, mean=0.0, std=math.sqrt(2.0 / (height * width * out_channels)))


def _regnet(settings: dict[str, Any], **options: Any) -> RegNet:
    return RegNet(BlockParams.from_init_params(**settings, **options), **options)


class RegNet_Y_400MF_Weights(WeightsEnum):
    IMAGENET1K_V1 = imagenet("regnet_y_400mf-c65dace8.pth", 4_344_144)
    IMAGENET1K_V2 = imagenet("regnet_y_400mf-e6988f5f.pth", 4_344_144, resize_size=232)
    DEFAULT = IMAGENET1K_V2


class RegNet_Y_800MF_Weights(WeightsEnum):
    IMAGENET1K_V1 = imagenet("regnet_y_800mf-1b27b58c.pth", 6_432_512)
    IMAGENET1K_V2 = imagenet("regnet_y_800mf-58fc7688.pth", 6_432_512, resize_size=232)
    DEFAULT = IMAGENET1K_V2


class RegNet_Y_1_6GF_Weights(WeightsEnum):
    IMAGENET1K_V1 = imagenet("regnet_y_1_6gf-b11a554e.pth", 11_202_430)
    IMAGENET1K_V2 = imagenet("regnet_y_1_6gf-0d7bc02a.pth", 11_202_430, resize_size=232)
    DEFAULT = IMAGENET1K_V2


class RegNet_Y_3_2GF_Weights(WeightsEnum):
    IMAGENET1K_V1 = imagenet("regnet_y_3_2gf-b5a9779c.pth", 19_436_338)
    IMAGENET1K_V2 = imagenet("regnet_y_3_2gf-9180c971.pth", 19_436_338, resize_size=232)
    DEFAULT = IMAGENET1K_V2


class RegNet_Y_8GF_Weights(WeightsEnum):
    IMAGENET1K_V1 = imagenet("regnet_y_8gf-d0d0e4a8.pth", 39_381_472)
    IMAGENET1K_V2 = imagenet("regnet_y_8gf-dc2b1b54.pth", 39_381_472, resize_size=232)
    DEFAULT = IMAGENET1K_V2


class RegNet_Y_16GF_Weights(WeightsEnum):
    IMAGENET1K_V1 = imagenet("regnet_y_16gf-9e6ed7dd.pth", 83_590_140)
    IMAGENET1K_V2 = imagenet("regnet_y_16gf-3e4a00f9.pth", 83_590_140, resize_size=232)
    IMAGENET1K_SWAG_E2E_V1 = imagenet(
        "regnet_y_16gf_swag-43afe44d.pth",
        83_590_140,
        crop_size=384,
        resize_size=384,
        interpolation=InterpolationMode.BICUBIC,
    )
    IMAGENET1K_SWAG_LINEAR_V1 = imagenet(
        "regnet_y_16gf_lc_swag-f3ec0043.pth", 83_590_140, resize_size=224, interpolation=InterpolationMode.BICUBIC
    )
    DEFAULT = IMAGENET1K_V2


class RegNet_Y_32GF_Weights(WeightsEnum):
    IMAGENET1K_V1 = imagenet("regnet_y_32gf-4dee3f7a.pth", 145_046_770)
    IMAGENET1K_V2 = imagenet("regnet_y_32gf-8db6d4b5.pth", 145_046_770, resize_size=232)
    IMAGENET1K_SWAG_E2E_V1 = imagenet(
        "regnet_y_32gf_swag-04fdfa75.pth",
        145_046_770,
        crop_size=384,
        resize_size=384,
        interpolation=InterpolationMode.BICUBIC,
    )
    IMAGENET1K_SWAG_LINEAR_V1 = imagenet(
        "regnet_y_32gf_lc_swag-e1583746.pth", 145_046_770, resize_size=224, interpolation=InterpolationMode.BICUBIC
    )
    DEFAULT = IMAGENET1K_V2


class RegNet_Y_128GF_Weights(WeightsEnum):
    IMAGENET1K_SWAG_E2E_V1 = imagenet(
        "regnet_y_128gf_swag-c8ce3e52.pth",
        644_812_894,
        crop_size=384,
        resize_size=384,
        interpolation=InterpolationMode.BICUBIC,
    )
    IMAGENET1K_SWAG_LINEAR_V1 = imagenet(
        "regnet_y_128gf_lc_swag-cbe8ce12.pth", 644_812_894, resize_size=224, interpolation=InterpolationMode.BICUBIC
    )
    DEFAULT = IMAGENET1K_SWAG_E2E_V1


class RegNet_X_400MF_Weights(WeightsEnum):
    IMAGENET1K_V1 = imagenet("regnet_x_400mf-adf1edd5.pth", 5_495_976)
    IMAGENET1K_V2 = imagenet("regnet_x_400mf-62229a5f.pth", 5_495_976, resize_size=232)
    DEFAULT = IMAGENET1K_V2


class RegNet_X_800MF_Weights(WeightsEnum):
    IMAGENET1K_V1 = imagenet("regnet_x_800mf-ad17e45c.pth", 7_259_656)
    IMAGENET1K_V2 = imagenet("regnet_x_800mf-94a99ebd.pth", 7_259_656, resize_size=232)
    DEFAULT = IMAGENET1K_V2


class RegNet_X_1_6GF_Weights(WeightsEnum):
    IMAGENET1K_V1 = imagenet("regnet_x_1_6gf-e3633e7f.pth", 9_190_136)
    IMAGENET1K_V2 = imagenet("regnet_x_1_6gf-a12f2b72.pth", 9_190_136, resize_size=232)
    DEFAULT = IMAGENET1K_V2


class RegNet_X_3_2GF_Weights(WeightsEnum):
    IMAGENET1K_V1 = imagenet("regnet_x_3_2gf-f342aeae.pth", 15_296_552)
    IMAGENET1K_V2 = imagenet("regnet_x_3_2gf-7071aa85.pth", 15_296_552, resize_size=232)
    DEFAULT = IMAGENET1K_V2


class RegNet_X_8GF_Weights(WeightsEnum):
    IMAGENET1K_V1 = imagenet("regnet_x_8gf-03ceed89.pth", 39_572_648)
    IMAGENET1K_V2 = imagenet("regnet_x_8gf-2b70d774.pth", 39_572_648, resize_size=232)
    DEFAULT = IMAGENET1K_V2


class RegNet_X_16GF_Weights(WeightsEnum):
    IMAGENET1K_V1 = imagenet("regnet_x_16gf-2007eb11.pth", 54_278_536)
    IMAGENET1K_V2 = imagenet("regnet_x_16gf-ba3796d7.pth", 54_278_536, resize_size=232)
    DEFAULT = IMAGENET1K_V2


class RegNet_X_32GF_Weights(WeightsEnum):
    IMAGENET1K_V1 = imagenet("regnet_x_32gf-9d47f8d0.pth", 107_811_560)
    IMAGENET1K_V2 = imagenet("regnet_x_32gf-6eb8fdc6.pth", 107_811_560, resize_size=232)
    DEFAULT = IMAGENET1K_V2


def _y(name: str, weights: type[WeightsEnum], *numbers: float) -> Callable[..., RegNet]:
    return _x(name, weights, *numbers, 1.0, 0.25)


def _x(name: str, weights: type[WeightsEnum], *numbers: float) -> Callable[..., RegNet]:
    names = ("depth", "w_0", "w_a", "w_m", "group_width", "bottleneck_multiplier", "se_ratio")
    return builder(name, weights, _regnet, dict(zip(names, numbers, strict=False)))


regnet_y_400mf = _y("regnet_y_400mf", RegNet_Y_400MF_Weights, 16, 48, 27.89, 2.09, 8)
regnet_y_800mf = _y("regnet_y_800mf", RegNet_Y_800MF_Weights, 14, 56, 38.84, 2.4, 16)
regnet_y_1_6gf = _y("regnet_y_1_6gf", RegNet_Y_1_6GF_Weights, 27, 48, 20.71, 2.65, 24)
regnet_y_3_2gf = _y("regnet_y_3_2gf", RegNet_Y_3_2GF_Weights, 21, 80, 42.63, 2.66, 24)
regnet_y_8gf = _y("regnet_y_8gf", RegNet_Y_8GF_Weights, 17, 192, 76.82, 2.19, 56)
regnet_y_16gf = _y("regnet_y_16gf", RegNet_Y_16GF_Weights, 18, 200, 106.23, 2.48, 112)
regnet_y_32gf = _y("regnet_y_32gf", RegNet_Y_32GF_Weights, 20, 232, 115.89, 2.53, 232)
regnet_y_128gf = _y("regnet_y_128gf", RegNet_Y_128GF_Weights, 27, 456, 160.83, 2.52, 264)
regnet_x_400mf = _x("regnet_x_400mf", RegNet_X_400MF_Weights, 22, 24, 24.48, 2.54, 16)
regnet_x_800mf = _x("regnet_x_800mf", RegNet_X_800MF_Weights, 16, 56, 35.73, 2.28, 16)
regnet_x_1_6gf = _x("regnet_x_1_6gf", RegNet_X_1_6GF_Weights, 18, 80, 34.01, 2.25, 24)
regnet_x_3_2gf = _x("regnet_x_3_2gf", RegNet_X_3_2GF_Weights, 25, 88, 26.31, 2.25, 48)
regnet_x_8gf = _x("regnet_x_8gf", RegNet_X_8GF_Weights, 23, 80, 49.56, 2.88, 120)
regnet_x_16gf = _x("regnet_x_16gf", RegNet_X_16GF_Weights, 22, 216, 55.59, 2.1, 128)
regnet_x_32gf = _x("regnet_x_32gf", RegNet_X_32GF_Weights, 23, 320, 69.86, 2.0, 168)
