"""How close vectors are."""

from __future__ import annotations

from lazygrad.ops.arguments.operands import promoted
from lazygrad.ops.arguments.tracing import traced
from lazygrad.ops.layers.normalization import normalize
from lazygrad.ops.pointwise.arithmetic import add, mul, sub
from lazygrad.ops.reductions.norm import norm
from lazygrad.ops.reductions.sums import sum
from lazygrad.ops.shapes.reshaping import broadcast_tensors
from lazygrad.tensor import Tensor

__all__ = ["cosine_similarity", "pairwise_distance"]


@traced
def cosine_similarity(x1: Tensor, x2: Tensor, dim: int = 1, eps: float = 1e-8) -> Tensor:
    """x1·x2 / (max(‖x1‖₂, eps) · max(‖x2‖₂, eps)) along ``dim`` of the broadcast operands.

    Raises:
        RuntimeError: integers or bools, or shapes that do not broadcast.
        IndexError: ``dim`` out of range.
    """
    first, second = broadcast_tensors(*[Tensor.from_node(node) for node in promoted("cosine_similarity", x1, x2)])
    return sum(mul(normalize(first, 2.0, dim, eps), normalize(second, 2.0, dim, eps)), dim)


@traced
def pairwise_distance(x1: Tensor, x2: Tensor, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False) -> Tensor:
    """‖x1 − x2 + eps‖ₚ along the last dimension of the broadcast operands.

    Raises:
        RuntimeError: integers or bools, or shapes that do not broadcast.
    """
    return norm(add(sub(x1, x2), eps), p, -1, keepdim)
