"""Distances and similarities of vectors as layers."""

from __future__ import annotations

from lazygrad.nn import functional as F
from lazygrad.nn.core.module import Module
from lazygrad.tensor import Tensor

__all__ = ["PairwiseDistance", "CosineSimilarity"]


class PairwiseDistance(Module):
    """‖x1 − x2 + eps‖ₚ of the last dimension.

    Args:
        p: of the norm.
        eps: added to each difference, so that the norm of equal vectors has a gradient.
        keepdim: keep the last dimension, with size 1.
    """

    def __init__(self, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False) -> None:
        super().__init__()
        self.norm = p
        self.eps = eps
        self.keepdim = keepdim

    def forward(self, x1: Tensor, x2: Tensor) -> Tensor:
        return F.pairwise_distance(x1, x2, self.norm, self.eps, self.keepdim)


class CosineSimilarity(Module):
    """The cosine of the angle between vectors along ``dim``, whose norms count as at least ``eps``."""

    def __init__(self, dim: int = 1, eps: float = 1e-8) -> None:
        super().__init__()
        self.dim = dim
        self.eps = eps

    def forward(self, x1: Tensor, x2: Tensor) -> Tensor:
        return F.cosine_similarity(x1, x2, self.dim, self.eps)
