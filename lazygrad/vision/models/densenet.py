"""DenseNet: every layer sees the results of all before it. Huang et al., arXiv:1608.06993, table 1."""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import Any

from lazygrad import nn
from lazygrad.nn import functional as F
from lazygrad.ops.public import cat
from lazygrad.tensor import Tensor
from lazygrad.utils.checkpoint import checkpoint
from lazygrad.vision.models._api import WeightsEnum, builder, imagenet
from lazygrad.vision.models._utils import initialize

__all__ = """DenseNet DenseNet121_Weights DenseNet161_Weights DenseNet169_Weights DenseNet201_Weights densenet121
densenet161 densenet169 densenet201""".split()


class _DenseLayer(nn.Module):
    """``growth_rate`` new channels from all that there are."""

    def __init__(
        self,
        num_input_features: int,
        growth_rate: int,
        bn_size: int,
        drop_rate: float,
        memory_efficient: bool = False,
    ) -> None:
        super().__init__()
        hidden = bn_size * growth_rate
        self.norm1 = nn.BatchNorm2d(num_input_features)
        self.relu1 = nn.ReLU(inplace=True)
        self.conv1 = nn.Conv2d(num_input_features, hidden, kernel_size=1, stride=1, bias=False)
        self.norm2 = nn.BatchNorm2d(hidden)
        self.relu2 = nn.ReLU(inplace=True)
        self.conv2 = nn.Conv2d(hidden, growth_rate, kernel_size=3, stride=1, padding=1, bias=False)
        self.drop_rate = float(drop_rate)
        self.memory_efficient = memory_efficient

    def bn_function(self, inputs: Sequence[Tensor]) -> Tensor:
        """The 1×1 convolution of all features together."""
        result: Tensor = self.conv1(self.relu1(self.norm1(cat(list(inputs), 1))))
        return result

    def forward(self, input: Tensor | Sequence[Tensor]) -> Tensor:
        features = [input] if isinstance(input, Tensor) else list(input)
        if self.memory_efficient and any(feature.requires_grad for feature in features):
            hidden = checkpoint(lambda *given: self.bn_function(given), *features, use_reentrant=False)
        else:
            hidden = self.bn_function(features)
        made: Tensor = self.conv2(self.relu2(self.norm2(hidden)))
        return F.dropout(made, p=self.drop_rate, training=self.training) if self.drop_rate > 0 else made


class _DenseBlock(nn.ModuleDict):
    """Layers of which each sees the block's input and what the layers before it made."""

    _version = 2

    def __init__(
        self,
        num_layers: int,
        num_input_features: int,
        bn_size: int,
        growth_rate: int,
        drop_rate: float,
        memory_efficient: bool = False,
    ) -> None:
        super().__init__()
        for position in range(num_layers):
            channels = num_input_features + position * growth_rate
            layer = _DenseLayer(channels, growth_rate, bn_size, drop_rate, memory_efficient)
            self.add_module(f"denselayer{position + 1}", layer)

    def forward(self, init_features: Tensor) -> Tensor:
        features = [init_features]
        for layer in self.values():
            features.append(layer(features))
        return cat(features, 1)


class _Transition(nn.Sequential):
    """Fewer channels of half the size."""

    def __init__(self, num_input_features: int, num_output_features: int) -> None:
        super().__init__()
        self.norm = nn.BatchNorm2d(num_input_features)
        self.relu = nn.ReLU(inplace=True)
        self.conv = nn.Conv2d(num_input_features, num_output_features, kernel_size=1, stride=1, bias=False)
        self.pool = nn.AvgPool2d(kernel_size=2, stride=2)


class DenseNet(nn.Module):
    """Images [batch, 3, height, width] of 29 pixels or more to [batch, num_classes].

    Args:
        growth_rate: channels that each layer adds.
        block_config: how many layers each block has.
        num_init_features: channels of the first convolution.
        bn_size: channels of a layer's 1×1 convolution, in terms of ``growth_rate``.
        drop_rate: probability of dropout after each layer.
        num_classes: size of the result.
        memory_efficient: compute the 1×1 convolutions again in the backward pass.
    """

    def __init__(
        self,
        growth_rate: int = 32,
        block_config: Sequence[int] = (6, 12, 24, 16),
        num_init_features: int = 64,
        bn_size: int = 4,
        drop_rate: float = 0,
        num_classes: int = 1000,
        memory_efficient: bool = False,
    ) -> None:
        super().__init__()
        self.features = nn.Sequential(
            OrderedDict[str, nn.Module](
                conv0=nn.Conv2d(3, num_init_features, kernel_size=7, stride=2, padding=3, bias=False),
                norm0=nn.BatchNorm2d(num_init_features),
                relu0=nn.ReLU(inplace=True),
                pool0=nn.MaxPool2d(kernel_size=3, stride=2, padding=1),
            )
        )
        channels = num_init_features
        for number, count in enumerate(block_config, 1):
            block = _DenseBlock(count, channels, bn_size, growth_rate, drop_rate, memory_efficient)
            self.features.add_module(f"denseblock{number}", block)
            channels += count * growth_rate
            if number < len(block_config):
                self.features.add_module(f"transition{number}", _Transition(channels, channels // 2))
                channels //= 2
        self.features.add_module("norm5", nn.BatchNorm2d(channels))
        self.classifier = nn.Linear(channels, num_classes)
        initialize(self, nn.init.kaiming_normal_)
        nn.init.zeros_(self.classifier.bias)

    def forward(self, x: Tensor) -> Tensor:
        features = F.relu(self.features(x), inplace=True)
        logits: Tensor = self.classifier(F.adaptive_avg_pool2d(features, (1, 1)).flatten(1))
        return logits


def _without_inner_dots(state_dict: Mapping[str, Any]) -> dict[str, Any]:
    """The published files are older than the names: ``norm.1`` is ``norm1`` today."""
    inner = re.compile(r"(denselayer\d+\.(?:norm|relu|conv))\.([12])\.")
    return {inner.sub(r"\1\2.", key): value for key, value in state_dict.items()}


class DenseNet121_Weights(WeightsEnum):
    IMAGENET1K_V1 = imagenet("densenet121-a639ec97.pth", 7_978_856, min_size=29)
    DEFAULT = IMAGENET1K_V1


class DenseNet161_Weights(WeightsEnum):
    IMAGENET1K_V1 = imagenet("densenet161-8d451a50.pth", 28_681_000, min_size=29)
    DEFAULT = IMAGENET1K_V1


class DenseNet169_Weights(WeightsEnum):
    IMAGENET1K_V1 = imagenet("densenet169-b2777c0a.pth", 14_149_480, min_size=29)
    DEFAULT = IMAGENET1K_V1


class DenseNet201_Weights(WeightsEnum):
    IMAGENET1K_V1 = imagenet("densenet201-c1103571.pth", 20_013_928, min_size=29)
    DEFAULT = IMAGENET1K_V1


densenet121 = builder("densenet121", DenseNet121_Weights, DenseNet, 32, (6, 12, 24, 16), 64, rename=_without_inner_dots)
densenet161 = builder("densenet161", DenseNet161_Weights, DenseNet, 48, (6, 12, 36, 24), 96, rename=_without_inner_dots)
densenet169 = builder("densenet169", DenseNet169_Weights, DenseNet, 32, (6, 12, 32, 32), 64, rename=_without_inner_dots)
densenet201 = builder("densenet201", DenseNet201_Weights, DenseNet, 32, (6, 12, 48, 32), 64, rename=_without_inner_dots)
