"""Gradient-check cases of connectionist temporal classification and of its gradient."""

from __future__ import annotations

import numpy as np

from lazygrad.autodiff.recurrences import between
from lazygrad.ir.node import Node
from lazygrad.ir.primitives import alignment as al

from .case import Case, uniform
from .cases_structural import FIXED

STEPS, BATCH, CLASSES = 4, 2, 3
TARGETS = FIXED(np.array([[1, 1], [2, 0]]))
LENGTHS = FIXED(np.array([4, 3])), FIXED(np.array([2, 1]))
BLANK_LAST = FIXED(np.array([[0, 1], [-1, -1]]))
FULL_AND_EMPTY = FIXED(np.array([4, 4])), FIXED(np.array([2, 0]))


def _losses(scores: Node, *others: Node, blank: int = 0) -> Node:
    """What of a result is differentiated."""
    return between(between(al.ctc(scores, *others, blank=blank), 1, STEPS, STEPS + 1), 2, 0, 1)


def _gradients(cotangent: Node, scores: Node, *others: Node, blank: int = 0) -> Node:
    result = al.ctc(scores, *others, blank=blank)
    return al.ctc_gradients(cotangent, result, scores, *others, blank=blank)


_SCORES, _COTANGENT = uniform(STEPS, BATCH, CLASSES), uniform(BATCH, seed=1)

CASES = {
    "ctc": [
        Case(lambda x: _losses(x, TARGETS, *LENGTHS), (_SCORES,)),
        Case(lambda x: _losses(x, BLANK_LAST, *FULL_AND_EMPTY, blank=2), (_SCORES,)),
    ],
    "ctc_gradients": [Case(lambda g, x: _gradients(g, x, TARGETS, *LENGTHS), (_COTANGENT, _SCORES), 1)],
}
