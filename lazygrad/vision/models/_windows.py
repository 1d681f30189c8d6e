"""Attention within windows: Liu et al., arXiv:2103.14030, and its second version, arXiv:2111.09883."""

from __future__ import annotations

import math
from collections.abc import Sequence

from lazygrad import nn
from lazygrad.fx import wrap
from lazygrad.nn import functional as F
from lazygrad.ops.public import arange, log, meshgrid, ones, stack, zeros
from lazygrad.tensor import Tensor


def to_windows(x: Tensor, window: Sequence[int]) -> Tensor:
    """[batch, height, width, channels] as [batch * windows, height * width of a window, channels]."""
    batch, height, width, channels = x.shape
    tiles = x.reshape(batch, height // window[0], window[0], width // window[1], window[1], channels)
    return tiles.permute(0, 1, 3, 2, 4, 5).reshape(-1, window[0] * window[1], channels)


def from_windows(x: Tensor, window: Sequence[int], height: int, width: int) -> Tensor:
    """What `to_windows` was made of."""
    tiles = x.reshape(-1, height // window[0], width // window[1], window[0], window[1], x.shape[-1])
    return tiles.permute(0, 1, 3, 2, 4, 5).reshape(-1, height, width, x.shape[-1])


@wrap
def shifted_window_attention(
    input: Tensor,
    qkv_weight: Tensor,
    proj_weight: Tensor,
    relative_position_bias: Tensor,
    window_size: Sequence[int],
    num_heads: int,
    shift_size: Sequence[int],
    attention_dropout: float = 0.0,
    dropout: float = 0.0,
    qkv_bias: Tensor | None = None,
    proj_bias: Tensor | None = None,
    logit_scale: Tensor | None = None,
    training: bool = True,
) -> Tensor:
    """Attention of [batch, height, width, channels] within windows, which may be shifted.

    Args:
        input: what is attended to.
        qkv_weight, qkv_bias: [3 * channels, channels] and [3 * channels].
        proj_weight, proj_bias: of the last linear layer.
        relative_position_bias: added to the logits; [1, heads, places of a window, places of a window].
        window_size, shift_size: height and width.
        num_heads: of the attention.
        attention_dropout, dropout: probabilities, where ``training``.
        logit_scale: for the cosines of the second version; None for products.
    """
    _, height, width, channels = input.shape
    down, right = (-height % window_size[0], -width % window_size[1])
    x = F.pad(input, (0, 0, 0, right, 0, down))
    padded = (height + down, width + right)
    shift = [0 if window >= size else by for window, size, by in zip(window_size, padded, shift_size, strict=True)]
    if any(shift):
        x = x.roll((-shift[0], -shift[1]), (1, 2))
    x = to_windows(x, window_size)
    if logit_scale is not None and qkv_bias is not None:
        qkv_bias = qkv_bias.clone()
        length = qkv_bias.numel() // 3
        qkv_bias[length : 2 * length] = 0
    heads = F.linear(x, qkv_weight, qkv_bias).reshape(*x.shape[:2], 3, num_heads, channels // num_heads)
    query, key, value = heads.permute(2, 0, 3, 1, 4).unbind(0)
    if logit_scale is None:
        logits = (query * (channels // num_heads) ** -0.5) @ key.transpose(-2, -1)
    else:
        cosines = F.normalize(query, dim=-1) @ F.normalize(key, dim=-1).transpose(-2, -1)
        logits = cosines * logit_scale.clamp(max=math.log(100.0)).exp()
    logits = logits + relative_position_bias
    if any(shift):
        mask = _mask(x, padded, window_size, shift)
        split = logits.reshape(-1, mask.shape[0], *logits.shape[1:])
        logits = (split + mask.unsqueeze(1)).reshape(logits.shape)
    shares = F.dropout(F.softmax(logits, dim=-1), p=attention_dropout, training=training)
    x = F.linear((shares @ value).transpose(1, 2).reshape(x.shape), proj_weight, proj_bias)
    x = from_windows(F.dropout(x, p=dropout, training=training), window_size, *padded)
    if any(shift):
        x = x.roll((shift[0], shift[1]), (1, 2))
    return x[:, :height, :width, :]


def _mask(x: Tensor, padded: Sequence[int], window: Sequence[int], shift: Sequence[int]) -> Tensor:
    """[windows, places, places]: -100 between places that were not neighbours before the shift."""
    regions = [
        (arange(size, device=x.device) >= size - each).int() + (arange(size, device=x.device) >= size - by).int()
        for size, each, by in zip(padded, window, shift, strict=True)
    ]
    numbers = to_windows((3 * regions[0][:, None] + regions[1][None, :])[None, :, :, None], window).squeeze(-1)
    return (numbers.unsqueeze(1) != numbers.unsqueeze(2)).to(x.dtype) * -100.0


class ShiftedWindowAttention(nn.Module):
    """`shifted_window_attention` with its parameters.

    Raises:
        ValueError: sizes that are not two numbers.
    """

    relative_position_index: Tensor

    def __init__(
        self,
        dim: int,
        window_size: Sequence[int],
        shift_size: Sequence[int],
        num_heads: int,
        qkv_bias: bool = True,
        proj_bias: bool = True,
        attention_dropout: float = 0.0,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        if len(window_size) != 2 or len(shift_size) != 2:
            raise ValueError("window_size and shift_size must be of length 2")
        self.window_size = window_size
        self.shift_size = shift_size
        self.num_heads = num_heads
        self.attention_dropout = attention_dropout
        self.dropout = dropout
        self.qkv = nn.Linear(dim, dim * 3, bias=qkv_bias)
        self.proj = nn.Linear(dim, dim, bias=proj_bias)
        self.define_relative_position_bias_table()
        self.define_relative_position_index()

    def define_relative_position_bias_table(self) -> None:
        height, width = self.window_size
        self.relative_position_bias_table = nn.Parameter(zeros((2 * height - 1) * (2 * width - 1), self.num_heads))
        nn.init.trunc_normal_(self.relative_position_bias_table, std=0.02)

    def define_relative_position_index(self) -> None:
        """For each pair of places in a window, the row of the table for their distance."""
        height, width = self.window_size
        rows, columns = (axis.flatten() for axis in meshgrid(arange(height), arange(width), indexing="ij"))
        down = rows[:, None] - rows[None, :] + height - 1
        right = columns[:, None] - columns[None, :] + width - 1
        self.register_buffer("relative_position_index", (down * (2 * width - 1) + right).flatten())

    def get_relative_position_bias(self) -> Tensor:
        return self._bias_from(self.relative_position_bias_table)

    def _bias_from(self, table: Tensor) -> Tensor:
        places = self.window_size[0] * self.window_size[1]
        return table[self.relative_position_index].view(places, places, -1).permute(2, 0, 1).unsqueeze(0)

    def forward(self, x: Tensor) -> Tensor:
        return shifted_window_attention(
            x,
            self.qkv.weight,
            self.proj.weight,
            self.get_relative_position_bias(),
            self.window_size,
            self.num_heads,
            shift_size=self.shift_size,
            attention_dropout=self.attention_dropout,
            dropout=self.dropout,
            qkv_bias=self.qkv.bias,
            proj_bias=self.proj.bias,
            logit_scale=getattr(self, "logit_scale", None),
            training=self.training,
        )


class ShiftedWindowAttentionV2(ShiftedWindowAttention):
    """Attention by cosines, whose bias a small network makes of distances."""

    relative_coords_table: Tensor

    def __init__(
        self,
        dim: int,
        window_size: Sequence[int],
        shift_size: Sequence[int],
        num_heads: int,
        qkv_bias: bool = True,
        proj_bias: bool = True,
        attention_dropout: float = 0.0,
        dropout: float = 0.0,
    ) -> None:
        super().__init__(dim, window_size, shift_size, num_heads, qkv_bias, proj_bias, attention_dropout, dropout)
        self.logit_scale = nn.Parameter(log(10 * ones(num_heads, 1, 1)))
        self.cpb_mlp = nn.Sequential(
            nn.Linear(2, 512, bias=True), nn.ReLU(inplace=True), nn.Linear(512, num_heads, bias=False)
        )
        if qkv_bias:
            nn.init.zeros_(self.qkv.bias[dim : 2 * dim])

    def define_relative_position_bias_table(self) -> None:
        """The distances, on a logarithmic scale: the paper's equation 4."""
        axes = [arange(-(size - 1), size).float() / (size - 1) * 8 for size in self.window_size]
        table = stack(meshgrid(*axes, indexing="ij"), -1).unsqueeze(0)
        self.register_buffer("relative_coords_table", table.sign() * (table.abs() + 1.0).log2() / 3.0)

    def get_relative_position_bias(self) -> Tensor:
        return 16 * self._bias_from(self.cpb_mlp(self.relative_coords_table).view(-1, self.num_heads)).sigmoid()
