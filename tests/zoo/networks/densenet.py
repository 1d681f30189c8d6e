"""DenseNet-121: every layer reads all before it. Huang et al., arXiv:1608.06993."""

import torch
import torch.nn as nn
import torch.nn.functional as F


class DenseLayer(nn.Module):
    def __init__(self, inputs, growth, bn_size):
        super().__init__()
        self.norm1 = nn.BatchNorm2d(inputs)
        self.relu1 = nn.ReLU(inplace=True)
        self.conv1 = nn.Conv2d(inputs, bn_size * growth, 1, bias=False)
        self.norm2 = nn.BatchNorm2d(bn_size * growth)
        self.relu2 = nn.ReLU(inplace=True)
        self.conv2 = nn.Conv2d(bn_size * growth, growth, 3, padding=1, bias=False)

    def forward(self, features):
        x = torch.cat(features, 1)
        x = self.conv1(self.relu1(self.norm1(x)))
        return self.conv2(self.relu2(self.norm2(x)))


class DenseBlock(nn.Module):
    def __init__(self, layers, inputs, growth, bn_size):
        super().__init__()
        self.layers = nn.ModuleList([DenseLayer(inputs + i * growth, growth, bn_size) for i in range(layers)])

    def forward(self, x):
        features = [x]
        for layer in self.layers:
            features.append(layer(features))
        return torch.cat(features, 1)


class DenseNet(nn.Module):
    def __init__(self, growth, blocks, first, bn_size=4, num_classes=1000):
        super().__init__()
        layers = [
            nn.Conv2d(3, first, 7, stride=2, padding=3, bias=False),
            nn.BatchNorm2d(first),
            nn.ReLU(inplace=True),
            nn.MaxPool2d(3, stride=2, padding=1),
        ]
        channels = first
        for i, count in enumerate(blocks):
            layers.append(DenseBlock(count, channels, growth, bn_size))
            channels += count * growth
            if i != len(blocks) - 1:
                layers += [
                    nn.BatchNorm2d(channels),
                    nn.ReLU(inplace=True),
                    nn.Conv2d(channels, channels // 2, 1, bias=False),
                    nn.AvgPool2d(2, stride=2),
                ]
                channels //= 2
        layers.append(nn.BatchNorm2d(channels))
        self.features = nn.Sequential(*layers)
        self.classifier = nn.Linear(channels, num_classes)
        for m in self.modules():
            if isinstance(m, nn.Conv2d):
                nn.init.kaiming_normal_(m.weight)

    def forward(self, x):
        out = F.relu(self.features(x), inplace=True)
        return self.classifier(torch.flatten(F.adaptive_avg_pool2d(out, (1, 1)), 1))


def densenet121(tiny=False):
    return DenseNet(4, (2, 2), 8, num_classes=10) if tiny else DenseNet(32, (6, 12, 24, 16), 64)
