"""Vision transformer: Dosovitskiy et al., arXiv:2010.11929, table 1."""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from lazygrad import nn
from lazygrad.nn import functional as F
from lazygrad.ops.objects.assertions import _assert
from lazygrad.ops.public import cat, empty, zeros
from lazygrad.tensor import Tensor
from lazygrad.vision.models._api import WeightsEnum, builder, imagenet
from lazygrad.vision.ops.misc import MLP, Conv2dNormActivation, Layer
from lazygrad.vision.transforms.interpolation import InterpolationMode

__all__ = """
VisionTransformer ViT_B_16_Weights ViT_B_32_Weights ViT_L_16_Weights ViT_L_32_Weights
ViT_H_14_Weights vit_b_16 vit_b_32 vit_l_16 vit_l_32 vit_h_14
""".split()

_NORM = partial(nn.LayerNorm, eps=1e-6)


class ConvStemConfig(NamedTuple):
    """A convolution in place of cutting the image into patches."""

    out_channels: int
    kernel_size: int
    stride: int
    norm_layer: Layer = nn.BatchNorm2d
    activation_layer: Layer = nn.ReLU


class MLPBlock(MLP):
    """Two linear layers with GELU between them, and dropout."""

    _version = 2  # in version 1 the layers had names

    def __init__(self, in_dim: int, mlp_dim: int, dropout: float) -> None:
        super().__init__(in_dim, [mlp_dim, in_dim], activation_layer=nn.GELU, inplace=None, dropout=dropout)
        draw_mlp(self)

    def _load_from_state_dict(self, state_dict: Any, prefix: str, local_metadata: Any, *rest: Any) -> None:
        if (local_metadata.get("version") or 1) < 2:
            for number in range(2):
                for kind in ("weight", "bias"):
                    old = f"{prefix}linear_{number + 1}.{kind}"
                    if old in state_dict:
                        state_dict[f"{prefix}{3 * number}.{kind}"] = state_dict.pop(old)
        super()._load_from_state_dict(state_dict, prefix, local_metadata, *rest)


def draw_mlp(mlp: nn.Module) -> None:
    """Initial values of the linear layers of a transformer's block."""
    for module in mlp.modules():
        if isinstance(module, nn.Linear):
            nn.init.xavier_uniform_(module.weight)
            if module.bias is not None:
                nn.init.normal_(module.bias, std=1e-6)


class EncoderBlock(nn.Module):
    """Attention and two linear layers, each beside a shortcut and after a norm."""

    def __init__(
        self,
        num_heads: int,
        hidden_dim: int,
        mlp_dim: int,
        dropout: float,
        attention_dropout: float,
        norm_layer: Layer = _NORM,
    ) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.ln_1 = norm_layer(hidden_dim)
        self.self_attention = nn.MultiheadAttention(hidden_dim, num_heads, dropout=attention_dropout, batch_first=True)
        self.dropout = nn.Dropout(dropout)
        self.ln_2 = norm_layer(hidden_dim)
        self.mlp = MLPBlock(hidden_dim, mlp_dim, dropout)

    def forward(self, input: Tensor) -> Tensor:
        normal = self.ln_1(input)
        attended, _ = self.self_attention(normal, normal, normal, need_weights=False)
        middle = self.dropout(attended) + input
        result: Tensor = middle + self.mlp(self.ln_2(middle))
        return result


class Encoder(nn.Module):
    """Blocks over [batch, length, hidden], after the embedding of places is added."""

    def __init__(
        self,
        seq_length: int,
        num_layers: int,
        num_heads: int,
        hidden_dim: int,
        mlp_dim: int,
        dropout: float,
        attention_dropout: float,
        norm_layer: Layer = _NORM,
    ) -> None:
        super().__init__()
        self.pos_embedding = nn.Parameter(empty(1, seq_length, hidden_dim).normal_(std=0.02))
        self.dropout = nn.Dropout(dropout)
        block = partial(EncoderBlock, num_heads, hidden_dim, mlp_dim, dropout, attention_dropout, norm_layer)
        self.layers = nn.Sequential(OrderedDict((f"encoder_layer_{i}", block()) for i in range(num_layers)))
        self.ln = norm_layer(hidden_dim)

    def forward(self, input: Tensor) -> Tensor:
        result: Tensor = self.ln(self.layers(self.dropout(input + self.pos_embedding)))
        return result


class VisionTransformer(nn.Module):
    """Images [batch, 3, image_size, image_size] to [batch, num_classes].

    Args:
        image_size, patch_size: in pixels; patches tile the image.
        num_layers, num_heads, hidden_dim, mlp_dim: of the blocks.
        dropout, attention_dropout: probabilities.
        num_classes: size of the result.
        representation_size: of a further layer before the last; None for none.
        norm_layer: called with the channels.
        conv_stem_configs: convolutions in place of the one that cuts patches.

    Raises:
        AssertionError: patches do not tile the image.
    """

    def __init__(
        self,
        image_size: int,
        patch_size: int,
        num_layers: int,
        num_heads: int,
        hidden_dim: int,
        mlp_dim: int,
        dropout: float = 0.0,
        attention_dropout: float = 0.0,
        num_classes: int = 1000,
        representation_size: int | None = None,
        norm_layer: Layer = _NORM,
        conv_stem_configs: Sequence[ConvStemConfig] | None = None,
    ) -> None:
        super().__init__()
        assert image_size % patch_size == 0, "Input shape indivisible by patch size!"
        self.image_size = image_size
        self.patch_size = patch_size
        self.hidden_dim = hidden_dim
        self.mlp_dim = mlp_dim
        self.attention_dropout = attention_dropout
        self.dropout = dropout
        self.num_classes = num_classes
        self.representation_size = representation_size
        self.norm_layer = norm_layer
        if conv_stem_configs is None:
            self.conv_proj: nn.Module = nn.Conv2d(3, hidden_dim, kernel_size=patch_size, stride=patch_size)
        else:
            self.conv_proj = _stem(conv_stem_configs, hidden_dim)
        self.seq_length = (image_size // patch_size) ** 2 + 1
        self.class_token = nn.Parameter(zeros(1, 1, hidden_dim))
        self.encoder = Encoder(
            self.seq_length, num_layers, num_heads, hidden_dim, mlp_dim, dropout, attention_dropout, norm_layer
        )
        heads = OrderedDict[str, nn.Module]()
        if representation_size is not None:
            heads["pre_logits"] = nn.Linear(hidden_dim, representation_size)
            heads["act"] = nn.Tanh()
        heads["head"] = nn.Linear(representation_size or hidden_dim, num_classes)
        self.heads = nn.Sequential(heads)
        self._draw()

    def _draw(self) -> None:
        """Initial values of what is before and after the blocks."""
        first = self.conv_proj
        if isinstance(first, nn.Conv2d):
            _truncated(first, first.weight[0].numel())
        else:
            last = first.get_submodule("conv_last")
            assert isinstance(last, nn.Conv2d)
            nn.init.normal_(last.weight, mean=0.0, std=math.sqrt(2.0 / last.out_channels))
            nn.init.zeros_(last.bias)
        for name, module in self.heads.named_children():
            if name == "pre_logits":
                _truncated(module, module.in_features)
            elif name == "head":
                nn.init.zeros_(module.weight)
                nn.init.zeros_(module.bias)

    def _process_input(self, x: Tensor) -> Tensor:
        """Patches as a sequence.

        Raises:
            AssertionError: images of another size.
        """
        batch, _, height, width = x.shape
        size = self.image_size
        _assert(height == size, f"Wrong image height! Expected {size} but got {height}!")
        _assert(width == size, f"Wrong image width! Expected {size} but got {width}!")
        patches: Tensor = self.conv_proj(x)
        return patches.reshape(batch, self.hidden_dim, -1).permute(0, 2, 1)

    def forward(self, x: Tensor) -> Tensor:
        patches = self._process_input(x)
        tokens = cat([self.class_token.expand(x.shape[0], -1, -1), patches], dim=1)
        logits: Tensor = self.heads(self.encoder(tokens)[:, 0])
        return logits


def _stem(configs: Sequence[ConvStemConfig], hidden_dim: int) -> nn.Sequential:
    stem, channels = nn.Sequential(), 3
    for position, (out_channels, kernel_size, stride, norm, activation) in enumerate(configs):
        layer = Conv2dNormActivation(
            channels, out_channels, kernel_size, stride, norm_layer=norm, activation_layer=activation
        )
        stem.add_module(f"conv_bn_relu_{position}", layer)
        channels = out_channels
    stem.add_module("conv_last", nn.Conv2d(channels, hidden_dim, kernel_size=1))
    return stem


def _truncated(layer: Any, fan_in: int) -> None:
    nn.init.trunc_normal_(layer.weight, std=math.sqrt(1 / fan_in))
    nn.init.zeros_(layer.bias)


def interpolate_embeddings(
    image_size: int,
    patch_size: int,
    model_state: Mapping[str, Tensor],
    interpolation_mode: str = "bicubic",
    reset_heads: bool = False,
) -> Mapping[str, Tensor]:
    """A state dict for images of another size: the embeddings of places are interpolated.

    Args:
        image_size, patch_size: of the new model.
        model_state: of the old one.
        interpolation_mode: of `lazygrad.nn.functional.interpolate`.
        reset_heads: leave the last layers out, where embeddings change.

    Raises:
        ValueError: embeddings of another shape, or of no square.
    """
    old = model_state["encoder.pos_embedding"]
    if old.shape[0] != 1:
        raise ValueError(f"Unexpected position embedding shape: {old.shape}")
    side, new_side = math.isqrt(old.shape[1] - 1), image_size // patch_size
    if new_side**2 == old.shape[1] - 1:
        return model_state
    if side * side != old.shape[1] - 1:
        raise ValueError(f"seq_length is not a perfect square! Instead got seq_length = {old.shape[1] - 1}")
    places = old[:, 1:].permute(0, 2, 1).reshape(1, -1, side, side)
    resized = F.interpolate(places, size=new_side, mode=interpolation_mode, align_corners=True)
    found = OrderedDict(model_state)
    found["encoder.pos_embedding"] = cat([old[:, :1], resized.flatten(2).permute(0, 2, 1)], dim=1)
    if reset_heads:
        return OrderedDict((key, value) for key, value in found.items() if not key.startswith("heads"))
    return found


class ViT_B_16_Weights(WeightsEnum):
    IMAGENET1K_V1 = imagenet("vit_b_16-c867db91.pth", 86_567_656, min_size=224)
    IMAGENET1K_SWAG_E2E_V1 = imagenet(
        "vit_b_16_swag-9ac1b537.pth",
        86_859_496,
        crop_size=384,
        min_size=384,
        resize_size=384,
        interpolation=InterpolationMode.BICUBIC,
    )
    IMAGENET1K_SWAG_LINEAR_V1 = imagenet(
        "vit_b_16_lc_swag-4e70ced5.pth",
        86_567_656,
        min_size=224,
        resize_size=224,
        interpolation=InterpolationMode.BICUBIC,
    )
    DEFAULT = IMAGENET1K_V1


class ViT_B_32_Weights(WeightsEnum):
    IMAGENET1K_V1 = imagenet("vit_b_32-d86f8d99.pth", 88_224_232, min_size=224)
    DEFAULT = IMAGENET1K_V1


class ViT_L_16_Weights(WeightsEnum):
    IMAGENET1K_V1 = imagenet("vit_l_16-852ce7e3.pth", 304_326_632, min_size=224, resize_size=242)
    IMAGENET1K_SWAG_E2E_V1 = imagenet(
        "vit_l_16_swag-4f3808c9.pth",
        305_174_504,
        crop_size=512,
        min_size=512,
        resize_size=512,
        interpolation=InterpolationMode.BICUBIC,
    )
    IMAGENET1K_SWAG_LINEAR_V1 = imagenet(
        "vit_l_16_lc_swag-4d563306.pth",
        304_326_632,
        min_size=224,
        resize_size=224,
        interpolation=InterpolationMode.BICUBIC,
    )
    DEFAULT = IMAGENET1K_V1


class ViT_L_32_Weights(WeightsEnum):
    IMAGENET1K_V1 = imagenet("vit_l_32-c7638314.pth", 306_535_400, min_size=224)
    DEFAULT = IMAGENET1K_V1


class ViT_H_14_Weights(WeightsEnum):
    IMAGENET1K_SWAG_E2E_V1 = imagenet(
        "vit_h_14_swag-80465313.pth",
        633_470_440,
        crop_size=518,
        min_size=518,
        resize_size=518,
        interpolation=InterpolationMode.BICUBIC,
    )
    IMAGENET1K_SWAG_LINEAR_V1 = imagenet(
        "vit_h_14_lc_swag-c1eb923e.pth",
        632_045_800,
        min_size=224,
        resize_size=224,
        interpolation=InterpolationMode.BICUBIC,
    )
    DEFAULT = IMAGENET1K_SWAG_E2E_V1


def _size(weights: WeightsEnum) -> dict[str, int]:
    return {"image_size": weights.meta["min_size"][0]}


def _transformer(
    patch_size: int, layers: int, heads: int, hidden: int, image_size: int = 224, **options: Any
) -> VisionTransformer:
    return VisionTransformer(image_size, patch_size, layers, heads, hidden, 4 * hidden, **options)


vit_b_16 = builder("vit_b_16", ViT_B_16_Weights, _transformer, 16, 12, 12, 768, demands=_size)
vit_b_32 = builder("vit_b_32", ViT_B_32_Weights, _transformer, 32, 12, 12, 768, demands=_size)
vit_l_16 = builder("vit_l_16", ViT_L_16_Weights, _transformer, 16, 24, 16, 1024, demands=_size)
vit_l_32 = builder("vit_l_32", ViT_L_32_Weights, _transformer, 32, 24, 16, 1024, demands=_size)
vit_h_14 = builder("vit_h_14", ViT_H_14_Weights, _transformer, 14, 32, 16, 1280, demands=_size)
