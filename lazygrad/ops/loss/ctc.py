"""Connectionist temporal classification: the likelihood of a label sequence over all its alignments with the input.

Source: Graves et al., "Connectionist Temporal Classification", 2006; its forward variables, in logarithms.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from lazygrad.ir.dtype import Category, int64
from lazygrad.ir.primitives.leaf import straight_through
from lazygrad.ops.arguments.operands import tensor_argument
from lazygrad.ops.creation.filled import filled
from lazygrad.ops.creation.from_data import tensor
from lazygrad.ops.creation.ranges import arange
from lazygrad.ops.indexing.gathering import gather
from lazygrad.ops.loss.reducing import chosen_reduction, reduced
from lazygrad.ops.pointwise.elementary import exp
from lazygrad.ops.pointwise.log_functions import logaddexp
from lazygrad.ops.pointwise.relational import ge, gt, lt, ne
from lazygrad.ops.pointwise.selection import clamp, where
from lazygrad.ops.reductions.sums import sum
from lazygrad.ops.shapes.joining import cat, stack
from lazygrad.ops.shapes.parts import between, select
from lazygrad.ops.shapes.reshaping import expand, reshape, unsqueeze
from lazygrad.tensor import Tensor, record

# The logarithm of an impossible event: finite, so that its sums and gradients are numbers.
_IMPOSSIBLE = -1e30


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
    padded = _without_padding(_padded_targets(targets, lengths, batched), lengths, blank)
    losses = _negative_log_likelihood(steps, padded, inputs, lengths, blank)
    impossible = gt(losses.detach(), -_IMPOSSIBLE / 2)
    losses = where(impossible, 0.0 if zero_infinity else float("inf"), losses)
    if reduction == "mean":
        divisor = tensor([max(length, 1) for length in lengths], dtype=losses.dtype, device=losses.device)
        return reduced(losses / divisor, "mean")
    return reduced(losses if batched else reshape(losses, ()), reduction)


def _lengths(kind: str, given: Tensor | Sequence[int], steps: Tensor) -> list[int]:
    values = given.reshape(-1).tolist() if isinstance(given, Tensor) else [given] if isinstance(given, int) else given
    lengths = [int(value) for value in values]
    if len(lengths) != steps.shape[1]:
        raise RuntimeError(f"ctc_loss: {kind}_lengths must be of size batch_size {steps.shape[1]}, but got "
                           f"{len(lengths)}")  # fmt: skip
    return lengths


def _padded_targets(targets: Tensor, lengths: list[int], batched: bool) -> Tensor:
    """(N, longest), whatever lies behind a sequence's end."""
    longest = max(lengths, default=0)
    if targets.ndim == 2 or not batched:
        rows = targets if targets.ndim == 2 else unsqueeze(targets, 0)
        if rows.shape[1] < longest:
            raise RuntimeError(f"ctc_loss: expected targets to have size at least {longest} at dimension 1, but got "
                               f"{list(targets.shape)}")  # fmt: skip
        return between(rows, 1, 0, longest).to(int64)
    ends = list(accumulate(lengths))
    if (ends[-1] if ends else 0) != targets.shape[0]:
        raise RuntimeError(f"ctc_loss: expected targets of {ends[-1] if ends else 0} labels in all, but got "
                           f"{targets.shape[0]}")  # fmt: skip
    sequences = []
    for end, length in zip(ends, lengths, strict=True):
        fill = filled((longest - length,), 0, targets.dtype, targets.device)
        sequences.append(cat([between(targets, 0, end - length, end), fill], 0))
    return stack(sequences, 0).to(int64)


def _without_padding(targets: Tensor, lengths: list[int], blank: int) -> Tensor:
    """The targets with blanks behind each sequence's end, where anything may lie, such as -1."""
    ends = tensor([[length] for length in lengths], dtype=int64, device=targets.device)
    return where(lt(arange(targets.shape[1], device=targets.device), ends), targets, blank)


def _shifted(forward: Tensor, distance: int) -> Tensor:
    start = filled((forward.shape[0], distance), _IMPOSSIBLE, forward.dtype, forward.device)
    return between(cat([start, forward], 1), 1, 0, forward.shape[1])


def _negative_log_likelihood(
    log_probs: Tensor, targets: Tensor, inputs: list[int], lengths: list[int], blank: int
) -> Tensor:
    (time, batch, _), places = log_probs.shape, 2 * targets.shape[1] + 1
    device, dtype = log_probs.device, log_probs.dtype
    # Labels with blanks around them; a label may follow another one without the blank between if they differ.
    blanks = filled((batch, targets.shape[1]), blank, int64, device)
    labels = reshape(stack([blanks, targets], 2), (batch, places - 1))
    labels = cat([labels, filled((batch, 1), blank, int64, device)], 1)
    skips = ne(labels, blank) & ne(labels, _shifted_labels(labels, blank))
    emitted = gather(log_probs, 2, expand(unsqueeze(labels, 0), (time, batch, places)))
    ends = tensor(inputs, device=device)
    forward = where(lt(arange(places, device=device), 2), select(emitted, 0, 0), _IMPOSSIBLE)
    for step in range(1, time):
        across = where(skips, _shifted(forward, 2), _IMPOSSIBLE)
        following = logaddexp(logaddexp(forward, _shifted(forward, 1)), across) + select(emitted, 0, step)
        forward = where(unsqueeze(gt(ends, step), 1), clamp(following, min=_IMPOSSIBLE), forward)
    last = tensor([[2 * length] for length in lengths], dtype=int64, device=device)
    on_blank, on_label = gather(forward, 1, last), gather(forward, 1, clamp(last - 1, min=0))
    found = logaddexp(on_blank, where(gt(last, 0), on_label, _IMPOSSIBLE))
    loss = -reshape(found, (batch,))
    # The total probability of each step is 1, and constant; its gradient makes this one that of unnormalized inputs.
    counted = ge(unsqueeze(ends, 0), unsqueeze(arange(1, time + 1, device=device), 1))
    mass = sum(sum(exp(log_probs), 2) * counted.to(dtype), 0)
    return record(straight_through, (loss.node(), (loss + mass).node()))


def _shifted_labels(labels: Tensor, blank: int) -> Tensor:
    start = filled((labels.shape[0], 2), blank, int64, labels.device)
    return between(cat([start, labels], 1), 1, 0, labels.shape[1])
