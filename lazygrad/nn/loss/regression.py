"""Losses of numbers that should come close to other numbers."""

from __future__ import annotations

from lazygrad.nn import functional as F
from lazygrad.nn.loss.base import _Loss
from lazygrad.tensor import Tensor


class L1Loss(_Loss):
    """|input − target|."""

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.l1_loss(input, target, reduction=self.reduction)


class MSELoss(_Loss):
    """(input − target)²."""

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.mse_loss(input, target, reduction=self.reduction)


class SmoothL1Loss(_Loss):
    """d² / (2·beta) where the distance d is below ``beta``, d − beta / 2 elsewhere."""

    def __init__(
        self,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
        beta: float = 1.0,
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.beta = beta

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.smooth_l1_loss(input, target, reduction=self.reduction, beta=self.beta)


class HuberLoss(_Loss):
    """d² / 2 where the distance d is at most ``delta``, delta·(d − delta / 2) elsewhere.

    Raises:
        TypeError: ``delta`` is no number.
    """

    def __init__(self, reduction: str = "mean", delta: float = 1.0) -> None:
        if not isinstance(delta, (float, int)):
            raise TypeError(f"delta must be a float or int, got: {type(delta)}")
        super().__init__(reduction=reduction)
        self.delta = delta

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.huber_loss(input, target, reduction=self.reduction, delta=self.delta)


class PoissonNLLLoss(_Loss):
    """−ln of the probability of a count: e^input − target·input, without the term that the input does not change.

    Args:
        log_input: whether the input is the logarithm of the rate; otherwise the loss is input − target·ln(input + eps).
        full: add Stirling's approximation of ln(target!) where the target is above 1.
        size_average: former spelling of ``reduction``.
        eps: added to a rate before its logarithm is taken.
        reduce: former spelling of ``reduction``.
        reduction: how the elements are combined.
    """

    def __init__(
        self,
        log_input: bool = True,
        full: bool = False,
        size_average: bool | None = None,
        eps: float = 1e-8,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.log_input = log_input
        self.full = full
        self.eps = eps

    def forward(self, log_input: Tensor, target: Tensor) -> Tensor:
        return F.poisson_nll_loss(
            log_input, target, log_input=self.log_input, full=self.full, eps=self.eps, reduction=self.reduction
        )


class GaussianNLLLoss(_Loss):
    """½·(ln var + (input − target)² / var), −ln of the density of a normal distribution without its constant.

    Args:
        full: add the constant ½·ln 2π.
        eps: the least variance that is divided by.
        reduction: how the elements are combined.

    Shapes:
        input (N, …); target the same or one that broadcasts; var the same, with a last dimension of size 1, or without
        it; or a number.
    """

    def __init__(self, *, full: bool = False, eps: float = 1e-6, reduction: str = "mean") -> None:
        super().__init__(None, None, reduction)
        self.full = full
        self.eps = eps

    def forward(self, input: Tensor, target: Tensor, var: Tensor | float) -> Tensor:
        return F.gaussian_nll_loss(input, target, var, full=self.full, eps=self.eps, reduction=self.reduction)
