"""Contenders from a program that either framework can run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from lazygrad import realize_all
from tests.benchmarks.harness import Contender, Run
from tests.benchmarks.peers import FRAMEWORKS
from tests.learning.framework import LAZYGRAD, Framework


def both(make: Callable[[Framework], Run]) -> list[Contender]:
    """lazygrad and PyTorch, the latter marked as missing where it is not installed."""
    return [
        Contender(name, make(framework) if framework is not None else None) for name, framework in FRAMEWORKS.items()
    ]


def as_arrays(framework: Framework, *tensors: Any) -> list[np.ndarray]:
    """The computed values of either framework's tensors; lazygrad's are computed by one plan."""
    if framework is LAZYGRAD:
        realize_all(tensors)
    return [tensor.detach().numpy() for tensor in tensors]


def training(
    model: Callable[[Framework], Any],
    inputs: np.ndarray,
    targets: np.ndarray,
    loss_of: Callable[[Framework, Any, Any], Any],
    optimizer: str = "Adam",
) -> Callable[[], list[Contender]]:
    """A whole training step: clear gradients, forward, backward, update; its result is the loss."""

    def make(framework: Framework) -> Run:
        framework.lib.manual_seed(0)
        trained = model(framework)
        update = getattr(framework.optim, optimizer)(trained.parameters())
        x, y = framework.lib.tensor(inputs), framework.lib.tensor(targets)

        def step() -> list[np.ndarray]:
            update.zero_grad()
            loss = loss_of(framework, trained(x), y)
            loss.backward()
            update.step()
            return as_arrays(framework, loss)

        return step

    return lambda: both(make)


def cross_entropy(framework: Framework, logits: Any, targets: Any) -> Any:
    return framework.nn.functional.cross_entropy(logits.flatten(0, -2), targets.flatten())
