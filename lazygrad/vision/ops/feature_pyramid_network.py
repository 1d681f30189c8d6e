"""Feature pyramids: Lin et al., arXiv:1612.03144."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import Any

from lazygrad import nn
from lazygrad.nn import functional as F
from lazygrad.tensor import Tensor
from lazygrad.vision.ops.misc import Conv2dNormActivation, Layer

__all__ = ["ExtraFPNBlock", "FeaturePyramidNetwork", "LastLevelMaxPool", "LastLevelP6P7"]


class ExtraFPNBlock(nn.Module):
    """Adds levels to the pyramid."""

    def forward(self, results: list[Tensor], x: list[Tensor], names: list[str]) -> tuple[list[Tensor], list[str]]:
        raise NotImplementedError


class FeaturePyramidNetwork(nn.Module):
    """Features of several sizes, each with what is known from the smaller ones.

    Args:
        in_channels_list: channels of each level, the largest level first.
        out_channels: of all results.
        extra_blocks: makes further levels.
        norm_layer: called with the channels; None for no normalization.

    Raises:
        ValueError: a level without channels.
        TypeError: ``extra_blocks`` is no `ExtraFPNBlock`.
    """

    _version = 2  # in version 1 the convolutions were not in sequences

    def __init__(
        self,
        in_channels_list: Sequence[int],
        out_channels: int,
        extra_blocks: ExtraFPNBlock | None = None,
        norm_layer: Layer | None = None,
    ) -> None:
        super().__init__()
        self.inner_blocks = nn.ModuleList()
        self.layer_blocks = nn.ModuleList()
        options: dict[str, Any] = {"norm_layer": norm_layer, "activation_layer": None}
        for channels in in_channels_list:
            if channels == 0:
                raise ValueError("in_channels=0 is currently not supported")
            inner = Conv2dNormActivation(channels, out_channels, kernel_size=1, padding=0, **options)
            self.inner_blocks.append(inner)
            self.layer_blocks.append(Conv2dNormActivation(out_channels, out_channels, kernel_size=3, **options))
        for module in self.modules():
            if isinstance(module, nn.Conv2d):
                nn.init.kaiming_uniform_(module.weight, a=1)
                if module.bias is not None:
                    nn.init.zeros_(module.bias)
        if extra_blocks is not None and not isinstance(extra_blocks, ExtraFPNBlock):
            raise TypeError(f"extra_blocks should be of type ExtraFPNBlock not {type(extra_blocks)}")
        self.extra_blocks = extra_blocks

    def _load_from_state_dict(self, state_dict: Any, prefix: str, local_metadata: Any, *rest: Any) -> None:
        if (local_metadata.get("version") or 1) < 2:
            for kind in ("inner_blocks", "layer_blocks"):
                for number in range(len(self.inner_blocks)):
                    for name in ("weight", "bias"):
                        old = f"{prefix}{kind}.{number}.{name}"
                        if old in state_dict:
                            state_dict[f"{prefix}{kind}.{number}.0.{name}"] = state_dict.pop(old)
        super()._load_from_state_dict(state_dict, prefix, local_metadata, *rest)

    def forward(self, x: Mapping[str, Tensor]) -> OrderedDict[str, Tensor]:
        """Features by name, the largest first, as features of the same sizes."""
        names, features = list(x), list(x.values())
        results: list[Tensor] = []
        above: Tensor | None = None
        for feature, inner, outer in reversed(list(zip(features, self.inner_blocks, self.layer_blocks, strict=True))):
            lateral: Tensor = inner(feature)
            if above is not None:
                lateral = lateral + F.interpolate(above, size=lateral.shape[-2:], mode="nearest")
            above = lateral
            results.insert(0, outer(lateral))
        if self.extra_blocks is not None:
            results, names = self.extra_blocks(results, features, names)
        return OrderedDict(zip(names, results, strict=True))


class LastLevelMaxPool(ExtraFPNBlock):
    """A level of half the size, of every other feature."""

    def forward(self, results: list[Tensor], x: list[Tensor], names: list[str]) -> tuple[list[Tensor], list[str]]:
        return [*results, F.max_pool2d(results[-1], kernel_size=1, stride=2, padding=0)], [*names, "pool"]


class LastLevelP6P7(ExtraFPNBlock):
    """Two further levels by convolutions: Lin et al., arXiv:1708.02002."""

    def __init__(self, in_channels: int, out_channels: int) -> None:
        super().__init__()
        self.p6 = nn.Conv2d(in_channels, out_channels, 3, 2, 1)
        self.p7 = nn.Conv2d(out_channels, out_channels, 3, 2, 1)
        for module in (self.p6, self.p7):
            nn.init.kaiming_uniform_(module.weight, a=1)
            nn.init.zeros_(module.bias)
        self.use_P5 = in_channels == out_channels

    def forward(self, results: list[Tensor], x: list[Tensor], names: list[str]) -> tuple[list[Tensor], list[str]]:
        p6 = self.p6(results[-1] if self.use_P5 else x[-1])
        return [*results, p6, self.p7(F.relu(p6))], [*names, "p6", "p7"]
