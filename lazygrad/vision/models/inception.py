"""Inception v3: Szegedy et al., arXiv:1512.00567, table 1."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from lazygrad import nn
from lazygrad.nn import functional as F
from lazygrad.ops.public import cat
from lazygrad.tensor import Tensor
from lazygrad.vision.models._api import WeightsEnum, classes_of, imagenet, published, require
from lazygrad.vision.models._inception import BasicConv2d, draw_truncated, normalized_by_half, warn_of_slow_draws
from lazygrad.vision.ops.misc import Layer

__all__ = ["Inception3", "InceptionOutputs", "_InceptionOutputs", "Inception_V3_Weights", "inception_v3"]

_ROW: dict[str, Any] = {"kernel_size": (1, 7), "padding": (0, 3)}
_COLUMN: dict[str, Any] = {"kernel_size": (7, 1), "padding": (3, 0)}


class InceptionOutputs(NamedTuple):
    """What the network gives while it is trained with its auxiliary classifier."""

    logits: Tensor
    aux_logits: Tensor | None


_InceptionOutputs = InceptionOutputs


class InceptionA(nn.Module):
    """5×5 and two 3×3 convolutions side by side: figure 5."""

    def __init__(self, in_channels: int, pool_features: int, conv_block: Layer | None = None) -> None:
        super().__init__()
        convolution = conv_block or BasicConv2d
        self.branch1x1 = convolution(in_channels, 64, kernel_size=1)
        self.branch5x5_1 = convolution(in_channels, 48, kernel_size=1)
        self.branch5x5_2 = convolution(48, 64, kernel_size=5, padding=2)
        self.branch3x3dbl_1 = convolution(in_channels, 64, kernel_size=1)
        self.branch3x3dbl_2 = convolution(64, 96, kernel_size=3, padding=1)
        self.branch3x3dbl_3 = convolution(96, 96, kernel_size=3, padding=1)
        self.branch_pool = convolution(in_channels, pool_features, kernel_size=1)

    def forward(self, x: Tensor) -> Tensor:
        five = self.branch5x5_2(self.branch5x5_1(x))
        twice_three = self.branch3x3dbl_3(self.branch3x3dbl_2(self.branch3x3dbl_1(x)))
        return cat([self.branch1x1(x), five, twice_three, self.branch_pool(_average(x))], 1)


class InceptionB(nn.Module):
    """Half the size, beside a pooling."""

    def __init__(self, in_channels: int, conv_block: Layer | None = None) -> None:
        super().__init__()
        convolution = conv_block or BasicConv2d
        self.branch3x3 = convolution(in_channels, 384, kernel_size=3, stride=2)
        self.branch3x3dbl_1 = convolution(in_channels, 64, kernel_size=1)
        self.branch3x3dbl_2 = convolution(64, 96, kernel_size=3, padding=1)
        self.branch3x3dbl_3 = convolution(96, 96, kernel_size=3, stride=2)

    def forward(self, x: Tensor) -> Tensor:
        twice_three = self.branch3x3dbl_3(self.branch3x3dbl_2(self.branch3x3dbl_1(x)))
        return cat([self.branch3x3(x), twice_three, F.max_pool2d(x, kernel_size=3, stride=2)], 1)


class InceptionC(nn.Module):
    """7×7 convolutions as rows and columns: figure 6."""

    def __init__(self, in_channels: int, channels_7x7: int, conv_block: Layer | None = None) -> None:
        super().__init__()
        convolution, width = conv_block or BasicConv2d, channels_7x7
        self.branch1x1 = convolution(in_channels, 192, kernel_size=1)
        self.branch7x7_1 = convolution(in_channels, width, kernel_size=1)
        self.branch7x7_2 = convolution(width, width, **_ROW)
        self.branch7x7_3 = convolution(width, 192, **_COLUMN)
        self.branch7x7dbl_1 = convolution(in_channels, width, kernel_size=1)
        self.branch7x7dbl_2 = convolution(width, width, **_COLUMN)
        self.branch7x7dbl_3 = convolution(width, width, **_ROW)
        self.branch7x7dbl_4 = convolution(width, width, **_COLUMN)
        self.branch7x7dbl_5 = convolution(width, 192, **_ROW)
        self.branch_pool = convolution(in_channels, 192, kernel_size=1)

    def forward(self, x: Tensor) -> Tensor:
        seven = self.branch7x7_3(self.branch7x7_2(self.branch7x7_1(x)))
        twice_seven = self.branch7x7dbl_3(self.branch7x7dbl_2(self.branch7x7dbl_1(x)))
        twice_seven = self.branch7x7dbl_5(self.branch7x7dbl_4(twice_seven))
        return cat([self.branch1x1(x), seven, twice_seven, self.branch_pool(_average(x))], 1)


class InceptionD(nn.Module):
    """Half the size again, beside a pooling."""

    def __init__(self, in_channels: int, conv_block: Layer | None = None) -> None:
        super().__init__()
        convolution = conv_block or BasicConv2d
        self.branch3x3_1 = convolution(in_channels, 192, kernel_size=1)
        self.branch3x3_2 = convolution(192, 320, kernel_size=3, stride=2)
        self.branch7x7x3_1 = convolution(in_channels, 192, kernel_size=1)
        self.branch7x7x3_2 = convolution(192, 192, **_ROW)
        self.branch7x7x3_3 = convolution(192, 192, **_COLUMN)
        self.branch7x7x3_4 = convolution(192, 192, kernel_size=3, stride=2)

    def forward(self, x: Tensor) -> Tensor:
        three = self.branch3x3_2(self.branch3x3_1(x))
        seven = self.branch7x7x3_4(self.branch7x7x3_3(self.branch7x7x3_2(self.branch7x7x3_1(x))))
        return cat([three, seven, F.max_pool2d(x, kernel_size=3, stride=2)], 1)


class InceptionE(nn.Module):
    """Rows and columns of three side by side: figure 7."""

    def __init__(self, in_channels: int, conv_block: Layer | None = None) -> None:
        super().__init__()
        convolution = conv_block or BasicConv2d
        row: dict[str, Any] = {"kernel_size": (1, 3), "padding": (0, 1)}
        column: dict[str, Any] = {"kernel_size": (3, 1), "padding": (1, 0)}
        self.branch1x1 = convolution(in_channels, 320, kernel_size=1)
        self.branch3x3_1 = convolution(in_channels, 384, kernel_size=1)
        self.branch3x3_2a = convolution(384, 384, **row)
        self.branch3x3_2b = convolution(384, 384, **column)
        self.branch3x3dbl_1 = convolution(in_channels, 448, kernel_size=1)
        self.branch3x3dbl_2 = convolution(448, 384, kernel_size=3, padding=1)
        self.branch3x3dbl_3a = convolution(384, 384, **row)
        self.branch3x3dbl_3b = convolution(384, 384, **column)
        self.branch_pool = convolution(in_channels, 192, kernel_size=1)

    def forward(self, x: Tensor) -> Tensor:
        three = self.branch3x3_1(x)
        twice_three = self.branch3x3dbl_2(self.branch3x3dbl_1(x))
        wide = [self.branch3x3_2a(three), self.branch3x3_2b(three)]
        wide += [self.branch3x3dbl_3a(twice_three), self.branch3x3dbl_3b(twice_three)]
        return cat([self.branch1x1(x), *wide, self.branch_pool(_average(x))], 1)


def _average(x: Tensor) -> Tensor:
    return F.avg_pool2d(x, kernel_size=3, stride=1, padding=1)


class InceptionAux(nn.Module):
    """A classifier in the middle of the network."""

    def __init__(self, in_channels: int, num_classes: int, conv_block: Layer | None = None) -> None:
        super().__init__()
        convolution = conv_block or BasicConv2d
        self.conv0 = convolution(in_channels, 128, kernel_size=1)
        self.conv1 = convolution(128, 768, kernel_size=5)
        self.conv1.stddev = 0.01
        self.fc = nn.Linear(768, num_classes)
        self.fc.stddev = 0.001

    def forward(self, x: Tensor) -> Tensor:
        features = self.conv1(self.conv0(F.avg_pool2d(x, kernel_size=5, stride=3)))
        logits: Tensor = self.fc(F.adaptive_avg_pool2d(features, (1, 1)).flatten(1))
        return logits


class Inception3(nn.Module):
    """Images [batch, 3, height, width] of 75 pixels or more to [batch, num_classes].

    While it is trained with ``aux_logits``, it gives `InceptionOutputs`.

    Args:
        num_classes: size of the result.
        aux_logits: have a classifier in the middle.
        transform_input: images are normalized as for other networks, and are normalized anew here.
        inception_blocks: in place of `BasicConv2d`, `InceptionA` to `InceptionE` and `InceptionAux`.
        init_weights: draw from a truncated normal distribution; None does, with a warning.
        dropout: its probability before the last layer.

    Raises:
        ValueError: ``inception_blocks`` are not seven.
    """

    def __init__(
        self,
        num_classes: int = 1000,
        aux_logits: bool = True,
        transform_input: bool = False,
        inception_blocks: Sequence[Layer] | None = None,
        init_weights: bool | None = None,
        dropout: float = 0.5,
    ) -> None:
        super().__init__()
        if inception_blocks is None:
            inception_blocks = [
                BasicConv2d, InceptionA, InceptionB, InceptionC, InceptionD, InceptionE, InceptionAux
            ]  # fmt: skip
        if init_weights is None:
            warn_of_slow_draws("inception_v3")
        if len(inception_blocks) != 7:
            raise ValueError(f"length of inception_blocks should be 7 instead of {len(inception_blocks)}")
        convolution, a, b, c, d, e, auxiliary = inception_blocks
        self.aux_logits = aux_logits
        self.transform_input = transform_input
        self.Conv2d_1a_3x3 = convolution(3, 32, kernel_size=3, stride=2)
        self.Conv2d_2a_3x3 = convolution(32, 32, kernel_size=3)
        self.Conv2d_2b_3x3 = convolution(32, 64, kernel_size=3, padding=1)
        self.maxpool1 = nn.MaxPool2d(kernel_size=3, stride=2)
        self.Conv2d_3b_1x1 = convolution(64, 80, kernel_size=1)
        self.Conv2d_4a_3x3 = convolution(80, 192, kernel_size=3)
        self.maxpool2 = nn.MaxPool2d(kernel_size=3, stride=2)
        self.Mixed_5b = a(192, pool_features=32)
        self.Mixed_5c = a(256, pool_features=64)
        self.Mixed_5d = a(288, pool_features=64)
        self.Mixed_6a = b(288)
        self.Mixed_6b = c(768, channels_7x7=128)
        self.Mixed_6c = c(768, channels_7x7=160)
        self.Mixed_6d = c(768, channels_7x7=160)
        self.Mixed_6e = c(768, channels_7x7=192)
        self.AuxLogits = auxiliary(768, num_classes) if aux_logits else None
        self.Mixed_7a = d(768)
        self.Mixed_7b = e(1280)
        self.Mixed_7c = e(2048)
        self.avgpool = nn.AdaptiveAvgPool2d((1, 1))
        self.dropout = nn.Dropout(p=dropout)
        self.fc = nn.Linear(2048, num_classes)
        if init_weights is not False:
            draw_truncated(self, 0.1)

    def forward(self, x: Tensor) -> Any:
        x = normalized_by_half(x) if self.transform_input else x
        x = self.maxpool1(self.Conv2d_2b_3x3(self.Conv2d_2a_3x3(self.Conv2d_1a_3x3(x))))
        x = self.maxpool2(self.Conv2d_4a_3x3(self.Conv2d_3b_1x1(x)))
        x = self.Mixed_5d(self.Mixed_5c(self.Mixed_5b(x)))
        x = self.Mixed_6e(self.Mixed_6d(self.Mixed_6c(self.Mixed_6b(self.Mixed_6a(x)))))
        auxiliary = self.AuxLogits(x) if self.AuxLogits is not None and self.training else None
        x = self.avgpool(self.Mixed_7c(self.Mixed_7b(self.Mixed_7a(x))))
        logits = self.fc(self.dropout(x).flatten(1))
        return InceptionOutputs(logits, auxiliary) if self.training and self.aux_logits else logits


class Inception_V3_Weights(WeightsEnum):
    IMAGENET1K_V1 = imagenet(
        "inception_v3_google-0cc3c7bd.pth", 27_161_264, crop_size=299, min_size=75, resize_size=342
    )
    DEFAULT = IMAGENET1K_V1


def _inception_v3(weights: Inception_V3_Weights | None, progress: bool, options: dict[str, Any]) -> Inception3:
    if weights is None:
        return Inception3(**options)
    keeps_auxiliary = options.pop("aux_logits", True)
    options.setdefault("transform_input", True)
    for name, value in {"aux_logits": True, "init_weights": False, **classes_of(weights)}.items():
        require(options, name, value)
    model = Inception3(**options)
    model.load_state_dict(weights.get_state_dict(progress=progress))
    if not keeps_auxiliary:
        model.aux_logits, model.AuxLogits = False, None
    return model


inception_v3 = published("inception_v3", Inception_V3_Weights, _inception_v3)
