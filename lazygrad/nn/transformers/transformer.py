"""Transformers. Source: Vaswani et al., "Attention Is All You Need", 2017."""

from __future__ import annotations

import copy
from collections.abc import Callable
from math import inf

from lazygrad.grad_mode import is_grad_enabled
from lazygrad.ir.dtype import DType, bool_
from lazygrad.ir.user_warning import warn_user
from lazygrad.nn import functional as F
from lazygrad.nn import init
from lazygrad.nn._types import DeviceLike
from lazygrad.nn.activation import GELU, ReLU
from lazygrad.nn.core.containers import ModuleList
from lazygrad.nn.core.module import Module
from lazygrad.nn.dropout import Dropout
from lazygrad.nn.linear import Linear
from lazygrad.nn.normalizations.layer import LayerNorm
from lazygrad.nn.transformers.multihead import MultiheadAttention
from lazygrad.ops.creation.filled import full
from lazygrad.ops.pointwise.bitwise import logical_and
from lazygrad.ops.pointwise.relational import ge, lt
from lazygrad.ops.pointwise.selection import where
from lazygrad.ops.reductions.sums import all as all_
from lazygrad.ops.shapes.reshaping import unsqueeze
from lazygrad.ops.shapes.triangles import triu
from lazygrad.tensor import Tensor

__all__ = [
    "Transformer",
    "TransformerEncoder",
    "TransformerDecoder",
    "TransformerEncoderLayer",
    "TransformerDecoderLayer",
]

Activation = str | Callable[[Tensor], Tensor]


def _activation(given: Activation) -> Callable[[Tensor], Tensor]:
    """The function of an activation's name.

    Raises:
        RuntimeError: another name than relu and gelu.
    """
    if not isinstance(given, str):
        return given
    if given not in ("relu", "gelu"):
        raise RuntimeError(f"activation should be relu/gelu, not {given}")
    return F.relu if given == "relu" else F.gelu


def _clones(module: Module, count: int) -> ModuleList:
    return ModuleList([copy.deepcopy(module) for _ in range(count)])


class _Layer(Module):
    """What layers of encoders and decoders share."""

    def _add_feedforward(
        self, d_model: int, dim_feedforward: int, dropout: float, bias: bool, device: DeviceLike, dtype: DType | None
    ) -> None:
        self.linear1 = Linear(d_model, dim_feedforward, bias=bias, device=device, dtype=dtype)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(dim_feedforward, d_model, bias=bias, device=device, dtype=dtype)

    def _add_norms(
        self,
        count: int,
        d_model: int,
        eps: float,
        dropout: float,
        bias: bool,
        device: DeviceLike,
        dtype: DType | None,
    ) -> None:
        for i in range(1, count + 1):
            self.add_module(f"norm{i}", LayerNorm(d_model, eps=eps, bias=bias, device=device, dtype=dtype))
        for i in range(1, count + 1):
            self.add_module(f"dropout{i}", Dropout(dropout))

    def _attended(
        self, attention: Module, x: Tensor, memory: Tensor, mask: Tensor | None, padding: Tensor | None, causal: bool
    ) -> Tensor:
        found: Tensor = attention(
            x, memory, memory, attn_mask=mask, key_padding_mask=padding, is_causal=causal, need_weights=False
        )[0]
        return found

    def _fed_forward(self, x: Tensor, dropout: Module) -> Tensor:
        found: Tensor = dropout(self.linear2(self.dropout(self.activation(self.linear1(x)))))
        return found

    # The parts have PyTorch's names: derived layers call them, and have parts of their own in their places.
    def _sa_block(
        self, x: Tensor, attn_mask: Tensor | None, key_padding_mask: Tensor | None, is_causal: bool = False
    ) -> Tensor:
        found: Tensor = self.dropout1(self._attended(self.self_attn, x, x, attn_mask, key_padding_mask, is_causal))
        return found

    def _plus(self, norm: Module, x: Tensor, block: Callable[[Tensor], Tensor]) -> Tensor:
        """``x`` plus what a block makes of it, normalized before the block or behind the sum."""
        if self.norm_first:
            return x + block(norm(x))
        found: Tensor = norm(x + block(x))
        return found


class TransformerEncoderLayer(_Layer):
    """Self-attention and a network of two linear layers, each added to its input.

    Args:
        d_model: size of the input E.
        nhead: heads.
        dim_feedforward: size of the hidden layer.
        dropout: probability of dropout in training.
        activation: of the hidden layer: ``"relu"``, ``"gelu"`` or a function.
        layer_norm_eps: of the normalizations.
        batch_first: whether inputs are (N, L, E) instead of (L, N, E).
        norm_first: whether inputs of the two parts are normalized, instead of the sums.
        bias: whether there are biases.
        device: where the parameters live.
        dtype: their dtype, the default one when left out.

    Raises:
        RuntimeError: the name of another activation.
    """

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: Activation = F.relu,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: DeviceLike = None,
        dtype: DType | None = None,
    ) -> None:
        super().__init__()
        self.self_attn = MultiheadAttention(
            d_model, nhead, dropout=dropout, bias=bias, batch_first=batch_first, device=device, dtype=dtype
        )
        self._add_feedforward(d_model, dim_feedforward, dropout, bias, device, dtype)
        self.norm_first = norm_first
        self._add_norms(2, d_model, layer_norm_eps, dropout, bias, device, dtype)
        self.activation = _activation(activation)
        is_relu = self.activation is F.relu or isinstance(self.activation, ReLU)
        is_gelu = self.activation is F.gelu or isinstance(self.activation, GELU)
        self.activation_relu_or_gelu = 1 if is_relu else 2 if is_gelu else 0

    def forward(
        self,
        src: Tensor,
        src_mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        is_causal: bool = False,
    ) -> Tensor:
        """The layer's output, of the shape of ``src``; the masks are those of `MultiheadAttention`."""

        def attended(x: Tensor) -> Tensor:
            return self._sa_block(x, src_mask, src_key_padding_mask, is_causal=is_causal)

        return self._plus(self.norm2, self._plus(self.norm1, src, attended), self._ff_block)

    def _ff_block(self, x: Tensor) -> Tensor:
        return self._fed_forward(x, self.dropout2)


class TransformerDecoderLayer(_Layer):
    """Self-attention, attention to an encoder's output, and a network of two linear layers.

    Args:
        d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps: see `TransformerEncoderLayer`.
        batch_first, norm_first, bias, device, dtype: see `TransformerEncoderLayer`.
    """

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: Activation = F.relu,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: DeviceLike = None,
        dtype: DType | None = None,
    ) -> None:
        super().__init__()
        for name in ("self_attn", "multihead_attn"):
            attention = MultiheadAttention(
                d_model, nhead, dropout=dropout, batch_first=batch_first, bias=bias, device=device, dtype=dtype
            )
            self.add_module(name, attention)
        self._add_feedforward(d_model, dim_feedforward, dropout, bias, device, dtype)
        self.norm_first = norm_first
        self._add_norms(3, d_model, layer_norm_eps, dropout, bias, device, dtype)
        self.activation = _activation(activation)

    def forward(
        self,
        tgt: Tensor,
        memory: Tensor,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
        tgt_is_causal: bool = False,
        memory_is_causal: bool = False,
    ) -> Tensor:
        """The layer's output, of the shape of ``tgt``; the masks are those of `MultiheadAttention`."""

        def attended(x: Tensor) -> Tensor:
            return self._sa_block(x, tgt_mask, tgt_key_padding_mask, tgt_is_causal)

        def attended_to_memory(x: Tensor) -> Tensor:
            return self._mha_block(x, memory, memory_mask, memory_key_padding_mask, memory_is_causal)

        x = self._plus(self.norm1, tgt, attended)
        x = self._plus(self.norm2, x, attended_to_memory)
        return self._plus(self.norm3, x, self._ff_block)

    def _mha_block(
        self,
        x: Tensor,
        mem: Tensor,
        attn_mask: Tensor | None,
        key_padding_mask: Tensor | None,
        is_causal: bool = False,
    ) -> Tensor:
        found: Tensor = self.dropout2(
            self._attended(self.multihead_attn, x, mem, attn_mask, key_padding_mask, is_causal)
        )
        return found

    def _ff_block(self, x: Tensor) -> Tensor:
        return self._fed_forward(x, self.dropout3)


class TransformerEncoder(Module):
    """Copies of an encoder layer, one above the other.

    Args:
        encoder_layer: what is copied.
        num_layers: how many copies there are.
        norm: a normalization behind the last one.
        enable_nested_tensor: in evaluation PyTorch then leaves out padding where it can, so that it comes out as 0; it
            does here too, though it is computed.
        mask_check: accepted: whether padding is at the end of all sequences is always looked at.
    """

    def __init__(
        self,
        encoder_layer: Module,
        num_layers: int,
        norm: Module | None = None,
        enable_nested_tensor: bool = True,
        mask_check: bool = True,
    ) -> None:
        super().__init__()
        self.layers = _clones(encoder_layer, num_layers)
        self.num_layers = num_layers
        self.norm = norm
        self.enable_nested_tensor = enable_nested_tensor
        self.mask_check = mask_check
        why_not = _why_padding_stays(encoder_layer)
        self.use_nested_tensor = enable_nested_tensor and not why_not
        if enable_nested_tensor and why_not:
            warn_user(f"enable_nested_tensor is True, but self.use_nested_tensor is False because {why_not}")

    def forward(
        self,
        src: Tensor,
        mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        is_causal: bool | None = None,
    ) -> Tensor:
        """The output of the last layer, of the shape of ``src``; the masks are those of `MultiheadAttention`.

        ``is_causal`` says that ``mask`` is the causal one; None does not.
        """
        output = src
        for layer in self.layers:
            output = layer(output, src_mask=mask, is_causal=bool(is_causal), src_key_padding_mask=src_key_padding_mask)
        if mask is None and src_key_padding_mask is not None and self._leaves_out_padding(src):
            output = _without_padding(output, src_key_padding_mask)
        return output if self.norm is None else self.norm(output)

    def _leaves_out_padding(self, src: Tensor) -> bool:
        """Whether PyTorch would compute without padding."""
        first = self.layers[0]
        if not self.use_nested_tensor or first.training or src.dim() != 3:
            return False
        return not (is_grad_enabled() and (src.requires_grad or any(p.requires_grad for p in first.parameters())))


def _why_padding_stays(layer: Module) -> str:
    """What of a layer keeps PyTorch from computing without padding."""
    if not isinstance(layer, TransformerEncoderLayer):
        return "encoder_layer was not TransformerEncoderLayer"
    attention = layer.self_attn
    reasons = {
        "encoder_layer.norm_first was True": layer.norm_first,
        "encoder_layer.self_attn.batch_first was not True(use batch_first for better inference performance)":
            not attention.batch_first,
        "encoder_layer.self_attn was passed bias=False": attention.in_proj_bias is None,
        "encoder_layer.activation_relu_or_gelu was not True": not layer.activation_relu_or_gelu,
        "encoder_layer.norm1.eps was not equal to encoder_layer.norm2.eps": layer.norm1.eps != layer.norm2.eps,
        "encoder_layer.self_attn.num_heads is odd": attention.num_heads % 2 == 1,
    }  # fmt: skip
    return next((reason for reason, holds in reasons.items() if holds), "")


def _without_padding(output: Tensor, padding: Tensor) -> Tensor:
    """``output`` (N, L, E) with 0 at padding, if that is at the end of all sequences."""
    hidden = padding if padding.dtype is bool_ else lt(padding, 0)
    numbers = hidden.to(output.dtype)
    is_at_end = all_(ge(numbers[:, 1:], numbers[:, :-1]))
    return where(unsqueeze(logical_and(hidden, is_at_end), 2), 0.0, output)


class TransformerDecoder(Module):
    """Copies of a decoder layer, one above the other.

    Args:
        decoder_layer: what is copied.
        num_layers: how many copies there are.
        norm: a normalization behind the last one.
    """

    def __init__(self, decoder_layer: Module, num_layers: int, norm: Module | None = None) -> None:
        super().__init__()
        self.layers = _clones(decoder_layer, num_layers)
        self.num_layers = num_layers
        self.norm = norm

    def forward(
        self,
        tgt: Tensor,
        memory: Tensor,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
        tgt_is_causal: bool | None = None,
        memory_is_causal: bool = False,
    ) -> Tensor:
        """The output of the last layer, of the shape of ``tgt``; the masks are those of `MultiheadAttention`."""
        output = tgt
        for layer in self.layers:
            output = layer(
                output,
                memory,
                tgt_mask=tgt_mask,
                memory_mask=memory_mask,
                tgt_key_padding_mask=tgt_key_padding_mask,
                memory_key_padding_mask=memory_key_padding_mask,
                tgt_is_causal=bool(tgt_is_causal),
                memory_is_causal=memory_is_causal,
            )
        return output if self.norm is None else self.norm(output)


class Transformer(Module):
    """An encoder and a decoder that attends to its output.

    Args:
        d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps: see `TransformerEncoderLayer`.
        batch_first, norm_first, bias, device, dtype: see `TransformerEncoderLayer`.
        num_encoder_layers, num_decoder_layers: how many layers there are.
        custom_encoder, custom_decoder: modules to use instead.
    """

    def __init__(
        self,
        d_model: int = 512,
        nhead: int = 8,
        num_encoder_layers: int = 6,
        num_decoder_layers: int = 6,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: Activation = F.relu,
        custom_encoder: Module | None = None,
        custom_decoder: Module | None = None,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: DeviceLike = None,
        dtype: DType | None = None,
    ) -> None:
        super().__init__()
        sizes = (d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps, batch_first, norm_first, bias)
        if custom_encoder is None:
            encoder_layer = TransformerEncoderLayer(*sizes, device=device, dtype=dtype)
            norm = LayerNorm(d_model, eps=layer_norm_eps, bias=bias, device=device, dtype=dtype)
            custom_encoder = TransformerEncoder(encoder_layer, num_encoder_layers, norm)
        self.encoder = custom_encoder
        if custom_decoder is None:
            decoder_layer = TransformerDecoderLayer(*sizes, device=device, dtype=dtype)
            norm = LayerNorm(d_model, eps=layer_norm_eps, bias=bias, device=device, dtype=dtype)
            custom_decoder = TransformerDecoder(decoder_layer, num_decoder_layers, norm)
        self.decoder = custom_decoder
        self._reset_parameters()
        self.d_model = d_model
        self.nhead = nhead
        self.batch_first = batch_first

    def forward(
        self,
        src: Tensor,
        tgt: Tensor,
        src_mask: Tensor | None = None,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
        src_is_causal: bool | None = None,
        tgt_is_causal: bool | None = None,
        memory_is_causal: bool = False,
    ) -> Tensor:
        """The decoder's output, of the shape of ``tgt``; the masks are those of `MultiheadAttention`.

        Raises:
            RuntimeError: batches of two sizes, or features other than ``d_model``.
        """
        axis = 0 if self.batch_first else 1
        if src.dim() == 3 and src.shape[axis] != tgt.shape[axis]:
            raise RuntimeError("the batch number of src and tgt must be equal")
        if src.shape[-1] != self.d_model or tgt.shape[-1] != self.d_model:
            raise RuntimeError("the feature number of src and tgt must be equal to d_model")
        memory = self.encoder(src, mask=src_mask, src_key_padding_mask=src_key_padding_mask, is_causal=src_is_causal)
        found: Tensor = self.decoder(
            tgt,
            memory,
            tgt_mask=tgt_mask,
            memory_mask=memory_mask,
            tgt_key_padding_mask=tgt_key_padding_mask,
            memory_key_padding_mask=memory_key_padding_mask,
            tgt_is_causal=tgt_is_causal,
            memory_is_causal=memory_is_causal,
        )
        return found

    @staticmethod
    def generate_square_subsequent_mask(sz: int, device: DeviceLike = None, dtype: DType | None = None) -> Tensor:
        """(sz, sz): the mask that is added so that a query sees no later key: -inf above the diagonal, else 0."""
        return triu(full((sz, sz), -inf, dtype=dtype, device=device), diagonal=1)

    def _reset_parameters(self) -> None:
        for parameter in self.parameters():
            if parameter.dim() > 1:
                init.xavier_uniform_(parameter)
