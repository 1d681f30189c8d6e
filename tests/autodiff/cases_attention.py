"""Gradient-check cases of attention and of its gradients."""

from __future__ import annotations

from math import inf

import numpy as np

from lazygrad.ir.build import filled
from lazygrad.ir.node import Node
from lazygrad.ir.primitives import attention as at

from .case import Case, uniform
from .cases_structural import FIXED

FLAGS = FIXED(np.array([[True, False, True], [False, True, True]]))
NOTHING = FIXED(np.array([[True, False, True], [False, False, False]]))
HEADS = (uniform(2, 2, 2), uniform(2, 3, 2, seed=1), uniform(2, 3, 2, seed=2))
BROADCAST = (uniform(2, 1, 2, 3), uniform(3, 3, seed=1), uniform(2, 3, 1, seed=2))


def _attend(
    q: Node, k: Node, v: Node, *mask: Node, causal: bool = False, masking: str = at.ADDED, zero: bool = False
) -> Node:
    return at.attend(q, k, v, filled((), 0.7, q), *mask, is_causal=causal, masking=masking, nothing_is_zero=zero)


def _gradients(g: Node, q: Node, k: Node, v: Node, *mask: Node, causal: bool = False, masking: str = at.ADDED) -> Node:
    scale = filled((), 0.7, q)
    return at.attend_gradients(g, q, k, v, scale, *mask, is_causal=causal, masking=masking, nothing_is_zero=True)


def _number(value: float, like: Node) -> Node:
    return filled((), value, like)


CASES = {
    "attend": [
        Case(_attend, HEADS),
        Case(lambda *x: _attend(*x, causal=True), HEADS),
        Case(_attend, BROADCAST),
        Case(lambda x: _attend(x, x, x), (uniform(2, 2),)),
        Case(_attend, (*HEADS, uniform(1, 3, seed=3))),
        Case(lambda *x: _attend(*x, FLAGS, _number(-inf, x[0]), masking=at.SHOWN), HEADS),
        Case(lambda *x: _attend(*x, NOTHING, _number(-inf, x[0]), masking=at.SHOWN, zero=True), HEADS),
        Case(lambda *x: _attend(*x, NOTHING, _number(-2.0, x[0]), masking=at.HIDDEN), HEADS),
    ],
    "attend_gradients": [
        Case(_gradients, (uniform(2, 2, 2, seed=4), *HEADS)),
        Case(lambda *x: _gradients(*x, causal=True), (uniform(2, 2, 2, seed=4), *HEADS)),
        Case(_gradients, (uniform(2, 2, 2, 1, seed=4), *BROADCAST)),
        Case(lambda *x: _gradients(*x, NOTHING, _number(-inf, x[0]), masking=at.SHOWN),
             (uniform(2, 2, 2, seed=4), *HEADS)),
        Case(_gradients, (uniform(2, 2, 2, seed=4), *HEADS, uniform(2, 3, seed=3))),
    ],
}  # fmt: skip
