"""ShuffleNetV2 ×1: halves of the channels take turns. Ma et al., arXiv:1807.11164."""

import torch
import torch.nn as nn


def channel_shuffle(x, groups):
    batch, channels, height, width = x.size()
    x = x.view(batch, groups, channels // groups, height, width)
    x = torch.transpose(x, 1, 2).contiguous()
    return x.view(batch, channels, height, width)


def depthwise(channels, stride):
    return nn.Conv2d(channels, channels, 3, stride, 1, groups=channels, bias=False)


class InvertedResidual(nn.Module):
    def __init__(self, inp, oup, stride):
        super().__init__()
        self.stride = stride
        features = oup // 2
        if stride > 1:
            self.branch1 = nn.Sequential(
                depthwise(inp, stride),
                nn.BatchNorm2d(inp),
                nn.Conv2d(inp, features, 1, bias=False),
                nn.BatchNorm2d(features),
                nn.ReLU(inplace=True),
            )
        self.branch2 = nn.Sequential(
            nn.Conv2d(inp if stride > 1 else features, features, 1, bias=False),
            nn.BatchNorm2d(features),
            nn.ReLU(inplace=True),
            depthwise(features, stride),
            nn.BatchNorm2d(features),
            nn.Conv2d(features, features, 1, bias=False),
            nn.BatchNorm2d(features),
            nn.ReLU(inplace=True),
        )

    def forward(self, x):
        if self.stride == 1:
            x1, x2 = x.chunk(2, dim=1)
            out = torch.cat((x1, self.branch2(x2)), dim=1)
        else:
            out = torch.cat((self.branch1(x), self.branch2(x)), dim=1)
        return channel_shuffle(out, 2)


class ShuffleNetV2(nn.Module):
    def __init__(self, repeats, channels, num_classes):
        super().__init__()
        first, *stages, last = channels
        self.conv1 = nn.Sequential(nn.Conv2d(3, first, 3, 2, 1, bias=False), nn.BatchNorm2d(first), nn.ReLU(True))
        self.maxpool = nn.MaxPool2d(3, 2, 1)
        layers = []
        for count, oup in zip(repeats, stages):
            layers.append(InvertedResidual(first, oup, 2))
            layers += [InvertedResidual(oup, oup, 1) for _ in range(count - 1)]
            first = oup
        self.stages = nn.Sequential(*layers)
        self.conv5 = nn.Sequential(nn.Conv2d(first, last, 1, bias=False), nn.BatchNorm2d(last), nn.ReLU(inplace=True))
        self.fc = nn.Linear(last, num_classes)

    def forward(self, x):
        x = self.conv5(self.stages(self.maxpool(self.conv1(x))))
        return self.fc(x.mean([2, 3]))


def shufflenet_v2(tiny=False):
    if tiny:
        return ShuffleNetV2([2], [8, 16, 24], 10)
    return ShuffleNetV2([4, 8, 4], [24, 116, 232, 464, 1024], 1000)
