"""The cross entropy of scores that a linear map makes."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from lazygrad.ir.dtype import DType, bfloat16, float16, float32, float64
from lazygrad.ops.arguments.operands import tensor_argument
from lazygrad.ops.linalg.products import linear
from lazygrad.ops.loss.classification import cross_entropy
from lazygrad.ops.shapes.reshaping import reshape
from lazygrad.tensor import Tensor

_POLICIES = ("auto", "accurate", "balanced", "compact")
_ACCUMULATED = (None, float16, bfloat16, float32, float64)


@dataclass(frozen=True)
class LinearCrossEntropyOptions:
    """How PyTorch cuts the batch of `linear_cross_entropy` into chunks. It is checked and kept, and changes nothing.

    Attributes:
        allow_retain_graph: whether `backward` may run twice; it always may here.
        batch_chunk_size: rows of a chunk.
        chunking_method: ``"auto"``, ``"aspect_ratio"``, ``"aspect_ratio:N"`` or None.
        acc_policy: ``"auto"``, ``"accurate"``, ``"balanced"`` or ``"compact"``.
        acc_dtype: the dtype that sums are made in.

    Raises:
        ValueError: anything else.
    """

    allow_retain_graph: bool = False
    batch_chunk_size: int | None = None
    chunking_method: str | None = "auto"
    acc_policy: str = "auto"
    acc_dtype: DType | None = None

    def __post_init__(self) -> None:
        if self.acc_policy not in _POLICIES:
            raise ValueError(f"invalid acc_policy: {self.acc_policy!r}")
        if self.chunking_method not in (None, "auto"):
            name, _, factor = self.chunking_method.partition(":")
            is_number = factor.isdigit() and int(factor) > 0
            if name != "aspect_ratio" or not (is_number or self.chunking_method == name):
                raise ValueError(f"invalid chunking_method: {self.chunking_method!r}")
        size = self.batch_chunk_size
        if size is not None and not (isinstance(size, int) and size > 0):
            raise ValueError(f"batch_chunk_size must be positive int or None, got {size!r}")
        if self.acc_dtype not in _ACCUMULATED:
            raise ValueError(f"acc_dtype must be None or a floating dtype, got {self.acc_dtype!r}")


def linear_cross_entropy(
    input: Tensor,
    linear_weight: Tensor,
    target: Tensor,
    *,
    linear_bias: Tensor | None = None,
    weight: Tensor | None = None,
    reduction: str = "mean",
    ignore_index: int | None = None,
    label_smoothing: float = 0.0,
    options: LinearCrossEntropyOptions | None = None,
) -> Tensor:
    """`cross_entropy` of ``input · linear_weightᵀ + linear_bias``.

    Args:
        input: (in_features) or (N, in_features).
        linear_weight: (C, in_features), or (C, …, in_features) for scores with further dimensions.
        target: class indices or probabilities, as for `cross_entropy`.
        linear_bias: (C) or (C, …).
        weight, reduction, label_smoothing: as for `cross_entropy`.
        ignore_index: class indices that do not count; -100 for None.
        options: see `LinearCrossEntropyOptions`.

    Raises:
        RuntimeError: shapes that do not fit, or ``ignore_index`` beside probabilities.
    """
    shape = tensor_argument(linear_weight, "linear_cross_entropy", "linear_weight").shape
    rank = tensor_argument(input, "linear_cross_entropy").ndim
    if rank not in (1, 2):
        raise RuntimeError(f"expected input with dimensionality 1 or 2, got {rank}")
    if len(shape) < 2:
        raise RuntimeError(f"expected linear_weight with dimensionality at least 2, got {len(shape)}")
    if input.shape[-1] != shape[-1]:
        raise RuntimeError(f"expected equal input and linear_weight last dimensions (in_features), got "
                           f"{input.shape[-1]} and {shape[-1]}, respectively")  # fmt: skip
    scores = tuple(shape[:-1])
    if linear_bias is not None and tuple(linear_bias.shape) != scores:
        raise RuntimeError(f"expected linear_bias shape {scores}, got {tuple(linear_bias.shape)}")
    if len(scores) > 1 and rank == 1:
        raise RuntimeError(f"K-dimensional loss defined by linear_weight shape {tuple(shape)} requires batched input, "
                           f"(N, {shape[-1]}), got unbatched input with shape {tuple(input.shape)}")  # fmt: skip
    shape_of_scores = (*input.shape[:-1], *scores)
    if tuple(target.shape) == shape_of_scores and ignore_index is not None:
        raise RuntimeError("ignore_index cannot be specified when target contains probabilities")
    bias = None if linear_bias is None else reshape(linear_bias, (prod(scores),))
    logits = linear(input, reshape(linear_weight, (prod(scores), shape[-1])), bias)
    return cross_entropy(
        reshape(logits, shape_of_scores),
        target,
        weight=weight,
        ignore_index=-100 if ignore_index is None else ignore_index,
        reduction=reduction,
        label_smoothing=label_smoothing,
    )
