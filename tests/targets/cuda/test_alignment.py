"""The CTC loss as CUDA source, against PyTorch."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import lazygrad as lg
from tests.cuda_emulator.driver import Order
from tests.oracle.comparing import assert_alike
from tests.targets.cuda.emulating import emulating

torch = pytest.importorskip("torch")

STEPS, BATCH = 9, 5
LENGTHS = {
    "whole": ([9] * 5, [3] * 5),
    "several": ([9, 7, 3, 6, 1], [3, 2, 0, 1, 1]),
    "impossible": ([2, 0, 0, 9, 3], [3, 2, 0, 3, 3]),
}


def loss_and_gradient(m: Any, lengths: str, classes: int, zero_infinity: bool, dtype: Any) -> list[Any]:
    draw = np.random.default_rng(0)
    scores = m.tensor(draw.standard_normal((STEPS, BATCH, classes)).astype(dtype), requires_grad=True)
    targets = m.tensor([[1, 1, 2], [3, 2, 3], [2, 2, 2], [1, 2, 3], [1, 3, 1]])
    steps, labels = (m.tensor(each) for each in LENGTHS[lengths])
    loss = m.nn.functional.ctc_loss(
        scores.log_softmax(2), targets, steps, labels, reduction="none", zero_infinity=zero_infinity
    )
    loss.backward(m.tensor(np.array([1, -0.5, 2, 0.3, 0], dtype)))
    return [loss.detach(), scores.grad]


@pytest.mark.parametrize("order", [Order.ASCENDING, Order.DESCENDING], ids=lambda order: order.name)
@pytest.mark.parametrize(
    ("lengths", "classes", "zero_infinity", "dtype"),
    [
        ("whole", 4, False, np.float32),
        ("several", 200, False, np.float64),
        ("impossible", 5, True, np.float32),
        ("impossible", 5, False, np.float64),
    ],
)
def test_like_torch(lengths: str, classes: int, zero_infinity: bool, dtype: Any, order: Order) -> None:
    with emulating(order) as target:
        assert_alike(lambda m: loss_and_gradient(m, lengths, classes, zero_infinity, dtype), torch, lg)
    assert target.driver.counts.launches


def test_many_labels_share_the_threads_of_a_block() -> None:
    draw = np.random.default_rng(0)
    scores, targets = draw.standard_normal((150, 2, 9)), draw.integers(1, 9, (2, 70))

    def found(m: Any) -> list[Any]:
        given = m.tensor(scores, requires_grad=True)
        lengths = m.tensor([150, 141]), m.tensor([70, 66])
        loss = m.nn.functional.ctc_loss(given.log_softmax(2), m.tensor(targets), *lengths, reduction="sum")
        loss.backward()
        return [loss.detach(), given.grad]

    with emulating(Order.DESCENDING):
        assert_alike(found, torch, lg)


def test_a_label_out_of_range_is_refused_as_on_the_host() -> None:
    scores, targets = lg.zeros(4, 1, 5).log_softmax(2), lg.tensor([[1, 7, 1]])

    def loss() -> Any:
        return lg.nn.functional.ctc_loss(scores, targets * 1, lg.tensor([4]), lg.tensor([3])).item()

    with lg.backend("numpy"), pytest.raises(IndexError, match="a label is out of range with 5 classes") as expected:
        loss()
    with emulating(), pytest.raises(IndexError) as found:
        loss()
    assert str(found.value).splitlines()[0] == str(expected.value).splitlines()[0]
