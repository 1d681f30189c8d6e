"""Connectionist temporal classification spelled out step by step, for what differentiates its gradient."""

from __future__ import annotations

from collections.abc import Sequence

from lazygrad.autodiff.recurrences import at, between
from lazygrad.ir.build import expand, filled, iota, reshape
from lazygrad.ir.dtype import int64
from lazygrad.ir.node import Node
from lazygrad.ir.primitives import elementwise as ew
from lazygrad.ir.primitives.indexing import concat, gather
from lazygrad.ir.primitives.leaf import detach

# The logarithm of an impossible event: finite, so that its sums and gradients are numbers.
_IMPOSSIBLE = -1e30


def spelled_out_losses(scores: Node, others: Sequence[Node], blank: int) -> Node:
    """The losses that `ctc` gives where alignments exist, by operations that have derivatives; (N,).

    Args:
        scores: logarithms of probabilities.
        others: the other inputs of `ctc`.
        blank: its attribute.
    """
    targets, steps, labels = others
    (time, batch, _), places = scores.shape, 2 * targets.shape[1] + 1
    position = reshape(iota(places, int64, scores.device), (1, places))
    last = reshape(labels, (batch, 1)) * 2
    label = _where(ew.lt(position, last), _between_blanks(targets, blank), blank)
    skips = ew.ne(label, _behind(label, 2, blank))
    emitted = gather(scores, expand(reshape(label, (1, batch, places)), (time, batch, places)), axis=2, wraps=False)
    forward = filled((batch, places), _IMPOSSIBLE, scores)
    start = _where(ew.lt(position, position.like(2)), forward.like(0), _IMPOSSIBLE)
    for step in range(time):
        across = _where(skips, _behind(forward, 2, _IMPOSSIBLE), _IMPOSSIBLE)
        reached = _log_sum(forward, _behind(forward, 1, _IMPOSSIBLE), across) if step else start
        new = ew.maximum(reached + at(emitted, step), scores.like(_IMPOSSIBLE))
        forward = ew.where(reshape(ew.gt(steps, steps.like(step)), (batch, 1)), new, forward)
    on_blank = gather(forward, last, axis=1, wraps=False)
    on_label = gather(forward, ew.maximum(last - 1, last.like(0)), axis=1, wraps=False)
    return -reshape(_log_sum(on_blank, _where(ew.gt(last, last.like(0)), on_label, _IMPOSSIBLE)), (batch,))


def _log_sum(first: Node, *others: Node) -> Node:
    """ln(Σ eˣ), of which every derivative is finite: what keeps it from overflowing is a constant for them."""
    most = first
    for x in others:
        most = ew.maximum(most, x)
    most = detach(most)
    total = ew.exp(first - most)
    for x in others:
        total = total + ew.exp(x - most)
    return ew.log(total) + most


def _where(condition: Node, yes: Node, no: float) -> Node:
    return ew.where(condition, yes, yes.like(no))


def _between_blanks(targets: Node, blank: int) -> Node:
    batch, longest = targets.shape
    pairs = concat(filled((batch, longest, 1), blank, targets), reshape(targets, (batch, longest, 1)), axis=2)
    return concat(reshape(pairs, (batch, 2 * longest)), filled((batch, 1), blank, targets), axis=1)


def _behind(x: Node, distance: int, fill: float) -> Node:
    """The elements of each row moved on."""
    start = filled((x.shape[0], distance), fill, x)
    return between(concat(start, x, axis=1), 1, 0, x.shape[1])
