"""What losses answer where PyTorch looks at the values and raises: lazygrad does not look, and the loss is NaN."""

from __future__ import annotations

import math

import pytest

import lazygrad as lg
from lazygrad.nn import functional


@pytest.mark.parametrize("target", [3, -1, 100])
def test_cross_entropy_of_what_is_no_class(target: int) -> None:
    logits = lg.zeros(2, 3)
    with pytest.raises(IndexError, match=str(target)):
        functional.cross_entropy(logits, lg.tensor([0, target]))
    pending = lg.tensor([0, target]) + 0  # not known yet: a kernel cannot raise
    assert math.isnan(functional.cross_entropy(logits, pending).item())
    each = functional.cross_entropy(logits, lg.tensor([0, target]) + 0, reduction="none").tolist()
    assert each[0] == pytest.approx(math.log(3)) and math.isnan(each[1])


@pytest.mark.parametrize("probability", [1.5, -0.5])
def test_binary_cross_entropy_of_what_is_no_probability(probability: float) -> None:
    loss = functional.binary_cross_entropy(lg.tensor([0.5, probability]), lg.tensor([1.0, 0.5]), reduction="none")
    first, second = loss.tolist()
    assert first == pytest.approx(math.log(2)) and math.isnan(second)


@pytest.mark.parametrize("target", [3, -1])
def test_nll_loss_of_what_is_no_class(target: int) -> None:
    with pytest.raises(IndexError, match=f"Target {target} is out of bounds. There are 3 classes"):
        functional.nll_loss(lg.zeros(2, 3), lg.tensor([0, target]))
    assert functional.nll_loss(lg.zeros(2, 3), lg.tensor([0, -100])).item() == 0
