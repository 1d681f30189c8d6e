"""Losses that ask for a margin between scores, similarities or distances.

``size_average`` and ``reduce`` are PyTorch's former spelling of ``reduction``, which says how elements are combined.
"""

from __future__ import annotations

from collections.abc import Callable

from lazygrad.nn import functional as F
from lazygrad.nn.distance import PairwiseDistance
from lazygrad.nn.loss.base import _Loss, _WeightedLoss
from lazygrad.tensor import Tensor


class _LossWithMargin(_Loss):
    """A loss whose only option is its margin."""

    def __init__(
        self,
        margin: float = 0.0,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.margin = margin


class HingeEmbeddingLoss(_LossWithMargin):
    """The input, a distance, where the target is 1; max(0, margin − input) where it is −1."""

    def __init__(
        self,
        margin: float = 1.0,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(margin, size_average, reduce, reduction)

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.hinge_embedding_loss(input, target, margin=self.margin, reduction=self.reduction)


class CosineEmbeddingLoss(_LossWithMargin):
    """1 − cos(input1, input2) where the target is 1, max(0, cos − margin) where it is −1.

    Shapes:
        inputs (N, D) or (D); target (N) or ().
    """

    def forward(self, input1: Tensor, input2: Tensor, target: Tensor) -> Tensor:
        return F.cosine_embedding_loss(input1, input2, target, margin=self.margin, reduction=self.reduction)


class MarginRankingLoss(_LossWithMargin):
    """max(0, −target·(input1 − input2) + margin); the first should rank higher where the target is 1."""

    def forward(self, input1: Tensor, input2: Tensor, target: Tensor) -> Tensor:
        return F.margin_ranking_loss(input1, input2, target, margin=self.margin, reduction=self.reduction)


class SoftMarginLoss(_Loss):
    """ln(1 + e^(−target·input)) for targets 1 and −1."""

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.soft_margin_loss(input, target, reduction=self.reduction)


class MultiMarginLoss(_WeightedLoss):
    """Σ max(0, margin − x[class] + x[i])^p / C over the other classes i.

    Args:
        p: 1 or 2.
        margin: by how much the class should win.
        weight: factor of each class, shape (C).
        size_average: former spelling of ``reduction``.
        reduce: former spelling of ``reduction``.
        reduction: how the elements are combined.

    Raises:
        ValueError: another ``p``, or a weight that is no vector.
    """

    def __init__(
        self,
        p: int = 1,
        margin: float = 1.0,
        weight: Tensor | None = None,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(weight, size_average, reduce, reduction)
        if p not in (1, 2):
            raise ValueError("only p == 1 and p == 2 supported")
        if weight is not None and weight.dim() != 1:
            raise ValueError(f"MultiMarginLoss: expected weight to be None or 1D tensor, got {weight.dim()}D instead")
        self.p = p
        self.margin = margin

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.multi_margin_loss(
            input, target, p=self.p, margin=self.margin, weight=self.weight, reduction=self.reduction
        )


class MultiLabelMarginLoss(_Loss):
    """Σ max(0, 1 − (x[y] − x[i])) / C over the classes y of the target, up to the first −1, and all others i."""

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.multilabel_margin_loss(input, target, reduction=self.reduction)


class MultiLabelSoftMarginLoss(_WeightedLoss):
    """−(y·ln σ(x) + (1 − y)·ln σ(−x)), averaged over the classes, the last dimension."""

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.multilabel_soft_margin_loss(input, target, weight=self.weight, reduction=self.reduction)


def _check_margin(name: str, margin: float) -> None:
    if margin <= 0:
        raise ValueError(f"{name}: expected margin to be greater than 0, got {margin} instead")


class TripletMarginLoss(_Loss):
    """max(0, d(anchor, positive) − d(anchor, negative) + margin) for the p-norm distance d of the last dimension.

    Source: Balntas et al., "Learning local feature descriptors with triplets", 2016.

    Args:
        margin: how much closer the positive should be.
        p: of the norm.
        eps: added to differences, see `PairwiseDistance`.
        swap: also consider the distance of positive and negative, if smaller.
        size_average: former spelling of ``reduction``.
        reduce: former spelling of ``reduction``.
        reduction: how the elements are combined.

    Raises:
        ValueError: the margin is not positive.
    """

    def __init__(
        self,
        margin: float = 1.0,
        p: float = 2.0,
        eps: float = 1e-6,
        swap: bool = False,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        _check_margin("TripletMarginLoss", margin)
        self.margin = margin
        self.p = p
        self.eps = eps
        self.swap = swap

    def forward(self, anchor: Tensor, positive: Tensor, negative: Tensor) -> Tensor:
        return F.triplet_margin_loss(
            anchor,
            positive,
            negative,
            margin=self.margin,
            p=self.p,
            eps=self.eps,
            swap=self.swap,
            reduction=self.reduction,
        )


class TripletMarginWithDistanceLoss(_Loss):
    """max(0, d(anchor, positive) − d(anchor, negative) + margin), for a distance of one's own.

    Args:
        distance_function: d, which may be a module with parameters; `PairwiseDistance` by default.
        margin: how much closer the positive should be.
        swap: also consider the distance of positive and negative, if smaller.
        reduction: how the elements are combined.

    Raises:
        ValueError: the margin is not positive.
    """

    distance_function: Callable[[Tensor, Tensor], Tensor]

    def __init__(
        self,
        *,
        distance_function: Callable[[Tensor, Tensor], Tensor] | None = None,
        margin: float = 1.0,
        swap: bool = False,
        reduction: str = "mean",
    ) -> None:
        super().__init__(reduction=reduction)
        _check_margin("TripletMarginWithDistanceLoss", margin)
        self.distance_function = PairwiseDistance() if distance_function is None else distance_function
        self.margin = margin
        self.swap = swap

    def forward(self, anchor: Tensor, positive: Tensor, negative: Tensor) -> Tensor:
        return F.triplet_margin_with_distance_loss(
            anchor,
            positive,
            negative,
            distance_function=self.distance_function,
            margin=self.margin,
            swap=self.swap,
            reduction=self.reduction,
        )
