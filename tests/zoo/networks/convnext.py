"""ConvNeXt-T: 7×7 depthwise convolutions with layer norms. Liu et al., arXiv:2201.03545."""

import torch
import torch.nn as nn
import torch.nn.functional as F


class LayerNorm2d(nn.LayerNorm):
    def forward(self, x):
        x = F.layer_norm(x.permute(0, 2, 3, 1), self.normalized_shape, self.weight, self.bias, self.eps)
        return x.permute(0, 3, 1, 2)


class Block(nn.Module):
    def __init__(self, dim, drop_path):
        super().__init__()
        self.dwconv = nn.Conv2d(dim, dim, 7, padding=3, groups=dim)
        self.norm = nn.LayerNorm(dim, eps=1e-6)
        self.pwconv1 = nn.Linear(dim, 4 * dim)
        self.act = nn.GELU()
        self.pwconv2 = nn.Linear(4 * dim, dim)
        self.gamma = nn.Parameter(1e-6 * torch.ones(dim))
        self.drop_path = drop_path

    def forward(self, x):
        input = x
        x = self.dwconv(x).permute(0, 2, 3, 1)
        x = self.pwconv2(self.act(self.pwconv1(self.norm(x))))
        x = (self.gamma * x).permute(0, 3, 1, 2)
        if self.training and self.drop_path > 0:
            keep = 1 - self.drop_path
            x = x * torch.empty(x.shape[0], 1, 1, 1).bernoulli_(keep).div_(keep)
        return input + x


class ConvNeXt(nn.Module):
    def __init__(self, depths, dims, num_classes, drop_path=0.1):
        super().__init__()
        rates = torch.linspace(0, drop_path, sum(depths)).tolist()
        layers = [nn.Conv2d(3, dims[0], 4, stride=4), LayerNorm2d(dims[0], eps=1e-6)]
        for i, (depth, dim) in enumerate(zip(depths, dims)):
            if i > 0:
                layers += [LayerNorm2d(dims[i - 1], eps=1e-6), nn.Conv2d(dims[i - 1], dim, 2, stride=2)]
            layers += [Block(dim, rates[sum(depths[:i]) + j]) for j in range(depth)]
        self.features = nn.Sequential(*layers)
        self.norm = nn.LayerNorm(dims[-1], eps=1e-6)
        self.head = nn.Linear(dims[-1], num_classes)
        for m in self.modules():
            if isinstance(m, (nn.Conv2d, nn.Linear)):
                nn.init.trunc_normal_(m.weight, std=0.02)
                nn.init.zeros_(m.bias)

    def forward(self, x):
        return self.head(self.norm(self.features(x).mean([-2, -1])))


def convnext_t(tiny=False):
    return ConvNeXt([1, 2], [8, 12], 10) if tiny else ConvNeXt([3, 3, 9, 3], [96, 192, 384, 768], 1000)
