"""Random numbers in compiled calls: replays draw what the function would have drawn, and what PyTorch draws."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import lazygrad as lg
from lazygrad.runtime.realize import cache

CALLS = 8


def _noisy(t: Any, x: Any) -> Any:
    functional = t.nn.functional
    t.rand(5)  # nobody reads it, but the generator moves
    y = functional.dropout(x + 0.1 * t.randn(6, 5), 0.4) * t.rand_like(x)
    y = functional.alpha_dropout(y, 0.2, training=True) + t.randint(0, 9, (6, 1))
    y = y[t.randperm(6)] + t.empty(5).exponential_(2.0).bernoulli_(0.5)
    return y.sum(0)


def _called(t: Any, function: Callable[[Any], Any]) -> list[np.ndarray]:
    t.manual_seed(5)
    return [np.asarray(function(t.ones(6, 5) * number).tolist()) for number in range(CALLS)] + [t.rand(3).numpy()]


def test_replays_draw_the_numbers_of_torch(torch: Any) -> None:
    expected = _called(torch, lambda x: _noisy(torch, x))
    compiled = lg.compile(lambda x: _noisy(lg, x), fullgraph=True)
    for have, want in zip(_called(lg, compiled), expected, strict=True):
        np.testing.assert_allclose(have, want, rtol=1e-5, atol=1e-5)
    assert "replayed" in str(compiled.explain())


def test_replays_follow_the_generator() -> None:
    compiled = lg.compile(lambda x: lg.nn.functional.dropout(x, 0.5))
    x = lg.ones(100)
    for _ in range(4):
        compiled(x)
    lg.manual_seed(1)
    state = lg.get_rng_state()
    first, second = compiled(x).tolist(), compiled(x).tolist()
    misses = cache.misses
    lg.set_rng_state(state)
    assert compiled(x).tolist() == first != second
    lg.manual_seed(1)
    assert lg.nn.functional.dropout(x, 0.5).tolist() == first
    assert cache.misses <= misses + 1  # of the call that is not compiled


def test_gradients_have_the_mask_of_their_forward_pass() -> None:
    x = lg.ones(50, requires_grad=True)

    @lg.compile
    def step() -> Any:
        x.grad = None
        y = lg.nn.functional.dropout(x, 0.5)
        y.sum().backward()
        return y.detach()

    masks = []
    for _ in range(6):
        y = step()
        assert y.tolist() == x.grad.tolist()
        masks.append(y.tolist())
    assert len({tuple(mask) for mask in masks}) == len(masks)


def test_a_replay_that_fails_moves_the_generator_as_the_function_does() -> None:
    table = lg.arange(4.0)

    def function(index: Any) -> Any:
        return lg.nn.functional.dropout(table, 0.5) + lg.rand(4) + table[index].sum()

    compiled, states = lg.compile(function), []
    for _ in range(4):
        compiled(lg.tensor([1, 2]))
    for call in (function, compiled):
        lg.manual_seed(3)
        with pytest.raises(IndexError):
            call(lg.tensor([1, 9])).tolist()
        states.append(lg.get_rng_state().tolist())
    assert states[0] == states[1]


def test_layers_draw_inside_the_graph_where_that_is_chosen() -> None:
    compiled = lg.compile(lambda x: lg.nn.functional.dropout(x, 0.5))
    x = lg.ones(1000)
    for _ in range(3):
        compiled(x)
    lg.random.draw_inside_graphs()
    try:
        lg.manual_seed(2)
        untouched = lg.rand(3).tolist()
        lg.manual_seed(2)
        drawn = [compiled(x).tolist() for _ in range(4)]
        plain = lg.nn.functional.dropout(x, 0.5).tolist()
        assert lg.rand(3).tolist() == untouched
        lg.manual_seed(2)
        assert [lg.nn.functional.dropout(x, 0.5).tolist() for _ in range(5)] == [*drawn, plain]
        for layer in (
            lambda: lg.nn.functional.alpha_dropout(x, 0.5, training=True),
            lambda: lg.nn.functional.dropout2d(lg.ones(20, 30, 2, 2), 0.5),
            lambda: lg.nn.functional.rrelu(-x, training=True),
            lambda: lg.nn.functional.gumbel_softmax(x),
        ):
            assert layer().tolist() != layer().tolist()
    finally:
        lg.random.draw_inside_graphs(False)
    lg.manual_seed(2)
    assert lg.nn.functional.dropout(x, 0.5).tolist() != drawn[0]
