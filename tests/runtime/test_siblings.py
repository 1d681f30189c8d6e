"""Gradients of one backward that are read in turn are computed together, once a loop has shown that it does so."""

from __future__ import annotations

import pytest

import lazygrad as lg
from lazygrad import nn
from lazygrad.runtime.plan import Plan


@pytest.fixture
def gradients_of_runs(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Per run of a plan that computes a gradient, how many values it stores."""
    counts: list[int] = []
    run = Plan.run

    def counting(plan, *arguments):
        if any(node.op.name == "grad" for node in plan.stages.recorded.nodes):
            counts.append(len(plan.schedule.outputs))
        run(plan, *arguments)

    monkeypatch.setattr(Plan, "run", counting)
    return counts


def _networks() -> tuple[nn.Linear, nn.Linear, lg.Tensor]:
    lg.manual_seed(0)
    return nn.Linear(4, 3), nn.Linear(3, 2), lg.randn(8, 4).realize()


def test_an_optimizer_for_each_of_two_networks(gradients_of_runs):
    first, second, x = _networks()
    optimizers = [lg.optim.SGD(network.parameters(), lr=0.1) for network in (first, second)]
    runs = []
    for _ in range(8):
        gradients_of_runs.clear()
        for optimizer in optimizers:
            optimizer.zero_grad()
        second(first(x).tanh()).square().mean().backward()
        for optimizer in optimizers:
            optimizer.step()
        first.weight.sum().item(), second.weight.sum().item()
        runs.append(len(gradients_of_runs))
    assert runs[-3:] == [1, 1, 1]


def test_gradients_that_nobody_reads_are_not_computed():
    first, second, x = _networks()
    for _ in range(5):
        first.zero_grad(), second.zero_grad()
        second(first(x).tanh()).square().mean().backward()
        first.weight.grad.sum().item()
        assert first.weight.grad.node().value is not None
        assert first.bias.grad.node().value is second.weight.grad.node().value is None
