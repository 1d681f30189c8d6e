"""`lazygrad.compile` of steps with distributions: what is replayed, and what keeps a replay from being stale."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import lazygrad as lg
from lazygrad import nn
from lazygrad.distributions import Categorical, Distribution, Independent, Normal, Uniform, kl_divergence

Step = Callable[..., lg.Tensor]


def _policy(layer: Any, deviation: Any) -> Step:
    def step(states: lg.Tensor) -> lg.Tensor:
        action = Normal(layer(states), deviation.exp())
        loss = -action.log_prob(states[:, :2]).mean() - 0.01 * action.entropy().mean()
        loss.backward()
        return loss

    return step


def _latent(layer: Any, deviation: Any) -> Step:
    def step(states: lg.Tensor) -> lg.Tensor:
        posterior = Independent(Normal(layer(states), deviation.exp()), 1)
        z = posterior.rsample() + Uniform(0.0, 1.0).rsample()
        loss = posterior.log_prob(z).mean() + posterior.mean.sum()
        loss.backward()
        return loss

    return step


def _divergence(layer: Any, deviation: Any) -> Step:
    def step(states: lg.Tensor) -> lg.Tensor:
        loss = kl_divergence(Normal(layer(states), deviation.exp()), Normal(0.0, 1.0)).sum()
        loss.backward()
        return loss

    return step


def _choice(layer: Any, deviation: Any) -> Step:
    def step(states: lg.Tensor) -> lg.Tensor:
        choice = Categorical(logits=layer(states) * deviation.exp())
        loss = -choice.log_prob(choice.sample()).sum()
        loss.backward()
        return loss

    return step


def _losses(make: Callable[..., Step], compiles: bool) -> tuple[list[Any], str]:
    lg.manual_seed(0)
    layer, deviation = nn.Linear(4, 2), nn.Parameter(lg.zeros(2))
    step = make(layer, deviation)
    called: Any = lg.compile(step) if compiles else step
    seen = []
    for number in range(5):
        layer.zero_grad()
        deviation.grad = None
        loss = called(lg.full((3, 4), number / 5)).item()
        assert deviation.grad is not None
        seen += [loss, deviation.grad.tolist()]
    return seen, str(called.explain()) if compiles else ""


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("make", "is_replayed"), [(_policy, True), (_latent, True), (_divergence, False), (_choice, False)]
)
def test_compiled_steps_are_those_that_are_called(make: Callable[..., Step], is_replayed: bool) -> None:
    """Divergences may be the user's functions, and a categorical sample looks at the probabilities: no replay."""
    expected, _ = _losses(make, False)
    actual, explanation = _losses(make, True)
    assert actual == expected
    assert ("replayed" in explanation) is is_replayed


def _scored(x: lg.Tensor) -> lg.Tensor:
    return Normal(x, x - 5).log_prob(x).sum()


def test_a_replay_checks_what_the_call_would_check() -> None:
    called = lg.compile(_scored)
    for value in (10.0, 9.0, 8.0):
        called(lg.full((2,), value)).item()
    with pytest.raises(ValueError, match="Expected parameter scale"):
        called(lg.full((2,), 3.0)).item()
    Distribution.set_default_validate_args(False)
    try:
        assert called(lg.full((2,), 3.0)).isnan()
    finally:
        Distribution.set_default_validate_args(True)
    with pytest.raises(ValueError, match="Expected parameter scale"):
        called(lg.full((2,), 3.0)).item()


def test_a_method_that_is_replaced_is_called(monkeypatch: pytest.MonkeyPatch) -> None:
    called = lg.compile(_scored)
    for value in (10.0, 9.0, 8.0):
        called(lg.full((2,), value)).item()
    monkeypatch.setattr(Normal, "log_prob", lambda self, value: value * 0 + 7)
    assert called(lg.full((2,), 8.0)).item() == 14
