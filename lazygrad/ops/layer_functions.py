"""The functions of layers and losses at the top level, whose arguments are positional and whose choices are numbers.

`lazygrad.nn.functional` has the same functions with keywords, defaults and words. A ``reduction`` is 0 for "none",
1 for "mean" and 2 for "sum".
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lazygrad.ir.dtype import int64
from lazygrad.ops import loss
from lazygrad.ops.arguments.registering import inplace_variant
from lazygrad.ops.creation.filled import filled
from lazygrad.ops.layers import batch_normalization
from lazygrad.ops.layers import dropout as dropouts
from lazygrad.ops.layers.adaptive_pooling import adaptive_max_pool1d as _adaptive_max_pool1d
from lazygrad.ops.layers.bags import embedding_bag as _embedding_bag
from lazygrad.ops.layers.embedding import embedding as _embedding
from lazygrad.ops.shapes.padding import pad as _pad
from lazygrad.tensor import Tensor

# fmt: off
__all__ = [
    "adaptive_max_pool1d",
    "alpha_dropout", "alpha_dropout_", "batch_norm", "binary_cross_entropy_with_logits", "constant_pad_nd",
    "cosine_embedding_loss", "ctc_loss", "dropout", "dropout_", "embedding", "embedding_bag", "embedding_renorm_",
    "feature_alpha_dropout", "feature_alpha_dropout_", "feature_dropout", "feature_dropout_", "hinge_embedding_loss",
    "instance_norm", "kl_div", "margin_ranking_loss", "poisson_nll_loss", "triplet_margin_loss",
]
# fmt: on


def _word(reduction: int) -> str:
    """The name of a reduction.

    Raises:
        ValueError: a number that stands for none.
    """
    if reduction not in (0, 1, 2):
        raise ValueError(f"{reduction} is not a valid value for reduction: 0 is none, 1 is mean, 2 is sum")
    return ("none", "mean", "sum")[reduction]


# Pooling.


def adaptive_max_pool1d(input: Tensor, output_size: Any) -> tuple[Tensor, Tensor]:
    """`nn.functional.adaptive_max_pool1d`, and where the winners were."""
    found: tuple[Tensor, Tensor] = _adaptive_max_pool1d(input, output_size, return_indices=True)
    return found


# Dropout.


def dropout(input: Tensor, p: float, train: bool) -> Tensor:
    """`nn.functional.dropout`. RuntimeError, here, for a probability outside [0, 1]."""
    if not 0 <= p <= 1:
        raise RuntimeError(f"dropout probability has to be between 0 and 1, but got {p}")
    return dropouts.dropout(input, p, train)


def alpha_dropout(input: Tensor, p: float, train: bool) -> Tensor:
    """`nn.functional.alpha_dropout`."""
    return dropouts.alpha_dropout(input, p, train)


def feature_dropout(input: Tensor, p: float, train: bool) -> Tensor:
    """`dropout` of whole channels of an input (N, C, …)."""
    return dropouts.feature_dropout(input, p, train)


def feature_alpha_dropout(input: Tensor, p: float, train: bool) -> Tensor:
    """`nn.functional.feature_alpha_dropout`."""
    return dropouts.feature_alpha_dropout(input, p, train)


dropout_ = inplace_variant(dropout, "dropout_")
alpha_dropout_ = inplace_variant(alpha_dropout, "alpha_dropout_")
feature_dropout_ = inplace_variant(feature_dropout, "feature_dropout_")
feature_alpha_dropout_ = inplace_variant(feature_alpha_dropout, "feature_alpha_dropout_")

# Normalization.


def batch_norm(
    input: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    training: bool,
    momentum: float,
    eps: float,
    cudnn_enabled: bool,
) -> Tensor:
    """`nn.functional.batch_norm`; ``cudnn_enabled`` changes nothing."""
    return batch_normalization.batch_norm(input, running_mean, running_var, weight, bias, training, momentum, eps)


def instance_norm(
    input: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    use_input_stats: bool,
    momentum: float,
    eps: float,
    cudnn_enabled: bool,
) -> Tensor:
    """`nn.functional.instance_norm`; ``cudnn_enabled`` changes nothing."""
    return batch_normalization.instance_norm(
        input, running_mean, running_var, weight, bias, use_input_stats, momentum, eps
    )


# Tables.


def embedding(
    weight: Tensor, indices: Tensor, padding_idx: int = -1, scale_grad_by_freq: bool = False, sparse: bool = False
) -> Tensor:
    """`nn.functional.embedding`; a negative ``padding_idx`` names no row."""
    padding = padding_idx if padding_idx >= 0 else None
    return _embedding(indices, weight, padding, scale_grad_by_freq=scale_grad_by_freq, sparse=sparse)


def embedding_renorm_(input: Tensor, indices: Tensor, max_norm: float, norm_type: float) -> Tensor:
    """Shorten the rows of ``input`` that ``indices`` names to ``max_norm``, in place."""
    _embedding(indices, input.detach(), max_norm=max_norm, norm_type=norm_type)
    return input


def embedding_bag(
    weight: Tensor,
    indices: Tensor,
    offsets: Tensor | None = None,
    scale_grad_by_freq: bool = False,
    mode: int = 0,
    sparse: bool = False,
    per_sample_weights: Tensor | None = None,
    include_last_offset: bool = False,
    padding_idx: int | None = None,
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """`nn.functional.embedding_bag` with mode 0 for sum, 1 for mean, 2 for max.

    Returns:
        The result, and three empty int64 tensors in place of what PyTorch keeps for its gradient.
    """
    result = _embedding_bag(
        indices,
        weight,
        offsets,
        scale_grad_by_freq=scale_grad_by_freq,
        mode=("sum", "mean", "max")[mode],
        sparse=sparse,
        per_sample_weights=per_sample_weights,
        include_last_offset=include_last_offset,
        padding_idx=padding_idx,
    )
    kept = [filled((0,), 0, int64, weight.device) for _ in range(3)]
    return result, kept[0], kept[1], kept[2]


def constant_pad_nd(input: Tensor, pad: Sequence[int], value: float = 0) -> Tensor:
    """`nn.functional.pad` in the mode constant."""
    return _pad(input, pad, "constant", value)


# Losses.


def ctc_loss(
    log_probs: Tensor,
    targets: Tensor,
    input_lengths: Tensor | Sequence[int],
    target_lengths: Tensor | Sequence[int],
    blank: int = 0,
    reduction: int = 1,
    zero_infinity: bool = False,
) -> Tensor:
    """`nn.functional.ctc_loss`."""
    word = _word(reduction)
    return loss.ctc_loss(log_probs, targets, input_lengths, target_lengths, blank, word, zero_infinity)


def binary_cross_entropy_with_logits(
    input: Tensor, target: Tensor, weight: Tensor | None = None, pos_weight: Tensor | None = None, reduction: int = 1
) -> Tensor:
    """`nn.functional.binary_cross_entropy_with_logits`."""
    word = _word(reduction)
    return loss.binary_cross_entropy_with_logits(input, target, weight, reduction=word, pos_weight=pos_weight)


def cosine_embedding_loss(
    input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0.0, reduction: int = 1
) -> Tensor:
    """`nn.functional.cosine_embedding_loss`."""
    return loss.cosine_embedding_loss(input1, input2, target, margin, reduction=_word(reduction))


def hinge_embedding_loss(input: Tensor, target: Tensor, margin: float = 1.0, reduction: int = 1) -> Tensor:
    """`nn.functional.hinge_embedding_loss`."""
    return loss.hinge_embedding_loss(input, target, margin, reduction=_word(reduction))


def kl_div(input: Tensor, target: Tensor, reduction: int = 1, *, log_target: bool = False) -> Tensor:
    """`nn.functional.kl_div`."""
    return loss.kl_div(input, target, reduction=_word(reduction), log_target=log_target)


def margin_ranking_loss(
    input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0.0, reduction: int = 1
) -> Tensor:
    """`nn.functional.margin_ranking_loss`."""
    return loss.margin_ranking_loss(input1, input2, target, margin, reduction=_word(reduction))


def poisson_nll_loss(input: Tensor, target: Tensor, log_input: bool, full: bool, eps: float, reduction: int) -> Tensor:
    """`nn.functional.poisson_nll_loss`."""
    return loss.poisson_nll_loss(input, target, log_input, full, eps=eps, reduction=_word(reduction))


def triplet_margin_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    margin: float = 1.0,
    p: float = 2,
    eps: float = 1e-6,
    swap: bool = False,
    reduction: int = 1,
) -> Tensor:
    """`nn.functional.triplet_margin_loss`."""
    choices: dict[str, Any] = {"margin": margin, "p": p, "eps": eps, "swap": swap, "reduction": _word(reduction)}
    return loss.triplet_margin_loss(anchor, positive, negative, **choices)
