"""MobileNetV2: inverted residuals around depthwise convolutions. Sandler et al., arXiv:1801.04381."""

import torch.nn as nn

FULL = [(1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1)]
TINY = [(1, 8, 1, 1), (6, 12, 2, 2), (6, 16, 1, 2)]


def conv_bn_relu(inp, oup, kernel=3, stride=1, groups=1):
    return nn.Sequential(
        nn.Conv2d(inp, oup, kernel, stride, (kernel - 1) // 2, groups=groups, bias=False),
        nn.BatchNorm2d(oup),
        nn.ReLU6(inplace=True),
    )


class InvertedResidual(nn.Module):
    def __init__(self, inp, oup, stride, expand_ratio):
        super().__init__()
        hidden = round(inp * expand_ratio)
        self.use_res_connect = stride == 1 and inp == oup
        layers = [conv_bn_relu(inp, hidden, 1)] if expand_ratio != 1 else []
        layers += [
            conv_bn_relu(hidden, hidden, stride=stride, groups=hidden),
            nn.Conv2d(hidden, oup, 1, bias=False),
            nn.BatchNorm2d(oup),
        ]
        self.conv = nn.Sequential(*layers)

    def forward(self, x):
        return x + self.conv(x) if self.use_res_connect else self.conv(x)


class MobileNetV2(nn.Module):
    def __init__(self, settings, first, last, num_classes):
        super().__init__()
        features = [conv_bn_relu(3, first, stride=2)]
        for expand_ratio, channels, repeats, stride in settings:
            for i in range(repeats):
                features.append(InvertedResidual(first, channels, stride if i == 0 else 1, expand_ratio))
                first = channels
        features.append(conv_bn_relu(first, last, 1))
        self.features = nn.Sequential(*features)
        self.classifier = nn.Sequential(nn.Dropout(0.2), nn.Linear(last, num_classes))
        for m in self.modules():
            if isinstance(m, nn.Conv2d):
                nn.init.kaiming_normal_(m.weight, mode="fan_out")
            elif isinstance(m, nn.Linear):
                nn.init.normal_(m.weight, 0, 0.01)
                nn.init.zeros_(m.bias)

    def forward(self, x):
        return self.classifier(self.features(x).mean([2, 3]))


def mobilenet_v2(tiny=False):
    return MobileNetV2(TINY, 8, 32, 10) if tiny else MobileNetV2(FULL, 32, 1280, 1000)
