"""Whole training steps, the optimizer included."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.benchmarks.contenders import cross_entropy, training
from tests.benchmarks.harness import Case
from tests.learning.framework import Framework
from tests.learning.programs import gpt_model, lstm_classifier

_random = np.random.default_rng(0)


def _mlp(framework: Framework) -> Any:
    nn = framework.nn
    return nn.Sequential(nn.Linear(784, 512), nn.ReLU(), nn.Linear(512, 256), nn.ReLU(), nn.Linear(256, 10))


def _cnn(framework: Framework) -> Any:
    nn = framework.nn

    def convolution(inputs: int, outputs: int) -> list[Any]:
        return [nn.Conv2d(inputs, outputs, 3, padding=1), nn.BatchNorm2d(outputs), nn.ReLU(), nn.MaxPool2d(2)]

    return nn.Sequential(*convolution(1, 16), *convolution(16, 32), nn.Flatten(), nn.Linear(32 * 7 * 7, 10))


def _uniform(*shape: int) -> np.ndarray:
    return _random.random(shape, dtype=np.float32)


def _classes(count: int, *shape: int) -> np.ndarray:
    return _random.integers(0, count, shape)


CASES = [
    Case(
        "mlp",
        "MLP 784-512-256-10, batch 128, Adam step",
        training(_mlp, _uniform(128, 784), _classes(10, 128), cross_entropy),
        tolerance=1e-3,
    ),
    Case(
        "cnn",
        "CNN 2×(conv, batch norm, pool), batch 64 of 28×28, Adam step",
        training(_cnn, _uniform(64, 1, 28, 28), _classes(10, 64), cross_entropy),
        tolerance=1e-3,
    ),
    Case(
        "gpt",
        "GPT of 2 blocks, width 64, batch 16 of 64 characters, AdamW step",
        training(
            lambda framework: gpt_model(framework, vocabulary=80, context=64, width=64, heads=4, blocks=2),
            _classes(80, 16, 64),
            _classes(80, 16, 64),
            cross_entropy,
            "AdamW",
        ),
        tolerance=1e-3,
    ),
    Case(
        "lstm",
        "hand-written LSTM of 64 over 8 steps, batch 64, Adam step",
        training(
            lambda framework: lstm_classifier(framework, hidden=64), _uniform(64, 64), _classes(10, 64), cross_entropy
        ),
        tolerance=1e-3,
    ),
]
