"""What all losses share."""

from __future__ import annotations

from lazygrad.ir.user_warning import warn_user
from lazygrad.nn.core.module import Module
from lazygrad.tensor import Tensor


class _Loss(Module):
    """A loss with a reduction. ``size_average`` and ``reduce`` are PyTorch's former spelling of ``reduction``."""

    def __init__(self, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean") -> None:
        super().__init__()
        if size_average is not None or reduce is not None:
            reduction = _former_reduction(size_average, reduce)
        self.reduction = reduction


class _WeightedLoss(_Loss):
    """A loss with a weight for each class or element, which moves with the module."""

    def __init__(
        self,
        weight: Tensor | None = None,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.register_buffer("weight", weight)


def _former_reduction(size_average: bool | None, reduce: bool | None) -> str:
    """``reduction`` for the two arguments that said the same before it existed; both default to True."""
    if reduce is False:
        reduction = "none"
    else:
        reduction = "sum" if size_average is False else "mean"
    warn_user(
        f"size_average and reduce args will be deprecated, please use reduction='{reduction}' instead.",
    )
    return reduction
