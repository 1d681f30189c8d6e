"""GoogLeNet: Szegedy et al., arXiv:1409.4842, table 1, with batch norms, and 3×3 in place of 5×5 convolutions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from lazygrad import nn
from lazygrad.ir.user_warning import warn_user
from lazygrad.nn import functional as F
from lazygrad.ops.public import cat
from lazygrad.tensor import Tensor
from lazygrad.vision.models._api import WeightsEnum, classes_of, imagenet, published, require
from lazygrad.vision.models._inception import BasicConv2d, draw_truncated, normalized_by_half, warn_of_slow_draws
from lazygrad.vision.ops.misc import Layer

__all__ = ["GoogLeNet", "GoogLeNetOutputs", "_GoogLeNetOutputs", "GoogLeNet_Weights", "googlenet"]

# Input channels, then those of the 1×1, of the 3×3 (and before it), of the 5×5 (and before it), of the pooling's.
_BLOCKS = {
    "3a": (192, 64, 96, 128, 16, 32, 32),
    "3b": (256, 128, 128, 192, 32, 96, 64),
    "4a": (480, 192, 96, 208, 16, 48, 64),
    "4b": (512, 160, 112, 224, 24, 64, 64),
    "4c": (512, 128, 128, 256, 24, 64, 64),
    "4d": (512, 112, 144, 288, 32, 64, 64),
    "4e": (528, 256, 160, 320, 32, 128, 128),
    "5a": (832, 256, 160, 320, 32, 128, 128),
    "5b": (832, 384, 192, 384, 48, 128, 128),
}


class GoogLeNetOutputs(NamedTuple):
    """What the network gives while it is trained with its auxiliary classifiers."""

    logits: Tensor
    aux_logits2: Tensor | None
    aux_logits1: Tensor | None


_GoogLeNetOutputs = GoogLeNetOutputs


class Inception(nn.Module):
    """Convolutions of several sizes side by side."""

    def __init__(
        self,
        in_channels: int,
        ch1x1: int,
        ch3x3red: int,
        ch3x3: int,
        ch5x5red: int,
        ch5x5: int,
        pool_proj: int,
        conv_block: Layer | None = None,
    ) -> None:
        super().__init__()
        convolution = conv_block or BasicConv2d
        self.branch1 = convolution(in_channels, ch1x1, kernel_size=1)
        self.branch2 = nn.Sequential(
            convolution(in_channels, ch3x3red, kernel_size=1),
            convolution(ch3x3red, ch3x3, kernel_size=3, padding=1),
        )
        self.branch3 = nn.Sequential(
            convolution(in_channels, ch5x5red, kernel_size=1),
            convolution(ch5x5red, ch5x5, kernel_size=3, padding=1),
        )
        self.branch4 = nn.Sequential(
            nn.MaxPool2d(kernel_size=3, stride=1, padding=1, ceil_mode=True),
            convolution(in_channels, pool_proj, kernel_size=1),
        )

    def forward(self, x: Tensor) -> Tensor:
        return cat([branch(x) for branch in (self.branch1, self.branch2, self.branch3, self.branch4)], 1)


class InceptionAux(nn.Module):
    """A classifier in the middle of the network."""

    def __init__(
        self, in_channels: int, num_classes: int, conv_block: Layer | None = None, dropout: float = 0.7
    ) -> None:
        super().__init__()
        self.conv = (conv_block or BasicConv2d)(in_channels, 128, kernel_size=1)
        self.fc1 = nn.Linear(2048, 1024)
        self.fc2 = nn.Linear(1024, num_classes)
        self.dropout = nn.Dropout(p=dropout)

    def forward(self, x: Tensor) -> Tensor:
        features: Tensor = self.conv(F.adaptive_avg_pool2d(x, (4, 4)))
        hidden = F.relu(self.fc1(features.flatten(1)), inplace=True)
        logits: Tensor = self.fc2(self.dropout(hidden))
        return logits


class GoogLeNet(nn.Module):
    """Images [batch, 3, height, width] of 15 pixels or more to [batch, num_classes].

    While it is trained with ``aux_logits``, it gives `GoogLeNetOutputs`.

    Args:
        num_classes: size of the result.
        aux_logits: have classifiers in the middle.
        transform_input: images are normalized as for other networks, and are normalized anew here.
        init_weights: draw from a truncated normal distribution; None does, with a warning.
        blocks: in place of `BasicConv2d`, `Inception` and `InceptionAux`.
        dropout, dropout_aux: probabilities before the last layers.

    Raises:
        ValueError: ``blocks`` are not three.
    """

    def __init__(
        self,
        num_classes: int = 1000,
        aux_logits: bool = True,
        transform_input: bool = False,
        init_weights: bool | None = None,
        blocks: Sequence[Layer] | None = None,
        dropout: float = 0.2,
        dropout_aux: float = 0.7,
    ) -> None:
        super().__init__()
        blocks = [BasicConv2d, Inception, InceptionAux] if blocks is None else blocks
        if init_weights is None:
            warn_of_slow_draws("GoogleNet")
        if len(blocks) != 3:
            raise ValueError(f"blocks length should be 3 instead of {len(blocks)}")
        convolution, inception, auxiliary = blocks
        self.aux_logits = aux_logits
        self.transform_input = transform_input
        self.conv1 = convolution(3, 64, kernel_size=7, stride=2, padding=3)
        self.maxpool1 = nn.MaxPool2d(3, stride=2, ceil_mode=True)
        self.conv2 = convolution(64, 64, kernel_size=1)
        self.conv3 = convolution(64, 192, kernel_size=3, padding=1)
        self.maxpool2 = nn.MaxPool2d(3, stride=2, ceil_mode=True)
        for name, channels in _BLOCKS.items():
            if name == "4a":
                self.maxpool3 = nn.MaxPool2d(3, stride=2, ceil_mode=True)
            elif name == "5a":
                self.maxpool4 = nn.MaxPool2d(2, stride=2, ceil_mode=True)
            self.add_module(f"inception{name}", inception(*channels))
        self.aux1 = auxiliary(512, num_classes, dropout=dropout_aux) if aux_logits else None
        self.aux2 = auxiliary(528, num_classes, dropout=dropout_aux) if aux_logits else None
        self.avgpool = nn.AdaptiveAvgPool2d((1, 1))
        self.dropout = nn.Dropout(p=dropout)
        self.fc = nn.Linear(1024, num_classes)
        if init_weights is not False:
            draw_truncated(self, 0.01)

    def forward(self, x: Tensor) -> Any:
        x = normalized_by_half(x) if self.transform_input else x
        x = self.maxpool2(self.conv3(self.conv2(self.maxpool1(self.conv1(x)))))
        x = self.maxpool3(self.inception3b(self.inception3a(x)))
        x = self.inception4a(x)
        first = self.aux1(x) if self.aux1 is not None and self.training else None
        x = self.inception4d(self.inception4c(self.inception4b(x)))
        second = self.aux2(x) if self.aux2 is not None and self.training else None
        x = self.maxpool4(self.inception4e(x))
        x = self.avgpool(self.inception5b(self.inception5a(x)))
        logits = self.fc(self.dropout(x.flatten(1)))
        return GoogLeNetOutputs(logits, second, first) if self.training and self.aux_logits else logits


class GoogLeNet_Weights(WeightsEnum):
    IMAGENET1K_V1 = imagenet("googlenet-1378be20.pth", 6_624_904, min_size=15)
    DEFAULT = IMAGENET1K_V1


def _googlenet(weights: GoogLeNet_Weights | None, progress: bool, options: dict[str, Any]) -> GoogLeNet:
    if weights is None:
        return GoogLeNet(**options)
    keeps_auxiliary = options.pop("aux_logits", False)
    options.setdefault("transform_input", True)
    for name, value in {"aux_logits": True, "init_weights": False, **classes_of(weights)}.items():
        require(options, name, value)
    model = GoogLeNet(**options)
    model.load_state_dict(weights.get_state_dict(progress=progress))
    if keeps_auxiliary:
        warn_user(
            "auxiliary heads in the pretrained googlenet model are NOT pretrained, so make sure to train them",
        )
    else:
        model.aux_logits, model.aux1, model.aux2 = False, None, None
    return model


googlenet = published("googlenet", GoogLeNet_Weights, _googlenet)
