"""Losses of scores for classes, and of probabilities."""

from __future__ import annotations

import math

from lazygrad.ir.dtype import DType
from lazygrad.nn import functional as F
from lazygrad.nn._types import DeviceLike
from lazygrad.nn.linear import Linear
from lazygrad.nn.loss.base import _Loss, _WeightedLoss
from lazygrad.ops.loss.linear_cross_entropy import LinearCrossEntropyOptions
from lazygrad.tensor import Tensor


class KLDivLoss(_Loss):
    """target·(log target − input), where ``input`` holds log-probabilities; so does target for ``log_target``.

    ``"batchmean"`` is a further reduction: the sum divided by the first dimension's size.
    """

    def __init__(
        self,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
        log_target: bool = False,
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.log_target = log_target

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.kl_div(input, target, reduction=self.reduction, log_target=self.log_target)


class BCELoss(_WeightedLoss):
    """−target·log(input) − (1 − target)·log(1 − input) for probabilities ``input``."""

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.binary_cross_entropy(input, target, weight=self.weight, reduction=self.reduction)


class BCEWithLogitsLoss(_Loss):
    """The binary cross entropy of σ(input).

    Args:
        weight: factor of each element.
        size_average: former spelling of ``reduction``.
        reduce: former spelling of ``reduction``.
        reduction: how the elements are combined.
        pos_weight: factor of the positive part of each class.
    """

    def __init__(
        self,
        weight: Tensor | None = None,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
        pos_weight: Tensor | None = None,
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.register_buffer("weight", weight)
        self.register_buffer("pos_weight", pos_weight)

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.binary_cross_entropy_with_logits(
            input, target, self.weight, pos_weight=self.pos_weight, reduction=self.reduction
        )


class NLLLoss(_WeightedLoss):
    """−input[target] for log-probabilities ``input``; arguments and shapes as for `CrossEntropyLoss`."""

    def __init__(
        self,
        weight: Tensor | None = None,
        size_average: bool | None = None,
        ignore_index: int = -100,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(weight, size_average, reduce, reduction)
        self.ignore_index = ignore_index

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.nll_loss(input, target, weight=self.weight, ignore_index=self.ignore_index, reduction=self.reduction)


class CrossEntropyLoss(_WeightedLoss):
    """−log softmax(input)[target].

    Args:
        weight: factor of each class, shape (C).
        size_average: former spelling of ``reduction``.
        ignore_index: targets of this value do not count.
        reduce: former spelling of ``reduction``.
        reduction: how the elements are combined; ``"mean"`` divides by the sum of the targets' weights.
        label_smoothing: share of the target distribution that is spread evenly over all classes.

    Shapes:
        input (C), (N, C) or (N, C, …); target class indices (), (N) or (N, …), or probabilities of input's shape.
    """

    def __init__(
        self,
        weight: Tensor | None = None,
        size_average: bool | None = None,
        ignore_index: int = -100,
        reduce: bool | None = None,
        reduction: str = "mean",
        label_smoothing: float = 0.0,
    ) -> None:
        super().__init__(weight, size_average, reduce, reduction)
        self.ignore_index = ignore_index
        self.label_smoothing = label_smoothing

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.cross_entropy(
            input,
            target,
            weight=self.weight,
            ignore_index=self.ignore_index,
            reduction=self.reduction,
            label_smoothing=self.label_smoothing,
        )


class LinearCrossEntropyLoss(_WeightedLoss):
    """The cross entropy of what a learned linear map, ``self.linear``, makes of the input.

    Args:
        in_features: size of the input's last dimension.
        num_classes: how many classes there are.
        out_features: sizes of further dimensions of the scores, behind that of the classes.
        bias: whether the map has an offset.
        device: where its parameters live.
        dtype: their dtype, the default one when left out.
        reduction: how the elements are combined.
        weight: factor of each class, shape (num_classes).
        ignore_index: class indices of this value do not count.
        label_smoothing: share of the target distribution that is spread evenly over all classes.
        options: see `LinearCrossEntropyOptions`.

    Shapes:
        input (in_features) or (N, in_features); target as for `CrossEntropyLoss`.

    Raises:
        RuntimeError: another shape of ``weight``, or a smoothing out of range.
    """

    def __init__(
        self,
        in_features: int,
        num_classes: int,
        *,
        out_features: tuple[int, ...] = (),
        bias: bool = False,
        device: DeviceLike = None,
        dtype: DType | None = None,
        reduction: str = "mean",
        weight: Tensor | None = None,
        ignore_index: int | None = None,
        label_smoothing: float = 0.0,
        options: LinearCrossEntropyOptions | None = None,
    ) -> None:
        if weight is not None and tuple(weight.shape) != (num_classes,):
            raise RuntimeError(f"expected weight shape to be {(num_classes,)}, got {tuple(weight.shape)}")
        if not 0 <= label_smoothing <= 1:
            raise RuntimeError(f"expected label_smoothing to be in range [0, 1], got {label_smoothing}")
        super().__init__(weight, reduction=reduction)
        self.num_classes = num_classes
        self.out_features = out_features
        self.ignore_index = ignore_index
        self.label_smoothing = label_smoothing
        self.linear = Linear(in_features, math.prod(out_features, start=num_classes), bias, device, dtype)
        self.options = options

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        scores = (self.num_classes, *self.out_features)
        bias = self.linear.bias
        return F.linear_cross_entropy(
            input,
            self.linear.weight.reshape((*scores, self.linear.in_features)),
            target,
            linear_bias=None if bias is None else bias.reshape(scores),
            weight=self.weight,
            reduction=self.reduction,
            ignore_index=self.ignore_index,
            label_smoothing=self.label_smoothing,
            options=self.options,
        )

    def extra_repr(self) -> str:
        return (
            f"in_features={self.linear.in_features}, num_classes={self.num_classes}, "
            f"out_features={self.out_features}, bias={self.linear.bias is not None}, reduction={self.reduction}, "
            f"ignore_index={self.ignore_index}, label_smoothing={self.label_smoothing}, options={self.options}"
        )


class CTCLoss(_Loss):
    """−ln of the probability of a label sequence, summed over all its alignments with the input.

    Source: Graves et al., "Connectionist Temporal Classification", 2006.

    Args:
        blank: the class that separates labels.
        reduction: how the losses of a batch are combined; ``"mean"`` divides each by the length of its target first.
        zero_infinity: 0 instead of ∞, and no gradient, where an input is too short for its target.

    Shapes:
        log_probs (T, N, C) or (T, C); targets (N, S), or all sequences one after another; lengths (N) or ().
    """

    def __init__(self, blank: int = 0, reduction: str = "mean", zero_infinity: bool = False) -> None:
        super().__init__(reduction=reduction)
        self.blank = blank
        self.zero_infinity = zero_infinity

    def forward(self, log_probs: Tensor, targets: Tensor, input_lengths: Tensor, target_lengths: Tensor) -> Tensor:
        return F.ctc_loss(
            log_probs, targets, input_lengths, target_lengths, self.blank, self.reduction, self.zero_infinity
        )
