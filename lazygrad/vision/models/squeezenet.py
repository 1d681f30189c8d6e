"""SqueezeNet: Iandola et al., arXiv:1602.07360."""

from __future__ import annotations

from lazygrad import nn
from lazygrad.ops.public import cat
from lazygrad.tensor import Tensor
from lazygrad.vision.models._api import WeightsEnum, builder, imagenet

__all__ = ["SqueezeNet", "SqueezeNet1_0_Weights", "SqueezeNet1_1_Weights", "squeezenet1_0", "squeezenet1_1"]

# Channels of the squeezing convolution and of each of the two expanding ones; None for a pooling.
_FIRES: dict[str, list[tuple[int, int] | None]] = {
    "1_0": [(16, 64), (16, 64), (32, 128), None, (32, 128), (48, 192), (48, 192), (64, 256), None, (64, 256)],
    "1_1": [(16, 64), (16, 64), None, (32, 128), (32, 128), None, (48, 192), (48, 192), (64, 256), (64, 256)],
}
_STEMS = {"1_0": (96, 7), "1_1": (64, 3)}


class Fire(nn.Module):
    """A 1×1 convolution to few channels, then 1×1 and 3×3 ones side by side."""

    def __init__(self, inplanes: int, squeeze_planes: int, expand1x1_planes: int, expand3x3_planes: int) -> None:
        super().__init__()
        self.inplanes = inplanes
        self.squeeze = nn.Conv2d(inplanes, squeeze_planes, kernel_size=1)
        self.squeeze_activation = nn.ReLU(inplace=True)
        self.expand1x1 = nn.Conv2d(squeeze_planes, expand1x1_planes, kernel_size=1)
        self.expand1x1_activation = nn.ReLU(inplace=True)
        self.expand3x3 = nn.Conv2d(squeeze_planes, expand3x3_planes, kernel_size=3, padding=1)
        self.expand3x3_activation = nn.ReLU(inplace=True)

    def forward(self, x: Tensor) -> Tensor:
        few = self.squeeze_activation(self.squeeze(x))
        narrow = self.expand1x1_activation(self.expand1x1(few))
        wide = self.expand3x3_activation(self.expand3x3(few))
        return cat([narrow, wide], 1)


class SqueezeNet(nn.Module):
    """Images [batch, 3, height, width] of 21 pixels or more (17 of version 1.1) to [batch, num_classes].

    Args:
        version: "1_0", that of the paper, or "1_1", which needs less than half the computation.
        num_classes: size of the result.
        dropout: its probability before the last convolution.

    Raises:
        ValueError: another version.
    """

    def __init__(self, version: str = "1_0", num_classes: int = 1000, dropout: float = 0.5) -> None:
        super().__init__()
        if version not in _FIRES:
            raise ValueError(f"Unsupported SqueezeNet version {version}: 1_0 or 1_1 expected")
        self.num_classes = num_classes
        channels, kernel_size = _STEMS[version]
        layers: list[nn.Module] = [nn.Conv2d(3, channels, kernel_size, stride=2), nn.ReLU(inplace=True), _pooling()]
        for fire in _FIRES[version]:
            if fire is None:
                layers.append(_pooling())
                continue
            squeezed, expanded = fire
            layers.append(Fire(channels, squeezed, expanded, expanded))
            channels = 2 * expanded
        self.features = nn.Sequential(*layers)
        last = nn.Conv2d(channels, num_classes, kernel_size=1)
        self.classifier = nn.Sequential(
            nn.Dropout(p=dropout), last, nn.ReLU(inplace=True), nn.AdaptiveAvgPool2d((1, 1))
        )
        for module in self.modules():
            if isinstance(module, nn.Conv2d):
                if module is last:
                    nn.init.normal_(module.weight, mean=0.0, std=0.01)
                else:
                    nn.init.kaiming_uniform_(module.weight)
                nn.init.zeros_(module.bias)

    def forward(self, x: Tensor) -> Tensor:
        logits: Tensor = self.classifier(self.features(x))
        return logits.flatten(1)


def _pooling() -> nn.MaxPool2d:
    return nn.MaxPool2d(kernel_size=3, stride=2, ceil_mode=True)


class SqueezeNet1_0_Weights(WeightsEnum):
    IMAGENET1K_V1 = imagenet("squeezenet1_0-b66bff10.pth", 1_248_424, min_size=21)
    DEFAULT = IMAGENET1K_V1


class SqueezeNet1_1_Weights(WeightsEnum):
    IMAGENET1K_V1 = imagenet("squeezenet1_1-b8a52dc0.pth", 1_235_496, min_size=17)
    DEFAULT = IMAGENET1K_V1


squeezenet1_0 = builder("squeezenet1_0", SqueezeNet1_0_Weights, SqueezeNet, "1_0")
squeezenet1_1 = builder("squeezenet1_1", SqueezeNet1_1_Weights, SqueezeNet, "1_1")
