"""A step of policy optimization is planned once: checks of parameters and samples make no plan of their own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import lazygrad as lg
from lazygrad import nn, optim
from lazygrad.distributions import Categorical, Gamma, Independent, Normal, kl_divergence
from lazygrad.runtime.realize import cache


def _planned(step: Callable[[], Any], times: int) -> int:
    misses = cache.misses
    for _ in range(times):
        step()
    return int(cache.misses - misses)


def _policy_gradient() -> Callable[[], Any]:
    policy, states = nn.Linear(4, 3), lg.rand(8, 4)
    optimizer = optim.Adam(policy.parameters(), lr=0.01)

    def step() -> None:
        choice = Categorical(logits=policy(states))
        action = choice.sample()
        reward = (action == 1).float()
        loss = -(choice.log_prob(action) * reward).mean() - 0.01 * choice.entropy().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        loss.item()

    return step


def _continuous_actions() -> Callable[[], Any]:
    actor, deviation, states = nn.Linear(4, 2), nn.Parameter(lg.zeros(2)), lg.rand(8, 4)
    optimizer = optim.Adam([*actor.parameters(), deviation], lr=0.01)

    def step() -> None:
        with lg.no_grad():
            old = Normal(actor(states), deviation.exp())
            action = old.sample()
            old_log_prob = old.log_prob(action)
        new = Normal(actor(states), deviation.exp())
        ratio = (new.log_prob(action) - old_log_prob).exp()
        loss = (ratio * action).mean() - 0.01 * new.entropy().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        loss.item()

    return step


def _latent_variables() -> Callable[[], Any]:
    encoder, data = nn.Linear(4, 4), lg.rand(8, 4)
    optimizer = optim.SGD(encoder.parameters(), lr=0.01)

    def step() -> None:
        loc, raw = encoder(data).chunk(2, dim=-1)
        posterior, prior = Independent(Normal(loc, raw.exp()), 1), Independent(Normal(lg.zeros(2), lg.ones(2)), 1)
        rate = Gamma(loc.exp(), 2.0).rsample()
        loss = (posterior.rsample().sum(-1) + rate.sum(-1) + kl_divergence(posterior, prior)).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        loss.item()

    return step


@pytest.mark.parametrize("make", [_policy_gradient, _continuous_actions, _latent_variables])
def test_later_steps_build_no_plan(make: Callable[[], Callable[[], Any]]) -> None:
    step = make()
    _planned(step, 3)
    assert _planned(step, 4) == 0


def test_what_is_pending_is_computed_with_the_loss() -> None:
    """As many programs run with checks as without."""
    layer, data = nn.Linear(4, 2), lg.rand(8, 4)
    for tensor in (*layer.parameters(), data):
        tensor.realize()

    def step(validate: bool) -> None:
        loc, raw = layer(data).chunk(2, dim=-1)
        noisy = Normal(loc, raw.exp(), validate_args=validate)
        loss = -noisy.log_prob(noisy.rsample()).mean()
        layer.zero_grad()
        loss.backward()
        lg.realize_all([loss, *[parameter.grad for parameter in layer.parameters() if parameter.grad is not None]])

    ran = []
    for validate in (False, True):
        step(validate)
        before = cache.hits + cache.misses
        step(validate)
        ran.append(cache.hits + cache.misses - before)
    assert ran == [1, 1]
