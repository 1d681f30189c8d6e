"""Later steps of every optimizer run plans that are there, with whatever learning rate; also compiled."""

from __future__ import annotations

from typing import Any

import pytest

import lazygrad as lg
from lazygrad import nn, optim
from lazygrad.runtime.realize import cache

from .table import OPTIMIZERS

SOURCES = [source for source in OPTIMIZERS if "t.tensor" not in source]


def made(source: str) -> tuple[Any, Any, Any]:
    """A model that is in memory, its optimizer and a batch."""
    lg.manual_seed(0)
    model = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 2))
    optimizer = eval(f"o.{source}", {"o": optim, "p": list(model.parameters())})
    inputs = lg.rand(5, 3)
    for tensor in (*model.parameters(), inputs):
        tensor.realize()
    return model, optimizer, inputs


def step(model: Any, optimizer: Any, inputs: Any) -> Any:
    optimizer.zero_grad()
    loss = (model(inputs) ** 2).mean()
    loss.backward()
    optimizer.step()
    return loss.detach()


@pytest.mark.parametrize("source", SOURCES)
def test_a_changed_rate_plans_nothing(source: str) -> None:
    model, optimizer, inputs = made(source)
    step(model, optimizer, inputs).item()
    misses = cache.misses
    for rate in (0.1, 0.1, 1.0, 0.5, 0.999, 0.0, 2.0, 1e-3):
        optimizer.param_groups[0]["lr"] = rate
        step(model, optimizer, inputs).item()
    assert cache.misses == misses


@pytest.mark.parametrize("source", SOURCES)
def test_compiled_steps_are_the_steps(source: str) -> None:
    seen = []
    for is_compiled in (False, True):
        model, optimizer, inputs = made(source)
        run = lg.compile(step) if is_compiled else step
        losses = []
        for number in range(9):
            optimizer.param_groups[0]["lr"] = 0.1 / (1 + number)
            losses.append(run(model, optimizer, inputs).item())
        if is_compiled:
            assert "was replayed" in run.explain()
        seen.append((losses, [parameter.tolist() for parameter in model.parameters()]))
    assert seen[0] == seen[1]
