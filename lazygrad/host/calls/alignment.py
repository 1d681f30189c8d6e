"""Connectionist temporal classification, all sequences at once, step by step."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

Array = np.ndarray


def ctc(out: Array, scores: Array, targets: Array, steps: Array, labels: Array, *, blank: int) -> None:
    """The forward variables, and behind the last step the losses; see the op.

    Raises:
        IndexError: a label or a length is out of range.
    """
    places = _places(scores, targets, steps, labels, blank)
    time, emitted = len(scores), places.emitted(scores)
    out[...] = -np.inf
    out[:, time] = 0
    found = np.where(np.arange(out.shape[2]) < 2, out.dtype.type(0), out.dtype.type(-np.inf))
    for step in range(time):
        reached = places.sums(found, -1) if step else found
        found = np.where(places.exists, reached + emitted[:, step], -np.inf)
        out[:, step] = np.where((step < steps)[:, None], found, -np.inf)
    sequences, last = np.arange(len(out)), 2 * labels
    final = np.where((steps > 0)[:, None], out[sequences, np.maximum(steps - 1, 0)], -np.inf)
    on_blank, on_label = final[sequences, last], np.where(labels > 0, final[sequences, last - 1], -np.inf)
    losses = -np.logaddexp(on_blank, on_label)
    out[:, time, 0] = np.where((steps == 0) & (labels == 0), 0, losses)


def ctc_gradients(
    out: Array,
    cotangent: Array,
    result: Array,
    scores: Array,
    targets: Array,
    steps: Array,
    labels: Array,
    *,
    blank: int,
) -> None:
    """-cotangent times how likely each class is at each step, among all alignments; see the op.

    Raises:
        IndexError: a label or a length is out of range.
    """
    places = _places(scores, targets, steps, labels, blank)
    time, emitted = len(scores), places.emitted(scores)
    out[...] = 0
    sequences: Array = np.arange(len(result))[:, None]
    at: Array = np.arange(result.shape[2])
    losses = result[:, time, :1]
    impossible = losses == np.inf
    is_end = np.isin(at - 2 * labels[:, None], (0, -1))
    zero = result.dtype.type(0)
    onward = np.full(result.shape[::2], -np.inf, result.dtype)
    for step in reversed(range(time)):
        later = places.sums(onward + emitted[:, step + 1], 1) if step + 1 < time else onward
        onward = np.where(np.equal(steps, step + 1)[:, None], np.where(is_end, zero, -np.inf), later)
        onward = np.where(places.exists & (step < steps)[:, None], onward, -np.inf)
        likely = np.exp(result[:, step] + onward + np.where(impossible, 0, losses))
        np.add.at(out[step], (sequences, places.classes), -likely * cotangent[:, None])
    out[impossible[:, 0] & (np.arange(time)[:, None] < steps)] = np.nan
    out[:, cotangent == 0] = 0


@dataclass(frozen=True, slots=True)
class _Places:
    """Where an alignment may be: on a label, or on a blank before or after one; (N, 2 S + 1).

    Attributes:
        classes: what is emitted there.
        exists: whether the target is as long.
        skips: whether one may come here past the blank between, since the labels differ.
    """

    classes: Array
    exists: Array
    skips: Array

    def emitted(self, scores: Array) -> Array:
        """(N, T, 2 S + 1), the logarithms of the probabilities of what the places emit."""
        found: Array = np.take_along_axis(scores.transpose(1, 0, 2), self.classes[:, None], 2)
        return found

    def sums(self, variables: Array, direction: int) -> Array:
        """What reaches each place from itself and from the places before it (-1) or behind it (1)."""
        skips = self.skips if direction < 0 else _shifted(self.skips, 2, False)
        across = np.where(skips, _shifted(variables, 2 * direction, -np.inf), -np.inf)
        terms = np.stack([variables, _shifted(variables, direction, -np.inf), across])
        most = terms.max(0)
        most = np.where(most == -np.inf, 0, most)
        with np.errstate(divide="ignore"):
            total: Array = most + np.log(np.exp(terms - most).sum(0))
        return total


def _shifted(x: Array, distance: int, fill: float) -> Array:
    """Each row with the element that lies ``distance`` behind it in each place."""
    moved = np.full_like(x, fill)
    count = max(x.shape[1] - abs(distance), 0)
    if distance < 0:
        moved[:, x.shape[1] - count :] = x[:, :count]
    else:
        moved[:, :count] = x[:, x.shape[1] - count :]
    return moved


def _places(scores: Array, targets: Array, steps: Array, labels: Array, blank: int) -> _Places:
    time, batch, classes = scores.shape
    longest = targets.shape[1]
    known = np.arange(longest) < labels[:, None]
    if ((targets < 0) | (targets >= classes))[known].any():
        raise IndexError(f"ctc: a label is out of range with {classes} classes")
    if ((labels < 0) | (labels > longest) | (steps < 0) | (steps > time)).any():
        raise IndexError(f"ctc: a length is out of range with {time} steps and {longest} labels")
    names = np.full((batch, 2 * longest + 1), blank)
    names[:, 1::2] = np.where(known, targets, blank)
    skips = np.zeros(names.shape, bool)
    skips[:, 2:] = names[:, 2:] != names[:, :-2]
    return _Places(names, np.arange(2 * longest + 1) <= 2 * labels[:, None], skips)
