"""Connectionist temporal classification: the likelihood of a label sequence over all its alignments with the input.

Source: Graves et al., "Connectionist Temporal Classification", 2006; its forward variables, in logarithms.
"""

from __future__ import annotations

import builtins
from collections.abc import Sequence

import numpy as np

from lazygrad.ir.dtype import Category, float32, int64
from lazygrad.ir.primitives.alignment import ctc
from lazygrad.ir.primitives.leaf import straight_through
from lazygrad.ops.arguments.operands import tensor_argument
from lazygrad.ops.arguments.precision import single_precision_on_cpu
from lazygrad.ops.creation.from_data import tensor
from lazygrad.ops.creation.ranges import arange
from lazygrad.ops.loss.reducing import chosen_reduction, reduced
from lazygrad.ops.pointwise.elementary import exp
from lazygrad.ops.pointwise.relational import eq, ge
from lazygrad.ops.pointwise.selection import clamp, where
from lazygrad.ops.reductions.sums import sum
from lazygrad.ops.shapes.reshaping import reshape, unsqueeze
from lazygrad.tensor import Tensor
from lazygrad.tensor_base import record


@single_precision_on_cpu
def ctc_loss(
    log_probs: Tensor,
    targets: Tensor,
    input_lengths: Tensor | Sequence[int],
    target_lengths: Tensor | Sequence[int],
    blank: int = 0,
    reduction: str = "mean",
    zero_infinity: bool = False,
) -> Tensor:
    """−ln of the probability of the target sequence, summed over its alignments with the input.

    Args:
        log_probs: (T, N, C) or (T, C), the logarithms of probabilities, as from `log_softmax`.
        targets: (N, S), padded, or all sequences one after another; classes other than ``blank``.
        input_lengths, target_lengths: the lengths of the sequences, N each, which are computed now.
        blank: the class that separates labels.
        reduction: none, sum, or mean: each loss divided by the length of its target, then averaged.
        zero_infinity: 0 instead of ∞, and no gradient, where the input is too short for the target.

    Returns:
        A number, or (N,) without reduction. Its gradient is that of the input of a `log_softmax`, as in PyTorch.

    Raises:
        RuntimeError: lengths that do not fit, a blank out of range, dtypes.
    """
    reduction = chosen_reduction(reduction)
    if not tensor_argument(log_probs, "ctc_loss", "log_probs").dtype.is_floating_point:
        raise RuntimeError(f"ctc_loss: expected log_probs of a floating dtype, not {log_probs.dtype.name}")
    if tensor_argument(targets, "ctc_loss", "targets").dtype.category is not Category.INTEGER:
        raise RuntimeError(f"ctc_loss: expected targets of an integer dtype, not {targets.dtype.name}")
    batched = log_probs.ndim == 3
    steps = log_probs if batched else unsqueeze(log_probs, 1)
    inputs, lengths = _lengths("input", input_lengths, steps), _lengths("target", target_lengths, steps)
    if not 0 <= blank < steps.shape[2]:
        raise RuntimeError(f"ctc_loss: blank must be in label range, but is {blank} with {steps.shape[2]} labels")
    if max(inputs, default=0) > steps.shape[0] or min((*inputs, *lengths), default=0) < 0:
        raise RuntimeError(f"ctc_loss: expected input_lengths between 0 and {steps.shape[0]}, but got {inputs}, and "
                           f"target_lengths {lengths} not negative")  # fmt: skip
    wide = steps.to(float32) if steps.dtype.is_half else steps
    ends, sizes = [tensor(each, dtype=int64, device=steps.device) for each in (inputs, lengths)]
    losses = _losses(wide, _padded_targets(targets, lengths, batched), ends, sizes, blank).to(steps.dtype)
    if zero_infinity:
        losses = where(eq(losses.detach(), float("inf")), 0.0, losses)
    if reduction == "mean":
        return reduced(losses / clamp(sizes, min=1), "mean")
    return reduced(losses if batched else reshape(losses, ()), reduction)


def _lengths(kind: str, given: Tensor | Sequence[int], steps: Tensor) -> list[int]:
    values = given.reshape(-1).tolist() if isinstance(given, Tensor) else [given] if isinstance(given, int) else given
    lengths = [int(value) for value in values]
    if len(lengths) != steps.shape[1]:
        raise RuntimeError(f"ctc_loss: {kind}_lengths must be of size batch_size {steps.shape[1]}, but got "
                           f"{len(lengths)}")  # fmt: skip
    return lengths


def _padded_targets(targets: Tensor, lengths: list[int], batched: bool) -> Tensor:
    """(N, S), whatever lies behind a sequence's end."""
    longest = max(lengths, default=0)
    if targets.ndim == 2 or not batched:
        rows = targets if targets.ndim == 2 else unsqueeze(targets, 0)
        if rows.shape[1] < longest:
            raise RuntimeError(f"ctc_loss: expected targets to have size at least {longest} at dimension 1, but got "
                               f"{list(targets.shape)}")  # fmt: skip
        return rows.to(int64)
    count = builtins.sum(lengths)
    if targets.shape[0] != count:
        raise RuntimeError(f"ctc_loss: expected targets of {count} labels in all, but got "
                           f"{targets.shape[0]}")  # fmt: skip
    width = 1 << (longest - 1).bit_length() if longest else 0  # few widths, since each is another program
    padded = np.zeros((len(lengths), width), np.int64)
    padded[np.arange(width) < np.array(lengths, np.int64)[:, None]] = targets.array()
    return tensor(padded, device=targets.device)


def _losses(log_probs: Tensor, targets: Tensor, ends: Tensor, sizes: Tensor, blank: int) -> Tensor:
    time, device = log_probs.shape[0], log_probs.device
    loss = record(ctc, (log_probs.node(), targets.node(), ends.node(), sizes.node()), (blank,))[:, time, 0]
    # The total probability of each step is 1, and constant; its gradient makes this one that of unnormalized inputs.
    counted = ge(unsqueeze(ends, 0), unsqueeze(arange(1, time + 1, device=device), 1))
    mass = sum(sum(exp(log_probs), 2) * counted.to(log_probs.dtype), 0)
    return record(straight_through, (loss.node(), (loss + mass).node()))
