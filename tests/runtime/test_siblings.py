"""Gradients of one sweep that are read one after another."""

from __future__ import annotations

import lazygrad as lg
from lazygrad.runtime.realize import cache


def _gradients(layers: int) -> list[lg.Tensor]:
    lg.manual_seed(0)
    weights = [lg.randn(4, 4).requires_grad_() for _ in range(layers)]
    lg.realize_all(weights)
    x = lg.ones(4, 4).realize()
    for weight in weights:
        x = (x @ weight).tanh()
    x.sum().backward()
    cache.clear()
    return [weight.grad for weight in weights if weight.grad is not None]


def test_the_first_is_computed_alone_and_the_others_together() -> None:
    together = [gradient.tolist() for gradient in _gradients(6)]
    gradients = _gradients(6)
    for position, gradient in enumerate(gradients):
        assert gradient.tolist() == together[position]
        computed = [other.node().value is not None for other in gradients]
        assert computed == ([True] + [False] * 5 if position == 0 else [True] * 6)
    assert cache.misses + cache.hits == 2


def test_what_is_made_of_them_counts() -> None:
    gradients = _gradients(5)
    norms = [gradient.square().sum().item() for gradient in gradients]
    assert all(norm > 0 for norm in norms)
    assert cache.misses + cache.hits == 5 and all(g.node().value is not None for g in gradients)


def test_one_that_is_not_read_is_not_computed() -> None:
    gradients = _gradients(4)
    gradients[0].tolist()
    assert [gradient.node().value is None for gradient in gradients[1:]] == [True] * 3


def test_another_backward_begins_anew() -> None:
    first = _gradients(3)
    first[0].tolist()
    second = _gradients(3)
    second[0].tolist()
    assert all(gradient.node().value is None for gradient in [*first[1:], *second[1:]])
