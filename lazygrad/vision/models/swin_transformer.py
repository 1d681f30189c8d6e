"""Swin transformer: Liu et al., arXiv:2103.14030, and its second version, arXiv:2111.09883."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from lazygrad import nn
from lazygrad.fx import wrap
from lazygrad.nn import functional as F
from lazygrad.ops.public import cat
from lazygrad.tensor import Tensor
from lazygrad.vision.models._api import WeightsEnum, builder, imagenet
from lazygrad.vision.models._utils import truncated_0_02
from lazygrad.vision.models._windows import (
    ShiftedWindowAttention,
    ShiftedWindowAttentionV2,
)
from lazygrad.vision.models.vision_transformer import draw_mlp
from lazygrad.vision.ops.misc import MLP, Layer, Permute
from lazygrad.vision.ops.stochastic_depth import StochasticDepth
from lazygrad.vision.transforms.interpolation import InterpolationMode

__all__ = """SwinTransformer Swin_T_Weights Swin_S_Weights Swin_B_Weights Swin_V2_T_Weights Swin_V2_S_Weights
Swin_V2_B_Weights swin_t swin_s swin_b swin_v2_t swin_v2_s swin_v2_b""".split()


class PatchMerging(nn.Module):
    """Squares of four places of [..., height, width, channels] as one of twice the channels."""

    def __init__(self, dim: int, norm_layer: Layer = nn.LayerNorm) -> None:
        super().__init__()
        self.dim = dim
        self.reduction = nn.Linear(4 * dim, 2 * dim, bias=False)
        self.norm = norm_layer(4 * dim)

    def forward(self, x: Tensor) -> Tensor:
        result: Tensor = self.reduction(self.norm(_squares(x)))
        return result


class PatchMergingV2(nn.Module):
    """`PatchMerging` with the norm at its end."""

    def __init__(self, dim: int, norm_layer: Layer = nn.LayerNorm) -> None:
        super().__init__()
        self.dim = dim
        self.reduction = nn.Linear(4 * dim, 2 * dim, bias=False)
        self.norm = norm_layer(2 * dim)

    def forward(self, x: Tensor) -> Tensor:
        result: Tensor = self.norm(self.reduction(_squares(x)))
        return result


@wrap
def _squares(x: Tensor) -> Tensor:
    height, width, _ = x.shape[-3:]
    x = F.pad(x, (0, 0, 0, width % 2, 0, height % 2))
    return cat([x[..., row::2, column::2, :] for column in (0, 1) for row in (0, 1)], -1)


class SwinTransformerBlock(nn.Module):
    """Attention within windows and two linear layers, each beside a shortcut and after a norm."""

    def __init__(
        self,
        dim: int,
        num_heads: int,
        window_size: Sequence[int],
        shift_size: Sequence[int],
        mlp_ratio: float = 4.0,
        dropout: float = 0.0,
        attention_dropout: float = 0.0,
        stochastic_depth_prob: float = 0.0,
        norm_layer: Layer = nn.LayerNorm,
        attn_layer: Layer = ShiftedWindowAttention,
    ) -> None:
        super().__init__()
        self.norm1 = norm_layer(dim)
        self.attn = attn_layer(
            dim, window_size, shift_size, num_heads, attention_dropout=attention_dropout, dropout=dropout
        )
        self.stochastic_depth = StochasticDepth(stochastic_depth_prob, "row")
        self.norm2 = norm_layer(dim)
        self.mlp = MLP(dim, [int(dim * mlp_ratio), dim], activation_layer=nn.GELU, inplace=None, dropout=dropout)
        draw_mlp(self.mlp)

    def forward(self, x: Tensor) -> Tensor:
        x = x + self.stochastic_depth(self.attn(self.norm1(x)))
        return x + self.stochastic_depth(self.mlp(self.norm2(x)))


class SwinTransformerBlockV2(SwinTransformerBlock):
    """`SwinTransformerBlock` with its norms before the shortcuts, and attention by cosines."""

    def __init__(
        self,
        dim: int,
        num_heads: int,
        window_size: Sequence[int],
        shift_size: Sequence[int],
        mlp_ratio: float = 4.0,
        dropout: float = 0.0,
        attention_dropout: float = 0.0,
        stochastic_depth_prob: float = 0.0,
        norm_layer: Layer = nn.LayerNorm,
        attn_layer: Layer = ShiftedWindowAttentionV2,
    ) -> None:
        super().__init__(
            dim, num_heads, window_size, shift_size, mlp_ratio, dropout, attention_dropout, stochastic_depth_prob,
            norm_layer, attn_layer,
        )  # fmt: skip

    def forward(self, x: Tensor) -> Tensor:
        x = x + self.stochastic_depth(self.norm1(self.attn(x)))
        return x + self.stochastic_depth(self.norm2(self.mlp(x)))


class SwinTransformer(nn.Module):
    """Images [batch, 3, height, width] to [batch, num_classes].

    Args:
        patch_size: height and width of the patches.
        embed_dim: channels of the first stage; each further one has twice as many.
        depths, num_heads: of each stage.
        window_size: height and width of the windows, in patches.
        mlp_ratio: size of the hidden layers, in terms of the channels.
        dropout, attention_dropout: probabilities.
        stochastic_depth_prob: how likely the last block is left out; the first never is.
        num_classes: size of the result.
        norm_layer: called with the channels.
        block, downsample_layer: in place of `SwinTransformerBlock` and `PatchMerging`.
    """

    def __init__(
        self,
        patch_size: Sequence[int],
        embed_dim: int,
        depths: Sequence[int],
        num_heads: Sequence[int],
        window_size: Sequence[int],
        mlp_ratio: float = 4.0,
        dropout: float = 0.0,
        attention_dropout: float = 0.0,
        stochastic_depth_prob: float = 0.1,
        num_classes: int = 1000,
        norm_layer: Layer | None = None,
        block: Layer | None = None,
        downsample_layer: Layer = PatchMerging,
    ) -> None:
        super().__init__()
        self.num_classes = num_classes
        block, norm_layer = block or SwinTransformerBlock, norm_layer or partial(nn.LayerNorm, eps=1e-5)
        patch = (patch_size[0], patch_size[1])
        patches = nn.Conv2d(3, embed_dim, kernel_size=patch, stride=patch)
        layers: list[nn.Module] = [nn.Sequential(patches, Permute([0, 2, 3, 1]), norm_layer(embed_dim))]
        options: dict[str, Any] = {"mlp_ratio": mlp_ratio, "dropout": dropout, "attention_dropout": attention_dropout}
        channels, number = embed_dim, 0
        for depth, heads in zip(depths, num_heads, strict=True):
            if number > 0:
                layers.append(downsample_layer(channels, norm_layer))
                channels *= 2
            blocks = []
            for position in range(depth):
                probability = stochastic_depth_prob * float(number) / (sum(depths) - 1)
                shift = [size // 2 if position % 2 else 0 for size in window_size]
                blocks.append(
                    block(
                        channels, heads, window_size=window_size, shift_size=shift, norm_layer=norm_layer,
                        stochastic_depth_prob=probability, **options,
                    )
                )  # fmt: skip
                number += 1
            layers.append(nn.Sequential(*blocks))
        self.features = nn.Sequential(*layers)
        self.norm = norm_layer(channels)
        self.permute = Permute([0, 3, 1, 2])
        self.avgpool = nn.AdaptiveAvgPool2d(1)
        self.flatten = nn.Flatten(1)
        self.head = nn.Linear(channels, num_classes)
        for module in self.modules():
            if isinstance(module, nn.Linear):
                truncated_0_02(module.weight)
                if module.bias is not None:
                    nn.init.zeros_(module.bias)

    def forward(self, x: Tensor) -> Tensor:
        features = self.permute(self.norm(self.features(x)))
        logits: Tensor = self.head(self.flatten(self.avgpool(features)))
        return logits


class Swin_T_Weights(WeightsEnum):
    IMAGENET1K_V1 = imagenet(
        "swin_t-704ceda3.pth", 28_288_354, min_size=224, resize_size=232, interpolation=InterpolationMode.BICUBIC
    )
    DEFAULT = IMAGENET1K_V1


class Swin_S_Weights(WeightsEnum):
    IMAGENET1K_V1 = imagenet(
        "swin_s-5e29d889.pth", 49_606_258, min_size=224, resize_size=246, interpolation=InterpolationMode.BICUBIC
    )
    DEFAULT = IMAGENET1K_V1


class Swin_B_Weights(WeightsEnum):
    IMAGENET1K_V1 = imagenet(
        "swin_b-68c6b09e.pth", 87_768_224, min_size=224, resize_size=238, interpolation=InterpolationMode.BICUBIC
    )
    DEFAULT = IMAGENET1K_V1


class Swin_V2_T_Weights(WeightsEnum):
    IMAGENET1K_V1 = imagenet(
        "swin_v2_t-b137f0e2.pth",
        28_351_570,
        crop_size=256,
        min_size=256,
        resize_size=260,
        interpolation=InterpolationMode.BICUBIC,
    )
    DEFAULT = IMAGENET1K_V1


class Swin_V2_S_Weights(WeightsEnum):
    IMAGENET1K_V1 = imagenet(
        "swin_v2_s-637d8ceb.pth",
        49_737_442,
        crop_size=256,
        min_size=256,
        resize_size=260,
        interpolation=InterpolationMode.BICUBIC,
    )
    DEFAULT = IMAGENET1K_V1


class Swin_V2_B_Weights(WeightsEnum):
    IMAGENET1K_V1 = imagenet(
        "swin_v2_b-781e5279.pth",
        87_930_848,
        crop_size=256,
        min_size=256,
        resize_size=272,
        interpolation=InterpolationMode.BICUBIC,
    )
    DEFAULT = IMAGENET1K_V1


def _swin(
    name: str, weights: type[WeightsEnum], width: int, third: int, probability: float
) -> Callable[..., SwinTransformer]:
    """The function of a network of ``width`` channels at first, with ``third`` blocks in the third stage."""
    heads = [width // 32 * factor for factor in (1, 2, 4, 8)]
    is_second = "_v2_" in name
    second: dict[str, Any] = {"block": SwinTransformerBlockV2, "downsample_layer": PatchMergingV2} if is_second else {}
    window = [8, 8] if is_second else [7, 7]
    return builder(
        name, weights, SwinTransformer, [4, 4], width, [2, 2, third, 2], heads, window,
        stochastic_depth_prob=probability, **second,
    )  # fmt: skip


swin_t = _swin("swin_t", Swin_T_Weights, 96, 6, 0.2)
swin_s = _swin("swin_s", Swin_S_Weights, 96, 18, 0.3)
swin_b = _swin("swin_b", Swin_B_Weights, 128, 18, 0.5)
swin_v2_t = _swin("swin_v2_t", Swin_V2_T_Weights, 96, 6, 0.2)
swin_v2_s = _swin("swin_v2_s", Swin_V2_S_Weights, 96, 18, 0.3)
swin_v2_b = _swin("swin_v2_b", Swin_V2_B_Weights, 128, 18, 0.5)
