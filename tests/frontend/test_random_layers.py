"""Layers that draw random numbers: for one seed PyTorch's masks, values and gradients, and its use of the stream."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.oracle.comparing import assert_close

pytestmark = pytest.mark.host_memory("the masks of other devices are drawn inside graphs, by Philox")

Layer = Callable[[Any, Any], Any]

_LAYERS: dict[str, tuple[Layer, tuple[int, ...]]] = {
    "dropout": (lambda t, x: t.nn.functional.dropout(x, 0.3), (700,)),
    "dropout of 15": (lambda t, x: t.nn.functional.dropout(x, 0.5), (15,)),
    "dropout of 16": (lambda t, x: t.nn.functional.dropout(x, 0.5), (16,)),
    "dropout of 17": (lambda t, x: t.nn.functional.dropout(x, 0.5), (17,)),
    "dropout of many": (lambda t, x: t.nn.functional.dropout(x, 0.1), (3, 33_001)),
    "dropout of nothing": (lambda t, x: t.nn.functional.dropout(x, 0.1), (0, 3)),
    "dropout of everything": (lambda t, x: t.nn.functional.dropout(x, 1.0), (40,)),
    "dropout that keeps all": (lambda t, x: t.nn.functional.dropout(x, 0.0), (40,)),
    "dropout of infinities": (lambda t, x: t.nn.functional.dropout(x * float("inf"), 0.5), (40,)),
    "dropout, training off": (lambda t, x: t.nn.functional.dropout(x, 0.5, training=False), (40,)),
    "dropout in place": (lambda t, x: t.nn.functional.dropout(x * 1, 0.7, inplace=True), (40,)),
    "dropout of a transposed tensor": (lambda t, x: t.nn.functional.dropout(x.t(), 0.5), (6, 9)),
    "dropout of a permuted tensor": (lambda t, x: t.nn.functional.dropout(x.permute(1, 2, 0), 0.5), (2, 6, 9)),
    "dropout of a slice": (lambda t, x: t.nn.functional.dropout(x[:, ::2], 0.5), (6, 9)),
    "Dropout": (lambda t, x: t.nn.Dropout(0.2)(x), (5, 7)),
    "Dropout1d": (lambda t, x: t.nn.Dropout1d(0.4)(x), (5, 7, 3)),
    "Dropout1d of one signal": (lambda t, x: t.nn.Dropout1d(0.4)(x), (7, 3)),
    "Dropout2d": (lambda t, x: t.nn.Dropout2d(0.4)(x), (5, 7, 3, 2)),
    "dropout3d": (lambda t, x: t.nn.functional.dropout3d(x, 0.4), (5, 7, 3, 2, 2)),
    "dropout3d of one volume": (lambda t, x: t.nn.functional.dropout3d(x, 0.4), (7, 3, 2, 2)),
    "alpha_dropout": (lambda t, x: t.nn.functional.alpha_dropout(x, 0.4, True), (5, 70)),
    "alpha_dropout of everything": (lambda t, x: t.nn.functional.alpha_dropout(x, 1.0, True), (5, 7)),
    "feature_alpha_dropout": (lambda t, x: t.nn.functional.feature_alpha_dropout(x, 0.4, True), (5, 7, 4)),
    "feature_dropout": (lambda t, x: t.feature_dropout(x, 0.4, True), (5, 7, 4)),
    "rrelu of numbers": (lambda t, x: t.nn.functional.rrelu(x, 0.1, 0.4, training=True), (8, 90)),
    "rrelu of a transposed tensor": (lambda t, x: t.nn.functional.rrelu(x.t(), training=True), (8, 9)),
    "rrelu of positive numbers": (lambda t, x: t.nn.functional.rrelu(x.abs() + 1, training=True), (8, 9)),
    "rrelu in place": (lambda t, x: t.nn.functional.rrelu_(x * 1, training=True), (8, 9)),
    "two in a row": (lambda t, x: t.nn.Dropout(0.2)(t.nn.Dropout(0.5)(x) + t.rand(7)), (5, 7)),
}
_NEARLY: dict[str, tuple[Layer, tuple[int, ...]]] = {
    "gumbel_softmax": (lambda t, x: t.nn.functional.gumbel_softmax(x, 0.7), (5, 70)),
    "gumbel_softmax, hard": (lambda t, x: t.nn.functional.gumbel_softmax(x, hard=True), (5, 7)),
    "attention": (
        lambda t, x: t.nn.functional.scaled_dot_product_attention(x, x * 2, x + 1, dropout_p=0.4),
        (2, 3, 9, 4),
    ),
    "causal attention": (
        lambda t, x: t.nn.functional.scaled_dot_product_attention(x, x * 2, x + 1, dropout_p=0.4, is_causal=True),
        (2, 3, 9, 4),
    ),
    "block": (lambda t, x: _block(t, 8)(x), (5, 8)),
}


def _block(t: Any, width: int) -> Any:
    nn = t.nn
    hidden = [nn.Linear(width, 2 * width), nn.GELU(), nn.Dropout(0.3), nn.Linear(2 * width, width), nn.Dropout(0.1)]
    return nn.Sequential(*hidden, nn.LayerNorm(width))


def _results(t: Any, layer: Layer, shape: tuple[int, ...], dtype: str) -> list[Any]:
    """Result, gradient, and the numbers that follow."""
    t.manual_seed(11)
    x = t.randn(*shape).to(getattr(t, dtype)).requires_grad_()
    y = layer(t, x)
    y.backward(t.arange(1.0, y.numel() + 1).reshape(y.shape).to(y.dtype))
    return [y, x.grad, t.rand(3)]


@pytest.mark.parametrize("dtype", ["float32", "float64", "bfloat16", "float16"])
@pytest.mark.parametrize("name", _LAYERS)
def test_equals_torch(name: str, dtype: str, torch: Any, candidate: Any) -> None:
    if name.startswith("rrelu") and dtype == "float16":
        pytest.skip("PyTorch has no rrelu for float16 on the CPU")
    expected, actual = (_results(t, *_LAYERS[name], dtype) for t in (torch, candidate))
    if name.startswith("rrelu") and dtype == "bfloat16":
        del expected[1], actual[1]  # PyTorch rounds the slopes to 16 bits for the gradient only
    assert_close(actual, expected, slack=0)
    signs = ([part.signbit() & ~part.isnan() for part in parts] for parts in (actual, expected))
    assert_close(*signs)


@pytest.mark.parametrize("name", _NEARLY)
def test_equals_torch_up_to_rounding(name: str, torch: Any, candidate: Any) -> None:
    expected, actual = (_results(t, *_NEARLY[name], "float32") for t in (torch, candidate))
    assert_close(actual[0], expected[0], slack=10.0)
    # A softmax's gradient is a difference of numbers up to 350 here, whatever is left of it.
    assert_close(actual[1], expected[1], slack=10.0, of_largest=True)
    assert_close(actual[2], expected[2], slack=0)
