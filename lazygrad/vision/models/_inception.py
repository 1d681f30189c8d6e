"""What GoogLeNet and Inception v3 share."""

from __future__ import annotations

from typing import Any

from lazygrad import nn
from lazygrad.ir.user_warning import warn_user
from lazygrad.nn import functional as F
from lazygrad.ops.public import tensor
from lazygrad.tensor import Tensor


class BasicConv2d(nn.Module):
    """A convolution, a batch norm and ReLU."""

    def __init__(self, in_channels: int, out_channels: int, **kwargs: Any) -> None:
        super().__init__()
        self.conv = nn.Conv2d(in_channels, out_channels, bias=False, **kwargs)
        self.bn = nn.BatchNorm2d(out_channels, eps=0.001)

    def forward(self, x: Tensor) -> Tensor:
        return F.relu(self.bn(self.conv(x)), inplace=True)


def normalized_by_half(x: Tensor) -> Tensor:
    """Images normalized by ImageNet's statistics, as if by a mean and a standard deviation of one half."""
    std = tensor([0.229, 0.224, 0.225], dtype=x.dtype, device=x.device).view(3, 1, 1)
    mean = tensor([0.485, 0.456, 0.406], dtype=x.dtype, device=x.device).view(3, 1, 1)
    return x[:, :3] * (std / 0.5) + (mean - 0.5) / 0.5


def draw_truncated(model: nn.Module, deviation: float) -> None:
    """Weights of a normal distribution cut at -2 and 2; a layer may have its own ``stddev``."""
    for module in model.modules():
        if isinstance(module, (nn.Conv2d, nn.Linear)):
            nn.init.trunc_normal_(module.weight, mean=0.0, std=float(getattr(module, "stddev", deviation)), a=-2, b=2)


def warn_of_slow_draws(name: str) -> None:
    """torchvision's warning, which programs filter by its class."""
    warn_user(
        f"The default weight initialization of {name} will be changed in future releases of torchvision. If you wish "
        "to keep the old behavior, please set init_weights=True.",
        FutureWarning,
    )
