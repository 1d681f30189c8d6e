"""The learning proof: an MLP trained on digits from the same seed has PyTorch's loss in each of its first 50 steps."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from lazygrad.runtime.realize import cache
from tests.oracle.comparing import assert_close

from .framework import LAZYGRAD, Framework

STEPS = 50

OPTIMIZERS: dict[str, dict[str, Any]] = {
    "Adam": {"lr": 1e-2},
    "AdamW": {"lr": 1e-2, "weight_decay": 0.1},
    "SGD": {"lr": 0.1, "momentum": 0.9},
}


def losses(framework: Framework, optimizer: str, digits: tuple[np.ndarray, np.ndarray]) -> list[float]:
    """Initial weights and the order of the batches both come from the seed."""
    lib, nn = framework.lib, framework.nn
    lib.manual_seed(0)
    model = nn.Sequential(nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 10))
    criterion = nn.CrossEntropyLoss()
    update = getattr(framework.optim, optimizer)(model.parameters(), **OPTIMIZERS[optimizer])
    dataset = framework.data.TensorDataset(*map(lib.tensor, digits))
    loader = framework.data.DataLoader(dataset, batch_size=64, shuffle=True, drop_last=True)
    seen: list[float] = []
    while len(seen) < STEPS:
        for images, labels in loader:
            update.zero_grad()
            loss = criterion(model(images), labels)
            loss.backward()
            update.step()
            seen.append(loss.item())
    return seen[:STEPS]


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_every_loss_is_torchs(optimizer: str, torch: Framework, digits: tuple[np.ndarray, np.ndarray]) -> None:
    have = losses(LAZYGRAD, optimizer, digits)
    want = losses(torch, optimizer, digits)
    assert_close(have, want, numbers=1e-5)
    assert have[-1] < have[0] / 3


def test_fifty_steps_are_planned_once(digits: tuple[np.ndarray, np.ndarray]) -> None:
    """The first step, whose optimizer state is new, has the plans of all: one for the gradients, one for updates."""
    cache.clear()
    losses(LAZYGRAD, "Adam", digits)
    assert cache.misses == 2, cache.last_misses.explain()
    assert cache.hits >= 2 * (STEPS - 1)
