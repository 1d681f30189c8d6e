"""Losses of several classes at once: margins between classes, and independent yes-or-no decisions.

Formulas: PyTorch's documentation of the function of the same name.
"""

from __future__ import annotations

from collections.abc import Callable

from lazygrad.ir.composites.requirement import in_range
from lazygrad.ir.dtype import int64
from lazygrad.ops.arguments.operands import tensor_argument
from lazygrad.ops.arguments.precision import single_precision
from lazygrad.ops.creation.ranges import arange
from lazygrad.ops.indexing.gathering import gather
from lazygrad.ops.layers.similarity import pairwise_distance
from lazygrad.ops.layers.smooth_activations import logsigmoid
from lazygrad.ops.loss.reducing import chosen_reduction, reduced
from lazygrad.ops.pointwise.relational import eq, minimum
from lazygrad.ops.pointwise.selection import clamp, where
from lazygrad.ops.reductions.scans import cumsum
from lazygrad.ops.reductions.sums import any, mean, sum
from lazygrad.ops.shapes.reshaping import reshape, unsqueeze
from lazygrad.tensor import Tensor
from lazygrad.tensor_base import record


def _rows(name: str, input: Tensor) -> Tensor:
    """(N, C); a vector is one row.

    Raises:
        RuntimeError: another rank, or no classes.
    """
    if tensor_argument(input, name).ndim not in (0, 1, 2) or (input.ndim and input.shape[-1] == 0):
        raise RuntimeError(f"{name}: expected a non-empty vector or matrix for input, but got {list(input.shape)}")
    return input if input.ndim == 2 else reshape(input, (1, -1))


def _classes_between(low: int, what: str, target: Tensor, classes: int) -> Tensor:
    """``target``, once it is known that each element is at least ``low`` and below the number of classes."""
    message = f"{what} out of range: class {{}} is not between {low} and {classes - 1}"
    return record(in_range, (target.node(),), (low, classes - 1, "RuntimeError", message))


@single_precision
def multi_margin_loss(
    input: Tensor,
    target: Tensor,
    p: int = 1,
    margin: float = 1.0,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """Σ max(0, margin − x[class] + x[i])^p / C over the other classes i.

    Args:
        input: (N, C) or (C).
        target: the classes, (N) or a number, int64.
        p: 1 or 2.
        margin: by how much the class should win.
        weight: a factor for each class.
        size_average, reduce: PyTorch's former words for ``reduction``.
        reduction: mean, sum or none.

    Raises:
        ValueError: another ``p`` or weights that do not fit. RuntimeError: shapes or dtypes that do not fit; when the
            loss is computed, a class that does not exist.
    """
    reduction = chosen_reduction(reduction, size_average, reduce)
    rows = _rows("multi_margin_loss", input)
    if p not in (1, 2):
        raise ValueError("only p == 1 and p == 2 supported")
    if weight is not None and weight.ndim != 1:
        raise ValueError("weight must be one-dimensional")
    if target.dtype is not int64 or target.shape.numel() != rows.shape[0] or target.ndim > 1:
        raise RuntimeError(f"multi_margin_loss: inconsistent target size, expected {rows.shape[0]} classes of int64 "
                           f"but got {target.dtype.name} {list(target.shape)}")  # fmt: skip
    chosen = reshape(_classes_between(0, "multi_margin_loss: target", target, rows.shape[1]), (-1, 1))
    short = clamp(margin - gather(rows, 1, chosen) + rows, min=0) ** p
    if weight is not None:
        short = short * reshape(gather(weight, 0, reshape(chosen, -1)), (-1, 1))
    classes = arange(rows.shape[1], device=rows.device)
    losses = sum(where(eq(classes, chosen), 0.0, short), 1) / rows.shape[1]
    return reduced(losses if input.ndim == 2 or reduction != "none" else reshape(losses, target.shape), reduction)


@single_precision
def multilabel_margin_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """Σ max(0, 1 − (x[y] − x[i])) / C over the classes y of the target and i not in it.

    Args:
        input: (N, C) or (C).
        target: like ``input``, int64: classes, up to the first -1.
        size_average, reduce: PyTorch's former words for ``reduction``.
        reduction: mean, sum or none.

    Raises:
        RuntimeError: shapes or dtypes that do not fit; when the loss is computed, a class that does not exist.
    """
    reduction = chosen_reduction(reduction, size_average, reduce)
    rows = _rows("multilabel_margin_loss", input)
    if target.shape != input.shape or target.dtype is not int64:
        raise RuntimeError(f"multilabel_margin_loss: inconsistent target size: {list(target.shape)} of "
                           f"{target.dtype.name} for input of size: {list(input.shape)}")  # fmt: skip
    what = "multilabel_margin_loss: target is"
    labels = reshape(_classes_between(-1, what, target, rows.shape[1]), rows.shape)
    named = eq(cumsum((labels < 0).to(int64), 1), 0)
    safe = where(named, labels, 0)
    classes = arange(rows.shape[1], device=rows.device)
    hits = eq(unsqueeze(safe, 2), classes) & unsqueeze(named, 2)  # (N, place in the target, class)
    others = ~any(hits, 1)
    gaps = clamp(1 - unsqueeze(gather(rows, 1, safe), 2) + unsqueeze(rows, 1), min=0)
    counted = unsqueeze(named, 2) & unsqueeze(others, 1)
    losses = sum(where(counted, gaps, 0.0), (1, 2)) / rows.shape[1]
    return reduced(losses if input.ndim == 2 or reduction != "none" else reshape(losses, ()), reduction)


def multilabel_soft_margin_loss(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """−Σ y · ln σ(x) + (1 − y) · ln σ(−x), averaged over the classes, the last dimension.

    Args:
        input: (…, C).
        target: like ``input``, 0 or 1.
        weight: a factor for each class.
        size_average, reduce: PyTorch's former words for ``reduction``.
        reduction: mean, sum or none.

    Raises:
        ValueError: an unknown reduction.
    """
    reduction = chosen_reduction(reduction, size_average, reduce)
    terms = -(target * logsigmoid(input) + (1 - target) * logsigmoid(-input))
    return reduced(mean(terms if weight is None else terms * weight, -1), reduction)


def triplet_margin_with_distance_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    *,
    distance_function: Callable[[Tensor, Tensor], Tensor] | None = None,
    margin: float = 1.0,
    swap: bool = False,
    reduction: str = "mean",
) -> Tensor:
    """max(0, d(anchor, positive) − d(anchor, negative) + margin), for a distance of one's own.

    Args:
        anchor, positive, negative: of one rank.
        distance_function: d; `pairwise_distance` by default.
        margin: by how much the negative should be farther.
        swap: compare with d(positive, negative) where that is smaller.
        reduction: mean, sum or none.

    Raises:
        ValueError: an unknown reduction, or a margin that is not positive. RuntimeError: ranks that differ.
    """
    reduction = chosen_reduction(reduction)
    if margin <= 0:
        raise ValueError(f"margin must be greater than 0, got {margin}")
    if not anchor.ndim == positive.ndim == negative.ndim:
        raise RuntimeError(f"The anchor, positive, and negative tensors are expected to have the same number of "
                           f"dimensions, but got: anchor {anchor.ndim}D, positive {positive.ndim}D, and negative "
                           f"{negative.ndim}D inputs")  # fmt: skip
    distance = distance_function or pairwise_distance
    near, far = distance(anchor, positive), distance(anchor, negative)
    if swap:
        far = minimum(far, distance(positive, negative))
    return reduced(clamp(margin + near - far, min=0), reduction)
