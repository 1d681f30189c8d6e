"""EfficientNet-B0: SiLU, squeeze-and-excitation, blocks that are dropped. Tan & Le, arXiv:1905.11946."""

import torch
import torch.nn as nn

# expansion, kernel, stride, output channels, blocks
FULL = [(1, 3, 1, 16, 1), (6, 3, 2, 24, 2), (6, 5, 2, 40, 2), (6, 3, 2, 80, 3), (6, 5, 1, 112, 3), (6, 5, 2, 192, 4),
        (6, 3, 1, 320, 1)]  # fmt: skip
TINY = [(1, 3, 1, 8, 1), (4, 5, 2, 12, 2)]


def stochastic_depth(x, p, training):
    """Drops whole images of a residual branch."""
    if not training or p == 0:
        return x
    noise = torch.empty(x.size(0), 1, 1, 1, dtype=x.dtype).bernoulli_(1 - p).div_(1 - p)
    return x * noise


def conv_bn_silu(inp, oup, kernel, stride=1, groups=1):
    return nn.Sequential(
        nn.Conv2d(inp, oup, kernel, stride, (kernel - 1) // 2, groups=groups, bias=False),
        nn.BatchNorm2d(oup),
        nn.SiLU(inplace=True),
    )


class SqueezeExcitation(nn.Module):
    def __init__(self, channels, squeezed):
        super().__init__()
        self.avgpool = nn.AdaptiveAvgPool2d(1)
        self.fc1 = nn.Conv2d(channels, squeezed, 1)
        self.fc2 = nn.Conv2d(squeezed, channels, 1)
        self.activation = nn.SiLU(inplace=True)

    def forward(self, x):
        scale = torch.sigmoid(self.fc2(self.activation(self.fc1(self.avgpool(x)))))
        return scale * x


class MBConv(nn.Module):
    def __init__(self, inp, oup, expand, kernel, stride, drop):
        super().__init__()
        hidden = inp * expand
        self.use_res_connect = stride == 1 and inp == oup
        self.drop = drop
        layers = [conv_bn_silu(inp, hidden, 1)] if expand != 1 else []
        layers += [
            conv_bn_silu(hidden, hidden, kernel, stride, groups=hidden),
            SqueezeExcitation(hidden, max(1, inp // 4)),
            nn.Conv2d(hidden, oup, 1, bias=False),
            nn.BatchNorm2d(oup),
        ]
        self.block = nn.Sequential(*layers)

    def forward(self, x):
        result = self.block(x)
        if self.use_res_connect:
            result = stochastic_depth(result, self.drop, self.training)
            result += x
        return result


class EfficientNet(nn.Module):
    def __init__(self, settings, first, last, num_classes):
        super().__init__()
        layers = [conv_bn_silu(3, first, 3, stride=2)]
        blocks, block = sum(setting[-1] for setting in settings), 0
        for expand, kernel, stride, channels, repeats in settings:
            for i in range(repeats):
                layers.append(MBConv(first, channels, expand, kernel, stride if i == 0 else 1, 0.2 * block / blocks))
                first, block = channels, block + 1
        layers.append(conv_bn_silu(first, last, 1))
        self.features = nn.Sequential(*layers)
        self.avgpool = nn.AdaptiveAvgPool2d(1)
        self.classifier = nn.Sequential(nn.Dropout(p=0.2, inplace=True), nn.Linear(last, num_classes))
        for m in self.modules():
            if isinstance(m, nn.Conv2d):
                nn.init.kaiming_normal_(m.weight, mode="fan_out")
                if m.bias is not None:
                    nn.init.zeros_(m.bias)

    def forward(self, x):
        return self.classifier(self.avgpool(self.features(x)).flatten(1))


def efficientnet_b0(tiny=False):
    return EfficientNet(TINY, 8, 32, 10) if tiny else EfficientNet(FULL, 32, 1280, 1000)
