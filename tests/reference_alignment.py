"""Evaluators of connectionist temporal classification: sums of probabilities, and gradients by complex steps.

Squire and Trapp, "Using Complex Variables to Estimate Derivatives of Real Functions", SIAM Review 40(1), 1998.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from lazygrad.ir.node import Node

Array = np.ndarray
_STEP = 1e-30


def _sums(node: Node, scores: Array, target: Array) -> Array:
    """Of one sequence, (steps, places): the probability of the steps so far, of all alignments that end at a place."""
    names = [node["blank"]] * (2 * len(target) + 1)
    names[1::2] = [int(label) for label in target]
    sums = np.zeros((len(scores), len(names)), scores.dtype)
    for step, row in enumerate(np.exp(scores)):
        for place, name in enumerate(names):
            from_places = [place, place - 1]
            if place >= 2 and name != names[place - 2]:
                from_places.append(place - 2)
            reached = sum(sums[step - 1, p] for p in from_places if p >= 0) if step else place < 2
            sums[step, place] = reached * row[name]
    return sums


def _loss(sums: Array) -> Any:
    if not len(sums):
        return 0.0 if sums.shape[1] == 1 else np.inf
    return -np.log(sums[-1, -2:].sum())


def _ctc(node: Node, scores: Array, targets: Array, steps: Array, labels: Array) -> Array:
    result = np.full(node.shape, -np.inf)
    result[:, -1] = 0
    for row, (time, count) in enumerate(zip(steps, labels, strict=True)):
        sums = _sums(node, scores[:time, row], targets[row, :count])
        with np.errstate(divide="ignore"):
            result[row, :time, : 2 * count + 1] = np.log(sums)
            result[row, -1, 0] = _loss(sums)
    return result


def _ctc_gradients(
    node: Node, cotangent: Array, _: Array, scores: Array, targets: Array, steps: Array, labels: Array
) -> Array:
    result = np.zeros(node.shape)
    for row, (time, count) in enumerate(zip(steps, labels, strict=True)):
        for place in np.ndindex(time, scores.shape[2]):
            moved = scores[:time, row].astype(complex)
            moved[place] += 1j * _STEP
            slope = _loss(_sums(node, moved, targets[row, :count])).imag / _STEP
            result[place[0], row, place[1]] = cotangent[row] * slope
    return result


EVALUATORS: dict[str, Callable[..., Any]] = {"ctc": _ctc, "ctc_gradients": _ctc_gradients}
