"""Normalisation layers as functions, attention, normalize and cosine_similarity."""

from __future__ import annotations

from typing import Any

from tests.oracle.cases import Case
from tests.oracle.recipes import Array, booleans, exactly, floats

from .calls import call

_BATCHES: tuple[tuple[Array, int], ...] = (
    (floats(5, 3), 3),
    (floats(4, 3, 6), 3),
    (floats(2, 3, 4, 5), 3),
)


def _batch_norm(source: Array, features: int, training: bool, **options: Any) -> Case:
    """Also returns the running statistics, which training updates in place."""

    def function(t: Any, x: Any, weight: Any, bias: Any, mean: Any, variance: Any) -> list[Any]:
        running_mean, running_variance = mean.clone(), variance.clone()
        result = t.nn.functional.batch_norm(
            x, running_mean, running_variance, weight, bias, training=training, **options
        )
        return [result, running_mean, running_variance]

    parameters = (floats(features), floats(features))
    statistics = (floats(features, requires_grad=False), floats(features, low=0.5, requires_grad=False))
    name = f"F.batch_norm({source.label}, training={training}, {options})"
    return Case(name, function, (source, *parameters, *statistics), slack=2.0)


_BATCH_NORM = [
    *(_batch_norm(source, features, training) for source, features in _BATCHES for training in (True, False)),
    _batch_norm(floats(5, 3), 3, True, momentum=0.3, eps=1e-2),
    Case(
        "F.batch_norm without statistics",
        lambda t, x: t.nn.functional.batch_norm(x, None, None, training=True),
        (floats(5, 3),),
        floating="float64",
    ),
    Case(
        "F.batch_norm twice",
        lambda t, x, mean, variance: [
            t.nn.functional.batch_norm(x, mean, variance, training=True),
            t.nn.functional.batch_norm(x * 2, mean, variance, training=True),
            mean,
            variance,
        ],
        (floats(5, 3), floats(3, requires_grad=False), floats(3, low=0.5, requires_grad=False)),
        slack=2.0,
    ),
]

_LAYER_NORM = [
    *call("layer_norm", floats(2, 3, 8), (8,), forms="F"),
    *call("layer_norm", floats(2, 3, 8), (8,), floats(8), floats(8), forms="F"),
    *call("layer_norm", floats(2, 3, 8), (8,), floats(8), floats(8), forms="F", floating="float64"),
    *call("layer_norm", floats(2, 3, 4), (3, 4), floats(3, 4), floats(3, 4), eps=1e-3, forms="F"),
    *call("layer_norm", floats(2, 8), [8], weight=floats(8), forms="F"),
    *call("layer_norm", floats(4, 16), (16,), floats(16), floats(16), forms="F", floating="bfloat16", slack=4.0),
]

_GROUP_NORM = [
    *call("group_norm", floats(2, 6, 5), 3, forms="F"),
    *call("group_norm", floats(2, 6, 4, 3), 2, floats(6), floats(6), forms="F"),
    *call("group_norm", floats(2, 6, 4, 3), 6, floats(6), floats(6), eps=1e-3, forms="F", floating="float64"),
    *call("group_norm", floats(2, 6), 1, forms="F"),
]

_RMS_NORM = [
    *call("rms_norm", floats(2, 3, 8), (8,), forms="F"),
    *call("rms_norm", floats(2, 3, 8), (8,), floats(8), forms="F", floating="float64"),
    *call("rms_norm", floats(2, 3, 4), (3, 4), floats(3, 4), eps=1e-3, forms="F"),
]

_QUERY, _KEY, _VALUE = floats(2, 2, 3, 4), floats(2, 2, 5, 4), floats(2, 2, 5, 6)
_SQUARE = floats(2, 2, 4, 8)
_ATTENTION = "scaled_dot_product_attention"

_ATTENTION_CASES = [
    *call(_ATTENTION, _QUERY, _KEY, _VALUE, forms="F"),
    *call(_ATTENTION, _QUERY, _KEY, _VALUE, forms="F", floating="float64"),
    *call(_ATTENTION, _SQUARE, _SQUARE, _SQUARE, is_causal=True, forms="F"),
    *call(_ATTENTION, _SQUARE, _SQUARE, _SQUARE, None, 0.0, True, forms="F", floating="float64"),
    *call(_ATTENTION, _QUERY, _KEY, _VALUE, is_causal=True, forms="F"),
    *call(_ATTENTION, _QUERY, _KEY, _VALUE, attn_mask=floats(3, 5), forms="F"),
    *call(_ATTENTION, _QUERY, _KEY, _VALUE, attn_mask=floats(2, 1, 3, 5, requires_grad=False), forms="F"),
    *call(
        _ATTENTION,
        _QUERY,
        _KEY,
        _VALUE,
        attn_mask=exactly([[True, False, True, True, False], [True] * 5, [False, False, True, False, False]], "bool"),
        forms="F",
    ),
    *call(_ATTENTION, _QUERY, _KEY, _VALUE, scale=0.3, forms="F"),
    *call(_ATTENTION, floats(3, 4), floats(5, 4), floats(5, 4), forms="F"),
    *call(_ATTENTION, floats(2, 3, 4), floats(2, 5, 4), floats(2, 5, 4), forms="F"),
]

_LENGTHS = [
    *call("normalize", floats(3, 4), forms="F"),
    *call("normalize", floats(3, 4), dim=0, forms="F", floating="float64"),
    *call("normalize", floats(2, 3, 4), p=1.0, dim=-1, forms="F"),
    *call("normalize", floats(3, 4), p=3.0, eps=1e-3, forms="F"),
    *call("normalize", exactly([[0.0, 0.0], [3.0, 4.0]]), forms="F", gradient=False),
    *call("cosine_similarity", floats(3, 4), floats(3, 4), forms="F"),
    *call("cosine_similarity", floats(3, 4), floats(3, 4), dim=0, forms="F", floating="float64"),
    *call("cosine_similarity", floats(3, 1, 4), floats(5, 4), dim=-1, forms="F"),
    *call("cosine_similarity", floats(4), floats(4), dim=0, eps=1e-6, forms="F"),
]

_MASKED_ROWS = [
    Case(
        "softmax under a mask",
        lambda t, x, mask: t.softmax(x.masked_fill(mask, -1e9), dim=-1),
        (floats(3, 4), booleans(3, 4)),
    )
]

CASES = [*_BATCH_NORM, *_LAYER_NORM, *_GROUP_NORM, *_RMS_NORM, *_ATTENTION_CASES, *_LENGTHS, *_MASKED_ROWS]
