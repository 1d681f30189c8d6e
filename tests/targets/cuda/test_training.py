"""Steps of training as CUDA source, against numpy."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import lazygrad as lg
from tests.cuda_emulator.driver import Order
from tests.targets.cuda.emulating import emulating

F = lg.nn.functional


def perceptron() -> Any:
    return lg.nn.Sequential(lg.nn.Linear(12, 18), lg.nn.LayerNorm(18), lg.nn.GELU(), lg.nn.Linear(18, 7))


def network_of_convolutions() -> Any:
    return lg.nn.Sequential(
        lg.nn.Unflatten(1, (1, 3, 4)), lg.nn.Conv2d(1, 4, 3, padding=1, bias=False), lg.nn.BatchNorm2d(4), lg.nn.ReLU(),
        lg.nn.MaxPool2d(2), lg.nn.Flatten(), lg.nn.Dropout(0.2), lg.nn.Linear(8, 7),
    )  # fmt: skip


def trained(make: Callable[[], Any], optimizer: Callable[..., Any]) -> list[np.ndarray]:
    lg.manual_seed(0)
    model = make()
    step = optimizer(model.parameters())
    x, target = lg.randn(16, 12), lg.arange(16) % 7
    for _ in range(4):
        step.zero_grad()
        F.cross_entropy(model(x), target).backward()
        step.step()
    return [parameter.detach().numpy().copy() for parameter in model.parameters()]


@pytest.mark.parametrize(
    ("make", "optimizer"),
    [
        (perceptron, lambda parameters: lg.optim.Adam(parameters, lr=0.01, weight_decay=0.1)),
        (perceptron, lambda parameters: lg.optim.SGD(parameters, lr=0.1, momentum=0.9)),
        (network_of_convolutions, lambda parameters: lg.optim.AdamW(parameters, lr=0.01)),
    ],
)
def test_training(make: Callable[[], Any], optimizer: Callable[..., Any]) -> None:
    with lg.backend("numpy"):
        expected = trained(make, optimizer)
    with emulating(Order.DESCENDING):
        found = trained(make, optimizer)
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-3, atol=1e-5)


def test_updates_of_many_parameters_share_a_launch() -> None:
    """All whose size is a number of packets go together, and all others."""
    parameters = [lg.randn(size, requires_grad=True) for size in (1024, 64, 12, 7, 33)]
    state = [lg.zeros_like(parameter) for parameter in parameters]
    gradients = [lg.randn_like(parameter) for parameter in parameters]

    def update() -> list[lg.Tensor]:
        return [p.detach() - 0.5 * (2 * m + g) for p, m, g in zip(parameters, state, gradients, strict=True)]

    launches = re.findall(r"^   \d+: (\w+)<", str(lg.compile_for(update)), re.MULTILINE)
    assert len(launches) == 2 and all(name.endswith(("_of_many", "_of_many_2")) for name in launches)
    with emulating():
        found = [x.numpy() for x in update()]
    for one, p, g in zip(found, parameters, gradients, strict=True):
        np.testing.assert_allclose(one, p.detach().numpy() - 0.5 * g.numpy(), rtol=1e-5, atol=1e-6)
