"""MobileNetV3-Large: squeeze-and-excitation and hard swish in inverted residuals. Howard et al., arXiv:1905.02244."""

import torch.nn as nn

# kernel, expanded channels, output channels, squeeze-and-excitation, hard swish, stride
FULL = [
    (3, 16, 16, False, False, 1),
    (3, 64, 24, False, False, 2),
    (3, 72, 24, False, False, 1),
    (5, 72, 40, True, False, 2),
    (5, 120, 40, True, False, 1),
    (5, 120, 40, True, False, 1),
    (3, 240, 80, False, True, 2),
    (3, 200, 80, False, True, 1),
    (3, 184, 80, False, True, 1),
    (3, 184, 80, False, True, 1),
    (3, 480, 112, True, True, 1),
    (3, 672, 112, True, True, 1),
    (5, 672, 160, True, True, 2),
    (5, 960, 160, True, True, 1),
    (5, 960, 160, True, True, 1),
]
TINY = [(3, 8, 8, False, False, 1), (3, 24, 12, False, False, 2), (5, 24, 12, True, True, 1)]


def make_divisible(v, divisor=8):
    new_v = max(divisor, int(v + divisor / 2) // divisor * divisor)
    return new_v + divisor if new_v < 0.9 * v else new_v


def conv_bn(inp, oup, kernel, stride=1, groups=1, activation=None):
    layers = [
        nn.Conv2d(inp, oup, kernel, stride, (kernel - 1) // 2, groups=groups, bias=False),
        nn.BatchNorm2d(oup, eps=0.001, momentum=0.01),
    ]
    return nn.Sequential(*layers, *([] if activation is None else [activation(inplace=True)]))


class SqueezeExcitation(nn.Module):
    def __init__(self, channels):
        super().__init__()
        squeezed = make_divisible(channels // 4)
        self.avgpool = nn.AdaptiveAvgPool2d(1)
        self.fc1 = nn.Conv2d(channels, squeezed, 1)
        self.fc2 = nn.Conv2d(squeezed, channels, 1)
        self.activation = nn.ReLU()
        self.scale_activation = nn.Hardsigmoid()

    def forward(self, x):
        scale = self.scale_activation(self.fc2(self.activation(self.fc1(self.avgpool(x)))))
        return scale * x


class InvertedResidual(nn.Module):
    def __init__(self, inp, kernel, expanded, oup, use_se, use_hs, stride):
        super().__init__()
        self.use_res_connect = stride == 1 and inp == oup
        activation = nn.Hardswish if use_hs else nn.ReLU
        layers = [conv_bn(inp, expanded, 1, activation=activation)] if expanded != inp else []
        layers.append(conv_bn(expanded, expanded, kernel, stride, groups=expanded, activation=activation))
        if use_se:
            layers.append(SqueezeExcitation(expanded))
        layers.append(conv_bn(expanded, oup, 1))
        self.block = nn.Sequential(*layers)

    def forward(self, x):
        result = self.block(x)
        if self.use_res_connect:
            result += x
        return result


class MobileNetV3(nn.Module):
    def __init__(self, settings, first, last, hidden, num_classes):
        super().__init__()
        layers = [conv_bn(3, first, 3, stride=2, activation=nn.Hardswish)]
        for kernel, expanded, oup, use_se, use_hs, stride in settings:
            layers.append(InvertedResidual(first, kernel, expanded, oup, use_se, use_hs, stride))
            first = oup
        layers.append(conv_bn(first, last, 1, activation=nn.Hardswish))
        self.features = nn.Sequential(*layers)
        self.avgpool = nn.AdaptiveAvgPool2d(1)
        self.classifier = nn.Sequential(
            nn.Linear(last, hidden),
            nn.Hardswish(inplace=True),
            nn.Dropout(p=0.2, inplace=True),
            nn.Linear(hidden, num_classes),
        )
        for m in self.modules():
            if isinstance(m, nn.Conv2d):
                nn.init.kaiming_normal_(m.weight, mode="fan_out")
                if m.bias is not None:
                    nn.init.zeros_(m.bias)
            elif isinstance(m, nn.Linear):
                nn.init.normal_(m.weight, 0, 0.01)
                nn.init.zeros_(m.bias)

    def forward(self, x):
        return self.classifier(self.avgpool(self.features(x)).flatten(1))


def mobilenet_v3(tiny=False):
    return MobileNetV3(TINY, 8, 32, 24, 10) if tiny else MobileNetV3(FULL, 16, 960, 1280, 1000)
