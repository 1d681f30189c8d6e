"""MnasNet-B1: Tan et al., arXiv:1807.11626, figure 7 without squeeze-and-excitation."""

from __future__ import annotations

from functools import partial
from typing import Any

from lazygrad import nn
from lazygrad.ir.user_warning import warn_user
from lazygrad.tensor import Tensor
from lazygrad.vision.models._api import WeightsEnum, builder, imagenet
from lazygrad.vision.models._utils import _make_divisible, initialize, kaiming_fan_out

__all__ = """MNASNet MNASNet0_5_Weights MNASNet0_75_Weights MNASNet1_0_Weights MNASNet1_3_Weights mnasnet0_5 mnasnet0_75
mnasnet1_0 mnasnet1_3""".split()

_MOMENTUM = 1 - 0.9997

# Kernel, stride of the first block, expansion, blocks of each stage.
_STAGES = [(3, 2, 3, 3), (5, 2, 3, 3), (5, 2, 6, 3), (3, 1, 6, 2), (5, 2, 6, 4), (3, 1, 6, 1)]


class _InvertedResidual(nn.Module):
    """A depthwise convolution of many channels between 1×1 ones.

    Raises:
        ValueError: a stride other than 1 and 2, a kernel other than 3 and 5.
    """

    def __init__(
        self, in_ch: int, out_ch: int, kernel_size: int, stride: int, expansion_factor: int, bn_momentum: float = 0.1
    ) -> None:
        super().__init__()
        if stride not in (1, 2):
            raise ValueError(f"stride should be 1 or 2 instead of {stride}")
        if kernel_size not in (3, 5):
            raise ValueError(f"kernel_size should be 3 or 5 instead of {kernel_size}")
        hidden = in_ch * expansion_factor
        self.apply_residual = in_ch == out_ch and stride == 1
        self.layers = nn.Sequential(
            nn.Conv2d(in_ch, hidden, 1, bias=False),
            nn.BatchNorm2d(hidden, momentum=bn_momentum),
            nn.ReLU(inplace=True),
            nn.Conv2d(hidden, hidden, kernel_size, padding=kernel_size // 2, stride=stride, groups=hidden, bias=False),
            nn.BatchNorm2d(hidden, momentum=bn_momentum),
            nn.ReLU(inplace=True),
            nn.Conv2d(hidden, out_ch, 1, bias=False),
            nn.BatchNorm2d(out_ch, momentum=bn_momentum),
        )

    def forward(self, input: Tensor) -> Tensor:
        result: Tensor = self.layers(input)
        return result + input if self.apply_residual else result


def _stage(channels: int, out_channels: int, kernel: int, stride: int, expansion: int, count: int) -> nn.Sequential:
    block = partial(_InvertedResidual, bn_momentum=_MOMENTUM)
    first = block(channels, out_channels, kernel, stride, expansion)
    return nn.Sequential(first, *(block(out_channels, out_channels, kernel, 1, expansion) for _ in range(count - 1)))


def _get_depths(alpha: float) -> list[int]:
    """The channels of the two first convolutions and of the stages."""
    return [_make_divisible(depth * alpha, 8) for depth in (32, 16, 24, 40, 80, 96, 192, 320)]


def _stem(channels: int, out_channels: int) -> list[nn.Module]:
    return [
        nn.Conv2d(3, channels, 3, padding=1, stride=2, bias=False),
        nn.BatchNorm2d(channels, momentum=_MOMENTUM),
        nn.ReLU(inplace=True),
        nn.Conv2d(channels, channels, 3, padding=1, stride=1, groups=channels, bias=False),
        nn.BatchNorm2d(channels, momentum=_MOMENTUM),
        nn.ReLU(inplace=True),
        nn.Conv2d(channels, out_channels, 1, padding=0, stride=1, bias=False),
        nn.BatchNorm2d(out_channels, momentum=_MOMENTUM),
    ]


class MNASNet(nn.Module):
    """Images [batch, 3, height, width] to [batch, num_classes].

    Args:
        alpha: factor on the channels.
        num_classes: size of the result.
        dropout: its probability before the last layer.

    Raises:
        ValueError: ``alpha`` is not positive.
    """

    _version = 2  # in version 1 alpha left the first convolutions as they are

    def __init__(self, alpha: float, num_classes: int = 1000, dropout: float = 0.2) -> None:
        super().__init__()
        if alpha <= 0.0:
            raise ValueError(f"alpha should be greater than 0.0 instead of {alpha}")
        self.alpha = alpha
        self.num_classes = num_classes
        depths = _get_depths(alpha)
        layers = _stem(depths[0], depths[1])
        layers += [_stage(depths[i], depths[i + 1], *stage) for i, stage in enumerate(_STAGES, 1)]
        layers += [
            nn.Conv2d(depths[7], 1280, 1, padding=0, stride=1, bias=False),
            nn.BatchNorm2d(1280, momentum=_MOMENTUM),
            nn.ReLU(inplace=True),
        ]
        self.layers = nn.Sequential(*layers)
        self.classifier = nn.Sequential(nn.Dropout(p=dropout, inplace=True), nn.Linear(1280, num_classes))
        linear = partial(nn.init.kaiming_uniform_, mode="fan_out", nonlinearity="sigmoid")
        initialize(self, kaiming_fan_out, linear)

    def forward(self, x: Tensor) -> Tensor:
        logits: Tensor = self.classifier(self.layers(x).mean([2, 3]))
        return logits

    def _load_from_state_dict(self, state_dict: Any, prefix: str, local_metadata: Any, *rest: Any) -> None:
        version = local_metadata.get("version", None)
        if version not in (1, 2):
            raise ValueError(f"version should be set to 1 or 2 instead of {version}")
        if version == 1 and self.alpha != 1.0:
            self._go_back_to_version_1()
        super()._load_from_state_dict(state_dict, prefix, local_metadata, *rest)

    def _go_back_to_version_1(self) -> None:
        for position, layer in enumerate([*_stem(32, 16), _stage(16, _get_depths(self.alpha)[2], *_STAGES[0])]):
            self.layers[position] = layer
        self._version = 1
        warn_user(
            "A new version of MNASNet model has been implemented. The checkpoint is of the version before: the model "
            "has now the layers of that.",
        )


class MNASNet0_5_Weights(WeightsEnum):
    IMAGENET1K_V1 = imagenet("mnasnet0.5_top1_67.823-3ffadce67e.pth", 2_218_512)
    DEFAULT = IMAGENET1K_V1


class MNASNet0_75_Weights(WeightsEnum):
    IMAGENET1K_V1 = imagenet("mnasnet0_75-7090bc5f.pth", 3_170_208, resize_size=232)
    DEFAULT = IMAGENET1K_V1


class MNASNet1_0_Weights(WeightsEnum):
    IMAGENET1K_V1 = imagenet("mnasnet1.0_top1_73.512-f206786ef8.pth", 4_383_312)
    DEFAULT = IMAGENET1K_V1


class MNASNet1_3_Weights(WeightsEnum):
    IMAGENET1K_V1 = imagenet("mnasnet1_3-a4c69d6f.pth", 6_282_256, resize_size=232)
    DEFAULT = IMAGENET1K_V1


mnasnet0_5 = builder("mnasnet0_5", MNASNet0_5_Weights, MNASNet, 0.5)
mnasnet0_75 = builder("mnasnet0_75", MNASNet0_75_Weights, MNASNet, 0.75)
mnasnet1_0 = builder("mnasnet1_0", MNASNet1_0_Weights, MNASNet, 1.0)
mnasnet1_3 = builder("mnasnet1_3", MNASNet1_3_Weights, MNASNet, 1.3)
