"""What a newcomer's first scripts ran into; each stays fixed."""

from __future__ import annotations

import numpy as np
import pytest

import lazygrad as lg
from lazygrad import nn
from lazygrad.nn import functional as F


@pytest.mark.parametrize("value", [5.0, 1.0, 0.1])
def test_a_filled_tensor_can_be_reduced_before_it_is_realized(value: float) -> None:
    filled = lg.full((2, 4), value)
    assert filled.sum().item() == pytest.approx(8 * value)
    assert lg.full((2, 4), value).sum(1).tolist() == pytest.approx([4 * value] * 2)
    assert lg.full((2, 4), value).max().item() == pytest.approx(value)
    assert lg.full((2, 4), value).softmax(-1).tolist() == [[0.25] * 4] * 2


def test_the_gradient_of_a_product_with_a_filled_tensor() -> None:
    weight = lg.tensor(2.0, requires_grad=True)
    (weight * lg.full((3,), 9.0)).sum().backward()
    assert weight.grad.item() == 27.0


def test_a_broadcast_value_is_reduced_over_its_full_shape() -> None:
    x = lg.arange(12.0).reshape(3, 4).realize()
    repeated = x.sum(1, keepdim=True).expand(3, 4)
    assert repeated.sum(1).tolist() == [24.0, 88.0, 152.0]
    assert x[:, :1].expand(3, 4).sum().item() == 48.0


def test_compare_runs_a_model_that_requires_gradients() -> None:
    layer = nn.Linear(4, 2)
    comparison = lg.compare(layer(lg.randn(4, 4)).tanh().sum(), repeats=1)
    assert comparison["fused"].cost.kernels < comparison["unfused"].cost.kernels
    assert comparison.max_difference < 1e-6


def test_batches_cut_from_a_tensor_share_one_plan() -> None:
    inputs, targets = lg.randn(64, 5).realize(), lg.randint(0, 3, (64,)).realize()
    model = nn.Linear(5, 3)
    order = lg.randperm(64).realize()
    misses = []
    for start in range(0, 64, 8):
        for chosen in (slice(start, start + 8), order[start : start + 8]):
            F.cross_entropy(model(inputs[chosen]), targets[chosen]).item()
        misses.append(lg.cache_info().misses)
    assert misses[-1] == misses[1], "later offsets find the plans of the earlier ones"


def test_a_slice_of_a_realized_tensor_still_sees_and_makes_writes() -> None:
    x = lg.zeros(4, 2).realize()
    row = x[1]
    row += 5
    x[1, 0] = 7.0
    assert x.tolist() == [[0, 0], [7, 5], [0, 0], [0, 0]]
    assert row.tolist() == [7, 5]


def test_a_bad_index_leaves_the_model_usable() -> None:
    table, layer = nn.Embedding(3, 2), nn.Linear(2, 1)
    optimizer = lg.optim.Adam([*table.parameters(), *layer.parameters()], lr=0.1)

    def step(rows: lg.Tensor) -> float:
        optimizer.zero_grad()
        loss = layer(table(rows)).square().mean()
        loss.backward()
        optimizer.step()
        return loss.item()

    step(lg.tensor([0, 1]))
    before = layer.weight.tolist()
    with pytest.raises(IndexError, match="7"):
        step(lg.tensor([0, 7]))
    with pytest.raises(IndexError):
        step(lg.tensor([0, 3]) + lg.tensor([0, 4]))  # not known before the step runs
    assert layer.weight.tolist() == before
    assert step(lg.tensor([0, 1])) > 0


def test_known_bad_classes_are_refused_where_the_loss_is_written() -> None:
    with pytest.raises(IndexError, match="3"):
        F.cross_entropy(lg.randn(2, 3), lg.tensor([1, 3]))
    with pytest.raises(IndexError, match="-1"):
        nn.Embedding(3, 2)(lg.tensor([-1]))
    F.cross_entropy(lg.randn(2, 3), lg.tensor([1, -100])).item()


def test_numpy_arrays_are_operands() -> None:
    assert (lg.ones(2) * np.array([2.0, 3.0], dtype=np.float32)).tolist() == [2.0, 3.0]
    assert (lg.ones(2) == np.ones(2)).tolist() == [True, True]


def test_seeding_every_device_is_harmless_without_one() -> None:
    lg.cuda.manual_seed_all(0)


def test_inspection_refuses_what_is_no_tensor() -> None:
    for function, wrong in ((lg.stages, [lg.ones(2), 2.0]), (lg.compare, [lg.ones(2)])):
        with pytest.raises(TypeError, match="Tensor"):
            function(wrong)
