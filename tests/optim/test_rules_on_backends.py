"""A few steps of one configuration of every optimizer, by whatever runs plans."""

from __future__ import annotations

from typing import Any

import pytest

import lazygrad as lg
from tests.oracle.comparing import assert_equal

from .test_families import Training

SOURCES = [
    "Adagrad(p, lr=0.1, lr_decay=0.1, weight_decay=0.1)",
    "RMSprop(p, lr=0.1, momentum=0.9, centered=True)",
    "Adadelta(p, lr=0.5)",
    "Adamax(p, lr=0.1)",
    "ASGD(p, lr=0.1, t0=1)",
    "NAdam(p, lr=0.1)",
    "RAdam(p, lr=0.1)",
    "Rprop(p, lr=0.1)",
    "Adafactor(p, lr=0.1)",
]


@pytest.mark.parametrize("source", SOURCES)
def test_steps_are_torchs(source: str, torch: Any) -> None:
    have, want = Training(source, lg), Training(source, torch)
    for number in range(8):
        have.step(number)
        want.step(number)
    assert_equal(want.outcome(), have.outcome(), slack=1.0)
