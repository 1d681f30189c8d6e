"""Loss functions. ``reduction`` is ``"mean"``, ``"sum"`` or ``"none"`` (one value per element or row)."""

from lazygrad.ops.loss.classification import cross_entropy, nll_loss
from lazygrad.ops.loss.ctc import ctc_loss
from lazygrad.ops.loss.distance import huber_loss, l1_loss, mse_loss, smooth_l1_loss
from lazygrad.ops.loss.likelihood import gaussian_nll_loss, poisson_nll_loss
from lazygrad.ops.loss.linear_cross_entropy import linear_cross_entropy
from lazygrad.ops.loss.margin import (
    cosine_embedding_loss,
    hinge_embedding_loss,
    margin_ranking_loss,
    soft_margin_loss,
    triplet_margin_loss,
)
from lazygrad.ops.loss.multilabel import (
    multi_margin_loss,
    multilabel_margin_loss,
    multilabel_soft_margin_loss,
    triplet_margin_with_distance_loss,
)
from lazygrad.ops.loss.probability import binary_cross_entropy, binary_cross_entropy_with_logits, kl_div

__all__ = [
    "cross_entropy",
    "linear_cross_entropy",
    "nll_loss",
    "mse_loss",
    "l1_loss",
    "smooth_l1_loss",
    "huber_loss",
    "binary_cross_entropy",
    "binary_cross_entropy_with_logits",
    "kl_div",
    "gaussian_nll_loss",
    "poisson_nll_loss",
    "margin_ranking_loss",
    "hinge_embedding_loss",
    "cosine_embedding_loss",
    "triplet_margin_loss",
    "soft_margin_loss",
    "ctc_loss",
    "multi_margin_loss",
    "multilabel_margin_loss",
    "multilabel_soft_margin_loss",
    "triplet_margin_with_distance_loss",
]
