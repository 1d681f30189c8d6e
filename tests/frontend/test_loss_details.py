"""What losses count and ignore, where the class or the probability is no common one. Errors: `test_data_errors`."""

from __future__ import annotations

import pytest

import lazygrad as lg
from lazygrad.nn import functional
from tests.oracle.comparing import compute_elsewhere


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


@pytest.mark.parametrize("target", [3, -1])
def test_nll_loss_of_what_is_no_class(target: int) -> None:
    with pytest.raises(IndexError, match=rf"Target {target} is out of bounds\. There are 3 classes"):
        compute_elsewhere(functional.nll_loss(lg.zeros(2, 3), lg.tensor([0, target])))
    assert functional.nll_loss(lg.zeros(2, 3), lg.tensor([0, -100])).item() == 0


def test_what_lies_behind_the_end_of_a_ctc_target_does_not_matter() -> None:
    steps = lg.log_softmax(lg.randn(5, 2, 4), 2)
    lengths = lg.tensor([5, 5]), lg.tensor([1, 3])
    first, second = (
        functional.ctc_loss(steps, lg.tensor([[1, padding, padding], [1, 2, 3]]), *lengths) for padding in (0, -1)
    )
    assert first.item() == second.item()
