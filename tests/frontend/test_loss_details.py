"""What losses count and ignore, where the class or the probability is no common one. Errors: `test_data_errors`."""

from __future__ import annotations

import pytest

import lazygrad as lg
from lazygrad.nn import functional


@pytest.mark.parametrize("loss", [functional.cross_entropy, functional.nll_loss])
@pytest.mark.parametrize("ignored", [-100, -1, 7])
def test_what_is_ignored_need_not_be_a_class(loss: object, ignored: int) -> None:
    target = lg.tensor([0, ignored]) + 0
    assert loss(lg.zeros(2, 3), target, ignore_index=ignored, reduction="none").tolist()[1] == 0  # type: ignore[operator]


@pytest.mark.parametrize("certain", [0.0, 1.0])
def test_certain_probabilities_are_probabilities(certain: float) -> None:
    x = lg.tensor([certain]) * 1
    assert functional.binary_cross_entropy(x, lg.tensor([1 - certain]) + 0).item() == 100
    assert functional.binary_cross_entropy(x, x).item() == 0
