"""Gradient-check cases of the composites."""

from __future__ import annotations

from math import inf

import numpy as np

from lazygrad.ir.composites import activation as act
from lazygrad.ir.composites import normalization as nm
from lazygrad.ir.composites import optimizer as opt
from lazygrad.ir.composites import random
from lazygrad.ir.composites import softmax as sm
from lazygrad.ir.composites.attention import attention
from lazygrad.ir.composites.linear import linear
from lazygrad.ir.composites.lookup import lookup
from lazygrad.ir.composites.loss import binary_cross_entropy, cross_entropy
from lazygrad.ir.composites.quotient import truncated_quotient
from lazygrad.ir.composites.requirement import in_range, not_negative
from lazygrad.ir.dtype import int64
from lazygrad.ir.node import Node
from lazygrad.ir.primitives.leaf import runtime_number

from .case import Case, integers, uniform
from .cases_elementwise import OTHER, POSITIVE, SIGNED
from .cases_structural import FIXED

ROWS = uniform(2, 4)
IMAGE = uniform(2, 3, 2)
TARGET = FIXED(integers(3, 0, 1, -100))
DENSE_TARGET = FIXED(integers(1, 2, 0, 1, shape=(2, 2)))
TABLE_ROWS = FIXED(integers(1, 0, 1, 1, shape=(2, 2)))
KEPT = FIXED(np.arange(8).reshape(2, 4) % 3 > 0)
KEPT_ROWS = FIXED(np.array([[True], [False]]))
MASK = FIXED(np.array([[True, False, True], [False, False, False]]))
BIAS_MASK = FIXED(np.array([[0.0, -inf, 0.3], [-0.5, 0.0, 0.1]]))


def _random_arguments() -> tuple[Node, Node]:
    return runtime_number(3, int64), runtime_number(5, int64)


def _normalizations(op: object, **attrs: object) -> list[Case]:
    weight, bias = uniform(4, seed=2), uniform(4, seed=3)
    return [
        Case(lambda x: op(x, axes=(1,), eps=1e-2, has_weight=False, **attrs), (ROWS,), 3),
        Case(lambda x, w: op(x, w, axes=(1,), eps=1e-2, has_weight=True, **attrs), (ROWS, weight)),
        Case(lambda x, w: op(x, w, axes=(1, 2), eps=1e-2, has_weight=True, **attrs), (IMAGE, uniform(3, 2, seed=2))),
        *([] if not attrs else [Case(
            lambda x, w, b: op(x, w, b, axes=(1,), eps=1e-2, has_weight=True, has_bias=True), (ROWS, weight, bias))]),
    ]  # fmt: skip


def _batch_norm(x: Node, average: Node, variance: Node, *operands: Node) -> Node:
    given = len(operands) == 2
    return nm.batch_norm(x, average, variance, *operands, eps=1e-2, has_weight=given, has_bias=given)


def _trained_batch_norm(x: Node) -> Node:
    return _batch_norm(x, nm.average(x, axes=(0, 2)), nm.variance(x, axes=(0, 2), correction=0))


STATISTICS = (uniform(1, 3, 1), uniform(1, 3, 1, low=0.5))
HEADS = (uniform(2, 2, 2), uniform(2, 3, 2, seed=1), uniform(2, 3, 2, seed=2))
_LOSS = {"axis": 1, "ignore_index": -100, "label_smoothing": 0.0}

CASES: dict[str, list[Case]] = {
    **{name: [Case(getattr(act, name), (SIGNED,), 3)] for name in ("square", "sigmoid", "silu", "logsigmoid")},
    "clamp_min": [Case(lambda x: act.clamp_min(x, x.like(0.1)), (SIGNED,))],
    "clamp_max": [Case(lambda x: act.clamp_max(x, x.like(0.1)), (SIGNED,))],
    "lerp": [
        Case(lambda x, y, w, near=near: act.lerp(x, y, w, near_start=near), (SIGNED, OTHER, uniform(2, 3, seed=5)), 3)
        for near in (None, True, False)
    ],
    "truncated_quotient": [Case(truncated_quotient, (SIGNED, OTHER))],
    "relu": [Case(act.relu, (SIGNED,))],
    "reciprocal": [Case(act.reciprocal, (SIGNED,), 3)],
    "rsqrt": [Case(act.rsqrt, (POSITIVE,), 3)],
    "gelu": [Case(lambda x, a=a: act.gelu(x, approximate=a), (SIGNED,), 3) for a in ("none", "tanh")],
    "softplus": [Case(lambda x: act.softplus(x, beta=1.5, threshold=2.0), (SIGNED,))],
    "elu": [Case(lambda x: act.elu(x, alpha=0.7), (SIGNED,))],
    "leaky_relu": [Case(lambda x: act.leaky_relu(x, slope=0.1), (SIGNED,))],
    "softmax": [Case(lambda x: sm.softmax(x, axis=1), (ROWS,), 3), Case(lambda x: sm.softmax(x, axis=0), (ROWS,))],
    "log_softmax": [Case(lambda x: sm.log_softmax(x, axis=1), (ROWS,), 3)],
    "logsumexp": [Case(lambda x: sm.logsumexp(x, axes=(0, 2)), (IMAGE,), 3)],
    "average": [Case(lambda x: nm.average(x, axes=(0, 2)), (IMAGE,), 3)],
    "variance": [Case(lambda x, c=c: nm.variance(x, axes=(0, 2), correction=c), (IMAGE,), 3) for c in (0, 1)],
    "layer_norm": _normalizations(nm.layer_norm, has_bias=False),
    "rms_norm": _normalizations(nm.rms_norm),
    "batch_norm": [Case(_batch_norm, (IMAGE, *STATISTICS)),
                   Case(_batch_norm, (IMAGE, *STATISTICS, uniform(1, 3, 1, seed=4), uniform(1, 3, 1, seed=5))),
                   Case(_trained_batch_norm, (IMAGE,))],
    "lookup": [Case(lambda x: lookup(x, TABLE_ROWS, padding=None), (ROWS,))],
    "linear": [Case(linear, (uniform(2, 3), uniform(2, 3, seed=1)), 3),
               Case(linear, (uniform(2, 2, 3), uniform(2, 3, seed=1), uniform(2))),
               Case(linear, (uniform(3), uniform(2, 3, seed=1), uniform(2)))],
    "cross_entropy": [Case(lambda x: cross_entropy(x, TARGET, **_LOSS), (uniform(4, 4),), 3),
                      Case(lambda x, w: cross_entropy(x, TARGET, w, **_LOSS), (uniform(4, 4), uniform(4, low=0.1))),
                      Case(lambda x, w: cross_entropy(x, TARGET, w, **{**_LOSS, "label_smoothing": 0.2}),
                           (uniform(4, 4), uniform(4, low=0.1))),
                      Case(lambda x: cross_entropy(x, DENSE_TARGET, **{**_LOSS, "label_smoothing": 0.1}),
                           (uniform(2, 3, 2),))],
    "in_range": [Case(lambda x: in_range(x, low=-100, high=100, error="ValueError", message="") * x, (SIGNED,), 2)],
    "not_negative": [Case(lambda x: not_negative(x * x, error="ValueError", message="") * x, (SIGNED,), 2)],
    "binary_cross_entropy": [Case(binary_cross_entropy,
                                  (uniform(3, 4, low=0.1, high=0.9), uniform(3, 4, low=0.0, high=1.0, seed=1)))],
    "attention": [Case(lambda q, k, v: attention(q, k, v, is_causal=False, scale=0.5), HEADS),
                  Case(lambda q, k, v: attention(q, k, v, is_causal=True, scale=0.5), HEADS),
                  Case(lambda q, k, v: attention(q, k, v, MASK, is_causal=False, scale=0.5), HEADS),
                  Case(lambda q, k, v: attention(q, k, v, BIAS_MASK, is_causal=False, scale=0.5), HEADS),
                  Case(lambda x: attention(x, x, x, is_causal=False, scale=1.0), (uniform(2, 2),))],
    "dropout": [
        Case(lambda x: random.dropout(x, KEPT, p=0.4), (ROWS,)),
        Case(lambda x: random.dropout(x, KEPT_ROWS, p=0.4), (ROWS,)),
    ],
    "philox_dropout": [Case(lambda x: random.philox_dropout(x, *_random_arguments(), p=0.4), (uniform(4, 4),))],
    "adam_first_moment": [Case(opt.adam_first_moment, (uniform(3), uniform(3, seed=1), uniform()))],
    "adam_second_moment": [Case(opt.adam_second_moment, (uniform(3), uniform(3, seed=1), uniform(), uniform(seed=1)))],
    "adam_update": [Case(opt.adam_update, (uniform(3), uniform(3, seed=1), uniform(3, low=0.5), uniform(low=0.5),
                                           uniform(low=0.5, seed=1), uniform()))],
}  # fmt: skip
