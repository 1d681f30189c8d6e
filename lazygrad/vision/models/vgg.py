"""VGG: columns of 3×3 convolutions. Simonyan and Zisserman, arXiv:1409.1556, table 1."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from lazygrad import nn
from lazygrad.tensor import Tensor
from lazygrad.vision.models._api import WeightsEnum, builder, imagenet
from lazygrad.vision.models._utils import initialize, kaiming_fan_out, normal_0_01

__all__ = """VGG VGG11_Weights VGG11_BN_Weights VGG13_Weights VGG13_BN_Weights VGG16_Weights VGG16_BN_Weights
VGG19_Weights VGG19_BN_Weights vgg11 vgg11_bn vgg13 vgg13_bn vgg16 vgg16_bn vgg19 vgg19_bn""".split()

# Channels of each convolution; "M" halves the image.
cfgs: dict[str, list[str | int]] = {
    letter: [
        layer
        for width, count in zip((64, 128, 256, 512, 512), counts, strict=True)
        for layer in [width] * count + ["M"]
    ]
    for letter, counts in {"A": (1, 1, 2, 2, 2), "B": (2,) * 5, "D": (2, 2, 3, 3, 3), "E": (2, 2, 4, 4, 4)}.items()
}


class VGG(nn.Module):
    """Images [batch, 3, height, width] of 32 pixels or more to [batch, num_classes].

    Args:
        features: gives 512 channels.
        num_classes: size of the result.
        init_weights: draw the weights as the paper's successors do, not as the layers do.
        dropout: its probability in the classifier.
    """

    def __init__(
        self, features: nn.Module, num_classes: int = 1000, init_weights: bool = True, dropout: float = 0.5
    ) -> None:
        super().__init__()
        self.features = features
        self.avgpool = nn.AdaptiveAvgPool2d((7, 7))
        self.classifier = nn.Sequential(
            nn.Linear(512 * 7 * 7, 4096),
            nn.ReLU(True),
            nn.Dropout(p=dropout),
            nn.Linear(4096, 4096),
            nn.ReLU(True),
            nn.Dropout(p=dropout),
            nn.Linear(4096, num_classes),
        )
        if init_weights:
            initialize(self, kaiming_fan_out, normal_0_01)

    def forward(self, x: Tensor) -> Tensor:
        pooled: Tensor = self.avgpool(self.features(x))
        logits: Tensor = self.classifier(pooled.flatten(1))
        return logits


def make_layers(cfg: Sequence[str | int], batch_norm: bool = False) -> nn.Sequential:
    """The convolutions of one of `cfgs`, each with its activation."""
    layers: list[nn.Module] = []
    channels = 3
    for step in cfg:
        if isinstance(step, str):
            layers.append(nn.MaxPool2d(kernel_size=2, stride=2))
            continue
        layers.append(nn.Conv2d(channels, step, kernel_size=3, padding=1))
        layers += [nn.BatchNorm2d(step)] if batch_norm else []
        layers.append(nn.ReLU(inplace=True))
        channels = step
    return nn.Sequential(*layers)


def _vgg(letter: str, batch_norm: bool, **options: bool) -> VGG:
    return VGG(make_layers(cfgs[letter], batch_norm), **options)


class VGG11_Weights(WeightsEnum):
    IMAGENET1K_V1 = imagenet("vgg11-8a719046.pth", 132_863_336, min_size=32)
    DEFAULT = IMAGENET1K_V1


class VGG11_BN_Weights(WeightsEnum):
    IMAGENET1K_V1 = imagenet("vgg11_bn-6002323d.pth", 132_868_840, min_size=32)
    DEFAULT = IMAGENET1K_V1


class VGG13_Weights(WeightsEnum):
    IMAGENET1K_V1 = imagenet("vgg13-19584684.pth", 133_047_848, min_size=32)
    DEFAULT = IMAGENET1K_V1


class VGG13_BN_Weights(WeightsEnum):
    IMAGENET1K_V1 = imagenet("vgg13_bn-abd245e5.pth", 133_053_736, min_size=32)
    DEFAULT = IMAGENET1K_V1


class VGG16_Weights(WeightsEnum):
    IMAGENET1K_V1 = imagenet("vgg16-397923af.pth", 138_357_544, min_size=32)
    IMAGENET1K_FEATURES = imagenet(
        "vgg16_features-amdegroot-88682ab5.pth",
        138_357_544,
        categories=None,
        min_size=32,
        mean=(0.48235, 0.45882, 0.40784),
        std=(0.00392156862745098, 0.00392156862745098, 0.00392156862745098),
    )
    DEFAULT = IMAGENET1K_V1


class VGG16_BN_Weights(WeightsEnum):
    IMAGENET1K_V1 = imagenet("vgg16_bn-6c64b313.pth", 138_365_992, min_size=32)
    DEFAULT = IMAGENET1K_V1


class VGG19_Weights(WeightsEnum):
    IMAGENET1K_V1 = imagenet("vgg19-dcbb9e9d.pth", 143_667_240, min_size=32)
    DEFAULT = IMAGENET1K_V1


class VGG19_BN_Weights(WeightsEnum):
    IMAGENET1K_V1 = imagenet("vgg19_bn-c79401a0.pth", 143_678_248, min_size=32)
    DEFAULT = IMAGENET1K_V1


def _vgg_builder(name: str, weights_class: type[WeightsEnum], letter: str) -> Callable[..., VGG]:
    """A network's function; what is loaded need not be drawn."""
    make = partial(_vgg, letter, name.endswith("_bn"))
    return builder(name, weights_class, make, demands=lambda weights: {"init_weights": False})


vgg11 = _vgg_builder("vgg11", VGG11_Weights, "A")
vgg11_bn = _vgg_builder("vgg11_bn", VGG11_BN_Weights, "A")
vgg13 = _vgg_builder("vgg13", VGG13_Weights, "B")
vgg13_bn = _vgg_builder("vgg13_bn", VGG13_BN_Weights, "B")
vgg16 = _vgg_builder("vgg16", VGG16_Weights, "D")
vgg16_bn = _vgg_builder("vgg16_bn", VGG16_BN_Weights, "D")
vgg19 = _vgg_builder("vgg19", VGG19_Weights, "E")
vgg19_bn = _vgg_builder("vgg19_bn", VGG19_BN_Weights, "E")
