"""ResNet, ResNeXt and wide ResNet: He et al., arXiv:1512.03385; Xie et al., 1611.05431; Zagoruyko, 1605.07146.

The stride of a bottleneck is in its 3×3 convolution.
"""

from __future__ import annotations

from collections.abc import Sequence

from lazygrad import nn
from lazygrad.tensor import Tensor
from lazygrad.vision.models._api import WeightsEnum, builder, imagenet
from lazygrad.vision.models._utils import initialize, kaiming_fan_out
from lazygrad.vision.ops.misc import Layer

__all__ = """
ResNet ResNet18_Weights ResNet34_Weights ResNet50_Weights ResNet101_Weights ResNet152_Weights
ResNeXt50_32X4D_Weights ResNeXt101_32X8D_Weights ResNeXt101_64X4D_Weights Wide_ResNet50_2_Weights
Wide_ResNet101_2_Weights resnet18 resnet34 resnet50 resnet101 resnet152 resnext50_32x4d
resnext101_32x8d resnext101_64x4d wide_resnet50_2 wide_resnet101_2
""".split()


def conv3x3(in_planes: int, out_planes: int, stride: int = 1, groups: int = 1, dilation: int = 1) -> nn.Conv2d:
    """A 3×3 convolution that keeps the size where its stride is one."""
    return nn.Conv2d(
        in_planes, out_planes, 3, stride=stride, padding=dilation, groups=groups, bias=False, dilation=dilation
    )


def conv1x1(in_planes: int, out_planes: int, stride: int = 1) -> nn.Conv2d:
    return nn.Conv2d(in_planes, out_planes, kernel_size=1, stride=stride, bias=False)


class BasicBlock(nn.Module):
    """Two 3×3 convolutions beside a shortcut.

    Raises:
        ValueError: groups, or another width.
        NotImplementedError: a dilation.
    """

    expansion: int = 1

    def __init__(
        self,
        inplanes: int,
        planes: int,
        stride: int = 1,
        downsample: nn.Module | None = None,
        groups: int = 1,
        base_width: int = 64,
        dilation: int = 1,
        norm_layer: Layer | None = None,
    ) -> None:
        super().__init__()
        norm_layer = norm_layer or nn.BatchNorm2d
        if groups != 1 or base_width != 64:
            raise ValueError("BasicBlock only supports groups=1 and base_width=64")
        if dilation > 1:
            raise NotImplementedError("Dilation > 1 not supported in BasicBlock")
        self.conv1 = conv3x3(inplanes, planes, stride)
        self.bn1 = norm_layer(planes)
        self.relu = nn.ReLU(inplace=True)
        self.conv2 = conv3x3(planes, planes)
        self.bn2 = norm_layer(planes)
        self.downsample = downsample
        self.stride = stride

    def forward(self, x: Tensor) -> Tensor:
        out = self.relu(self.bn1(self.conv1(x)))
        out = self.bn2(self.conv2(out))
        result: Tensor = self.relu(out + (x if self.downsample is None else self.downsample(x)))
        return result


class Bottleneck(nn.Module):
    """A 3×3 convolution of few channels between two 1×1 ones, beside a shortcut."""

    expansion: int = 4

    def __init__(
        self,
        inplanes: int,
        planes: int,
        stride: int = 1,
        downsample: nn.Module | None = None,
        groups: int = 1,
        base_width: int = 64,
        dilation: int = 1,
        norm_layer: Layer | None = None,
    ) -> None:
        super().__init__()
        norm_layer = norm_layer or nn.BatchNorm2d
        width = int(planes * (base_width / 64.0)) * groups
        self.conv1 = conv1x1(inplanes, width)
        self.bn1 = norm_layer(width)
        self.conv2 = conv3x3(width, width, stride, groups, dilation)
        self.bn2 = norm_layer(width)
        self.conv3 = conv1x1(width, planes * self.expansion)
        self.bn3 = norm_layer(planes * self.expansion)
        self.relu = nn.ReLU(inplace=True)
        self.downsample = downsample
        self.stride = stride

    def forward(self, x: Tensor) -> Tensor:
        out = self.relu(self.bn1(self.conv1(x)))
        out = self.relu(self.bn2(self.conv2(out)))
        out = self.bn3(self.conv3(out))
        result: Tensor = self.relu(out + (x if self.downsample is None else self.downsample(x)))
        return result


class ResNet(nn.Module):
    """Images [batch, 3, height, width] to [batch, num_classes].

    Args:
        block: `BasicBlock` or `Bottleneck`.
        layers: how many blocks each of the four stages has.
        num_classes: size of the result.
        zero_init_residual: blocks begin as their shortcuts.
        groups, width_per_group: of the 3×3 convolutions of bottlenecks.
        replace_stride_with_dilation: of the second, third and fourth stage.
        norm_layer: called with the channels; a batch norm by default.

    Raises:
        ValueError: ``replace_stride_with_dilation`` is not for three stages.
    """

    def __init__(
        self,
        block: type[BasicBlock | Bottleneck],
        layers: Sequence[int],
        num_classes: int = 1000,
        zero_init_residual: bool = False,
        groups: int = 1,
        width_per_group: int = 64,
        replace_stride_with_dilation: Sequence[bool] | None = None,
        norm_layer: Layer | None = None,
    ) -> None:
        super().__init__()
        dilated = [False] * 3 if replace_stride_with_dilation is None else replace_stride_with_dilation
        if len(dilated) != 3:
            raise ValueError(f"replace_stride_with_dilation should be None or a 3-element tuple, got {dilated}")
        self._norm_layer = norm_layer or nn.BatchNorm2d
        self.inplanes = 64
        self.dilation = 1
        self.groups = groups
        self.base_width = width_per_group
        self.conv1 = nn.Conv2d(3, self.inplanes, kernel_size=7, stride=2, padding=3, bias=False)
        self.bn1 = self._norm_layer(self.inplanes)
        self.relu = nn.ReLU(inplace=True)
        self.maxpool = nn.MaxPool2d(kernel_size=3, stride=2, padding=1)
        self.layer1 = self._make_layer(block, 64, layers[0])
        self.layer2 = self._make_layer(block, 128, layers[1], stride=2, dilate=dilated[0])
        self.layer3 = self._make_layer(block, 256, layers[2], stride=2, dilate=dilated[1])
        self.layer4 = self._make_layer(block, 512, layers[3], stride=2, dilate=dilated[2])
        self.avgpool = nn.AdaptiveAvgPool2d((1, 1))
        self.fc = nn.Linear(512 * block.expansion, num_classes)
        initialize(self, kaiming_fan_out)
        if zero_init_residual:
            self._zero_last_scales()

    def _zero_last_scales(self) -> None:
        for module in self.modules():
            last = getattr(module, "bn3" if isinstance(module, Bottleneck) else "bn2", None)
            if isinstance(module, (BasicBlock, Bottleneck)) and last is not None and last.weight is not None:
                nn.init.zeros_(last.weight)

    def _make_layer(
        self, block: type[BasicBlock | Bottleneck], planes: int, blocks: int, stride: int = 1, dilate: bool = False
    ) -> nn.Sequential:
        """A stage; its first block has the stride and, if the shapes differ, a convolution as its shortcut."""
        first_dilation, downsample, outplanes = self.dilation, None, planes * block.expansion
        if dilate:
            self.dilation *= stride
            stride = 1
        if stride != 1 or self.inplanes != outplanes:
            downsample = nn.Sequential(conv1x1(self.inplanes, outplanes, stride), self._norm_layer(outplanes))
        shared = (self.groups, self.base_width)
        made = [block(self.inplanes, planes, stride, downsample, *shared, first_dilation, self._norm_layer)]
        self.inplanes = outplanes
        for _ in range(1, blocks):
            made.append(block(outplanes, planes, 1, None, *shared, self.dilation, self._norm_layer))
        return nn.Sequential(*made)

    def _forward_impl(self, x: Tensor) -> Tensor:
        x = self.maxpool(self.relu(self.bn1(self.conv1(x))))
        x = self.layer4(self.layer3(self.layer2(self.layer1(x))))
        logits: Tensor = self.fc(self.avgpool(x).flatten(1))
        return logits

    def forward(self, x: Tensor) -> Tensor:
        return self._forward_impl(x)


class ResNet18_Weights(WeightsEnum):
    IMAGENET1K_V1 = imagenet("resnet18-f37072fd.pth", 11_689_512)
    DEFAULT = IMAGENET1K_V1


class ResNet34_Weights(WeightsEnum):
    IMAGENET1K_V1 = imagenet("resnet34-b627a593.pth", 21_797_672)
    DEFAULT = IMAGENET1K_V1


class ResNet50_Weights(WeightsEnum):
    IMAGENET1K_V1 = imagenet("resnet50-0676ba61.pth", 25_557_032)
    IMAGENET1K_V2 = imagenet("resnet50-11ad3fa6.pth", 25_557_032, resize_size=232)
    DEFAULT = IMAGENET1K_V2


class ResNet101_Weights(WeightsEnum):
    IMAGENET1K_V1 = imagenet("resnet101-63fe2227.pth", 44_549_160)
    IMAGENET1K_V2 = imagenet("resnet101-cd907fc2.pth", 44_549_160, resize_size=232)
    DEFAULT = IMAGENET1K_V2


class ResNet152_Weights(WeightsEnum):
    IMAGENET1K_V1 = imagenet("resnet152-394f9c45.pth", 60_192_808)
    IMAGENET1K_V2 = imagenet("resnet152-f82ba261.pth", 60_192_808, resize_size=232)
    DEFAULT = IMAGENET1K_V2


class ResNeXt50_32X4D_Weights(WeightsEnum):
    IMAGENET1K_V1 = imagenet("resnext50_32x4d-7cdf4587.pth", 25_028_904)
    IMAGENET1K_V2 = imagenet("resnext50_32x4d-1a0047aa.pth", 25_028_904, resize_size=232)
    DEFAULT = IMAGENET1K_V2


class ResNeXt101_32X8D_Weights(WeightsEnum):
    IMAGENET1K_V1 = imagenet("resnext101_32x8d-8ba56ff5.pth", 88_791_336)
    IMAGENET1K_V2 = imagenet("resnext101_32x8d-110c445d.pth", 88_791_336, resize_size=232)
    DEFAULT = IMAGENET1K_V2


class ResNeXt101_64X4D_Weights(WeightsEnum):
    IMAGENET1K_V1 = imagenet("resnext101_64x4d-173b62eb.pth", 83_455_272, resize_size=232)
    DEFAULT = IMAGENET1K_V1


class Wide_ResNet50_2_Weights(WeightsEnum):
    IMAGENET1K_V1 = imagenet("wide_resnet50_2-95faca4d.pth", 68_883_240)
    IMAGENET1K_V2 = imagenet("wide_resnet50_2-9ba9bcbe.pth", 68_883_240, resize_size=232)
    DEFAULT = IMAGENET1K_V2


class Wide_ResNet101_2_Weights(WeightsEnum):
    IMAGENET1K_V1 = imagenet("wide_resnet101_2-32ee1156.pth", 126_886_696)
    IMAGENET1K_V2 = imagenet("wide_resnet101_2-d733dc28.pth", 126_886_696, resize_size=232)
    DEFAULT = IMAGENET1K_V2


resnet18 = builder("resnet18", ResNet18_Weights, ResNet, BasicBlock, [2, 2, 2, 2])
resnet34 = builder("resnet34", ResNet34_Weights, ResNet, BasicBlock, [3, 4, 6, 3])
resnet50 = builder("resnet50", ResNet50_Weights, ResNet, Bottleneck, [3, 4, 6, 3])
resnet101 = builder("resnet101", ResNet101_Weights, ResNet, Bottleneck, [3, 4, 23, 3])
resnet152 = builder("resnet152", ResNet152_Weights, ResNet, Bottleneck, [3, 8, 36, 3])
resnext50_32x4d = builder(
    "resnext50_32x4d", ResNeXt50_32X4D_Weights, ResNet, Bottleneck, [3, 4, 6, 3], groups=32, width_per_group=4
)
resnext101_32x8d = builder(
    "resnext101_32x8d", ResNeXt101_32X8D_Weights, ResNet, Bottleneck, [3, 4, 23, 3], groups=32, width_per_group=8
)
resnext101_64x4d = builder(
    "resnext101_64x4d", ResNeXt101_64X4D_Weights, ResNet, Bottleneck, [3, 4, 23, 3], groups=64, width_per_group=4
)
wide_resnet50_2 = builder(
    "wide_resnet50_2", Wide_ResNet50_2_Weights, ResNet, Bottleneck, [3, 4, 6, 3], width_per_group=128
)
wide_resnet101_2 = builder(
    "wide_resnet101_2", Wide_ResNet101_2_Weights, ResNet, Bottleneck, [3, 4, 23, 3], width_per_group=128
)
