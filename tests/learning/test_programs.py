"""Hand-written models trained from the same weights: their losses follow PyTorch's step by step."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tests.oracle.comparing import assert_close

from .framework import LAZYGRAD, Framework
from .programs import gpt_model, lstm_classifier

STEPS = 10
TEXT = "Beautiful is better than ugly. Explicit is better than implicit. Simple is better than complex. " * 4

Loss = Callable[[Framework, Any, int], Any]


def weights(torch: Framework, model: Callable[[Framework], Any]) -> dict[str, np.ndarray]:
    """Initial weights as PyTorch draws them."""
    torch.lib.manual_seed(0)
    return {name: value.numpy().copy() for name, value in model(torch).state_dict().items()}


def losses(
    framework: Framework, model: Callable[[Framework], Any], start: dict[str, np.ndarray], loss_of: Loss
) -> list[float]:
    """Train with Adam from the weights ``start``."""
    trained = model(framework)
    trained.load_state_dict({name: framework.lib.tensor(value) for name, value in start.items()})
    optimizer = framework.optim.Adam(trained.parameters(), lr=1e-2)
    seen = []
    for step in range(STEPS):
        optimizer.zero_grad()
        loss = loss_of(framework, trained, step)
        loss.backward()
        optimizer.step()
        seen.append(loss.item())
    return seen


def assert_same_losses(torch: Framework, model: Callable[[Framework], Any], loss_of: Loss) -> None:
    start = weights(torch, model)
    have = losses(LAZYGRAD, model, start, loss_of)
    want = losses(torch, model, start, loss_of)
    assert_close(have, want, numbers=1e-5)
    assert have[-1] < have[0] * 0.95


def test_lstm_reads_digits_row_by_row(torch: Framework, digits: tuple[np.ndarray, np.ndarray]) -> None:
    images, labels = digits

    def loss_of(framework: Framework, model: Any, step: int) -> Any:
        batch = slice(50 * step, 50 * (step + 1))
        logits = model(framework.lib.tensor(images[batch]))
        return framework.nn.functional.cross_entropy(logits, framework.lib.tensor(labels[batch]))

    assert_same_losses(torch, lambda framework: lstm_classifier(framework, hidden=24), loss_of)


def test_gpt_block_predicts_the_next_character(torch: Framework) -> None:
    alphabet = sorted(set(TEXT))
    numbers = np.array([alphabet.index(character) for character in TEXT])
    context = 24

    def loss_of(framework: Framework, model: Any, step: int) -> Any:
        where = np.arange(step, step + 8 * 16, 16)[:, None] + np.arange(context)
        inputs, targets = (framework.lib.tensor(numbers[where + ahead]) for ahead in (0, 1))
        return framework.nn.functional.cross_entropy(model(inputs).flatten(0, 1), targets.flatten())

    def model(framework: Framework) -> Any:
        return gpt_model(framework, len(alphabet), context, width=16, heads=2, blocks=1)

    assert_same_losses(torch, model, loss_of)
