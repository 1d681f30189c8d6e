"""Attention of several heads."""

from __future__ import annotations

from lazygrad.ir.dtype import DType
from lazygrad.nn import init
from lazygrad.nn._types import DeviceLike
from lazygrad.nn.core.module import Module
from lazygrad.nn.linear import Linear
from lazygrad.nn.parameter import Parameter
from lazygrad.ops.creation.filled import empty
from lazygrad.ops.layers.multi_head import multi_head_attention
from lazygrad.tensor import Tensor

__all__ = ["MultiheadAttention"]


class NonDynamicallyQuantizableLinear(Linear):
    """A `Linear`, by the name that PyTorch prints."""


class MultiheadAttention(Module):
    """Several attentions side by side, each with projections of query, key and value of its own.

    Source: Vaswani et al., "Attention Is All You Need", 2017.

    Args:
        embed_dim: size E of queries and of the result.
        num_heads: heads, which share E.
        dropout: probability of a weight to be dropped in training.
        bias: whether the projections have biases.
        add_bias_kv: whether a learned key and value are appended.
        add_zero_attn: whether a key and a value of zeros are appended.
        kdim, vdim: sizes of keys and values, E for None.
        batch_first: whether operands are (N, L, E) instead of (L, N, E).
        device: where the parameters live.
        dtype: their dtype, the default one when left out.

    Raises:
        ValueError: sizes that are not positive.
        AssertionError: heads that do not divide E.
    """

    bias_k: Tensor | None
    bias_v: Tensor | None

    def __init__(
        self,
        embed_dim: int,
        num_heads: int,
        dropout: float = 0.0,
        bias: bool = True,
        add_bias_kv: bool = False,
        add_zero_attn: bool = False,
        kdim: int | None = None,
        vdim: int | None = None,
        batch_first: bool = False,
        device: DeviceLike = None,
        dtype: DType | None = None,
    ) -> None:
        if embed_dim <= 0 or num_heads <= 0:
            raise ValueError(f"embed_dim and num_heads must be greater than 0, got embed_dim={embed_dim} and "
                             f"num_heads={num_heads} instead")  # fmt: skip
        super().__init__()
        self.embed_dim = embed_dim
        self.kdim = embed_dim if kdim is None else kdim
        self.vdim = embed_dim if vdim is None else vdim
        self._qkv_same_embed_dim = self.kdim == embed_dim and self.vdim == embed_dim
        self.num_heads = num_heads
        self.dropout = dropout
        self.batch_first = batch_first
        self.head_dim = embed_dim // num_heads
        if self.head_dim * num_heads != embed_dim:
            raise AssertionError("embed_dim must be divisible by num_heads")

        def parameter(*shape: int) -> Parameter:
            return Parameter(empty(shape, device=device, dtype=dtype))

        separate = {"q": embed_dim, "k": self.kdim, "v": self.vdim}
        if self._qkv_same_embed_dim:
            self.in_proj_weight: Parameter | None = parameter(3 * embed_dim, embed_dim)
            for name in separate:
                self.register_parameter(f"{name}_proj_weight", None)
        else:
            for name, size in separate.items():
                self.register_parameter(f"{name}_proj_weight", parameter(embed_dim, size))
            self.register_parameter("in_proj_weight", None)
        self.register_parameter("in_proj_bias", parameter(3 * embed_dim) if bias else None)
        self.out_proj = NonDynamicallyQuantizableLinear(embed_dim, embed_dim, bias=bias, device=device, dtype=dtype)
        if add_bias_kv:
            self.bias_k = parameter(1, 1, embed_dim)
            self.bias_v = parameter(1, 1, embed_dim)
        else:
            self.bias_k = self.bias_v = None
        self.add_zero_attn = add_zero_attn
        self._reset_parameters()

    def _reset_parameters(self) -> None:
        for weight in self._weights():
            if weight is not None:
                init.xavier_uniform_(weight)
        if self.in_proj_bias is not None:
            init.constant_(self.in_proj_bias, 0.0)
            init.constant_(self.out_proj.bias, 0.0)
        for bias in (self.bias_k, self.bias_v):
            if bias is not None:
                init.xavier_normal_(bias)

    def _weights(self) -> tuple[Tensor | None, ...]:
        if self._qkv_same_embed_dim:
            return (self.in_proj_weight,)
        return self.q_proj_weight, self.k_proj_weight, self.v_proj_weight

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        key_padding_mask: Tensor | None = None,
        need_weights: bool = True,
        attn_mask: Tensor | None = None,
        average_attn_weights: bool = True,
        is_causal: bool = False,
    ) -> tuple[Tensor, Tensor | None]:
        """Lets queries look at keys.

        Args:
            query: (L, N, E), (N, L, E) for ``batch_first``, or (L, E).
            key, value: (S, N, kdim) and (S, N, vdim), or as above.
            key_padding_mask: (N, S) or (S): True where a key is hidden, or numbers that are added to scores.
            need_weights: whether the weights are returned.
            attn_mask: (L, S) or (N · heads, L, S), of the same kinds.
            average_attn_weights: whether the weights are the mean over all heads.
            is_causal: says that ``attn_mask`` is the causal one.

        Returns:
            The result, of the query's shape, and the weights: (N, L, S), (N, heads, L, S) for each head, without N
            where there is none, or None.

        Raises:
            AssertionError, RuntimeError: shapes that do not fit, masks of another dtype, ``is_causal`` without a mask.
        """
        found = multi_head_attention(
            query,
            key,
            value,
            self.embed_dim,
            self.num_heads,
            self._weights(),
            self.in_proj_bias,
            self.bias_k,
            self.bias_v,
            self.out_proj.weight,
            self.out_proj.bias,
            self.add_zero_attn,
            self.dropout if self.training else 0.0,
            key_padding_mask,
            need_weights,
            attn_mask,
            average_attn_weights,
            is_causal,
            self.batch_first,
        )
        return found[0], found[1] if need_weights else None
