"""A training step is planned once: later steps, with other numbers, run the cached plan."""

from __future__ import annotations

from typing import Any

import pytest

import lazygrad as lg
from lazygrad import nn, optim
from lazygrad.runtime.realize import cache

LAYERS = {
    "linear": lambda: nn.Linear(4, 4),
    "batch norm": lambda: nn.BatchNorm1d(4),
    "dropout": lambda: nn.Dropout(0.2),
}

OPTIMIZERS = {
    "sgd": lambda parameters: optim.SGD(parameters, lr=0.1),
    "momentum": lambda parameters: optim.SGD(parameters, lr=0.1, momentum=0.9, weight_decay=0.1),
    "adamw": lambda parameters: optim.AdamW(parameters, lr=0.1),
}


def train(model: Any, optimizer: Any, inputs: Any, steps: int) -> int:
    """Runs training steps and returns how many plans had to be built for them."""
    misses = cache.misses
    for _ in range(steps):
        optimizer.zero_grad()
        loss = (model(inputs) ** 2).mean()
        loss.backward()
        optimizer.step()
        loss.item()
    return int(cache.misses - misses)


@pytest.mark.parametrize("layer", LAYERS)
@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_later_steps_build_no_plan(layer: str, optimizer: str) -> None:
    model = nn.Sequential(nn.Linear(3, 4), LAYERS[layer](), nn.Linear(4, 1))
    steps = OPTIMIZERS[optimizer](model.parameters())
    inputs = lg.rand(5, 3)
    train(model, steps, inputs, 2)  # in the first the state is made, in the second it is there
    steps.param_groups[0]["lr"] = 0.05
    assert train(model, steps, inputs, 4) == 0


@pytest.mark.parametrize("optimizer", ["sgd", "adamw"])
def test_the_first_step_is_the_program_of_the_later_ones(optimizer: str) -> None:
    model = nn.Sequential(nn.Linear(3, 4), nn.Linear(4, 1))
    steps, inputs = OPTIMIZERS[optimizer](model.parameters()), lg.rand(5, 3)
    for tensor in (*model.parameters(), inputs):
        tensor.realize()  # else the first step draws them
    train(model, steps, inputs, 1)
    assert train(model, steps, inputs, 1) == 0


def test_a_rate_that_equals_another_number_makes_no_plan() -> None:
    model = nn.Linear(3, 1)
    first, second = ({"params": [parameter], "lr": 0.1} for parameter in model.parameters())
    steps, inputs = optim.AdamW([first, second]), lg.rand(5, 3)
    train(model, steps, inputs, 2)
    first["lr"], second["lr"] = 1.0, 0.999
    assert train(model, steps, inputs, 2) == 0


def test_running_statistics_do_not_pile_up() -> None:
    model = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4))
    train(model, optim.SGD(model.parameters(), lr=0.1), lg.rand(5, 3), 3)
    norm = model[1]
    assert norm.running_mean.node().value is not None
    assert norm.num_batches_tracked.node().value is not None
    assert norm.num_batches_tracked.item() == 3
