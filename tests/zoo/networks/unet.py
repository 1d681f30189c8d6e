"""U-Net with transposed convolutions. Ronneberger et al., arXiv:1505.04597, with padding and batch norms."""

import torch
import torch.nn as nn
import torch.nn.functional as F


class DoubleConv(nn.Sequential):
    def __init__(self, inp, oup):
        super().__init__(
            nn.Conv2d(inp, oup, 3, padding=1, bias=False),
            nn.BatchNorm2d(oup),
            nn.ReLU(inplace=True),
            nn.Conv2d(oup, oup, 3, padding=1, bias=False),
            nn.BatchNorm2d(oup),
            nn.ReLU(inplace=True),
        )


class UpConv(nn.Module):
    """Doubles height and width."""

    def __init__(self, inp, oup):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(inp, oup, 2, 2))
        self.bias = nn.Parameter(torch.zeros(oup))
        nn.init.kaiming_uniform_(self.weight, a=5**0.5)

    def forward(self, x):
        return F.conv_transpose2d(x, self.weight, self.bias, stride=2)


class UNet(nn.Module):
    def __init__(self, widths, classes):
        super().__init__()
        self.downs = nn.ModuleList([DoubleConv(i, o) for i, o in zip([3, *widths], widths)])
        self.ups = nn.ModuleList([UpConv(i, o) for i, o in zip(widths[:0:-1], widths[-2::-1])])
        self.joins = nn.ModuleList([DoubleConv(2 * o, o) for o in widths[-2::-1]])
        self.out = nn.Conv2d(widths[0], classes, 1)

    def forward(self, x):
        skips = []
        for i, down in enumerate(self.downs):
            x = down(x if i == 0 else F.max_pool2d(x, 2))
            skips.append(x)
        for up, join, skip in zip(self.ups, self.joins, skips[-2::-1]):
            x = join(torch.cat([skip, up(x)], dim=1))
        return self.out(x)


def unet(tiny=False):
    return UNet([4, 8, 12], 3) if tiny else UNet([64, 128, 256, 512, 1024], 21)
