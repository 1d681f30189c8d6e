"""In which order samples come, and how the generators' streams are used."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import lazygrad as lg
from lazygrad import data

from .programs import Squares, rows


@pytest.mark.parametrize("count", [1, 7, 16, 40])
@pytest.mark.parametrize("drop_last", [False, True])
def test_shuffled_epochs_come_in_torch_order(agree: Any, count: int, drop_last: bool) -> None:
    def program(framework: Any, utilities: Any) -> Any:
        loader = utilities.DataLoader(
            utilities.TensorDataset(*rows(framework, count)), batch_size=8, shuffle=True, drop_last=drop_last
        )
        return len(loader), [list(loader) for _ in range(3)]

    agree(program)


@pytest.mark.parametrize("batch_size", [None, 4])
def test_loading_advances_the_global_generator_as_torch_does(agree: Any, batch_size: int | None) -> None:
    def program(framework: Any, utilities: Any) -> Any:
        loader = utilities.DataLoader(Squares(9), batch_size=batch_size, shuffle=True)
        epochs = []
        for _ in range(2):
            iterator = iter(loader)
            before = framework.rand(3)
            first = next(iterator)
            epochs.append((before, first, framework.rand(3), list(iterator), framework.rand(3)))
        sequential = list(utilities.DataLoader(Squares(5), batch_size=2))
        return epochs, sequential, framework.rand(3)

    agree(program)


@pytest.mark.parametrize("count", [8, 10])
def test_an_own_generator_decides_the_order_and_advances_as_in_torch(agree: Any, count: int) -> None:
    def program(framework: Any, utilities: Any) -> Any:
        generator = framework.Generator()
        generator.manual_seed(7)
        loader = utilities.DataLoader(Squares(count), batch_size=4, shuffle=True, generator=generator)
        return list(loader), list(loader), framework.rand(2, generator=generator), framework.rand(2)

    agree(program)


@pytest.mark.parametrize("options", [{}, {"num_samples": 5}, {"num_samples": 23}, {"replacement": True}])
def test_random_sampler(agree: Any, options: dict[str, Any]) -> None:
    def program(framework: Any, utilities: Any) -> Any:
        sampler = utilities.RandomSampler(range(10), **options)
        return len(sampler), list(sampler), list(sampler)

    agree(program)


def test_random_sampler_with_replacement_over_several_blocks(agree: Any) -> None:
    def program(framework: Any, utilities: Any) -> Any:
        generator = framework.Generator()
        generator.manual_seed(3)
        sampler = utilities.RandomSampler(range(100), replacement=True, num_samples=75, generator=generator)
        return list(sampler), framework.rand(2, generator=generator)

    agree(program)


def test_sequential_and_subset_random_samplers(agree: Any) -> None:
    def program(framework: Any, utilities: Any) -> Any:
        subset = utilities.SubsetRandomSampler([3, 1, 4, 1, 5, 9])
        return list(utilities.SequentialSampler(range(6))), len(subset), list(subset), list(subset)

    agree(program)


@pytest.mark.parametrize(("num_samples", "replacement"), [(1, True), (30, True), (1, False), (4, False)])
def test_weighted_draws(agree: Any, num_samples: int, replacement: bool) -> None:
    def program(framework: Any, utilities: Any) -> Any:
        weights = [0.1, 0.0, 0.9, 0.4, 3.0]
        sampler = utilities.WeightedRandomSampler(weights, num_samples, replacement)
        return sampler.weights, len(sampler), list(sampler), list(sampler), framework.rand(2)

    agree(program)


def test_weights_may_be_a_tensor_of_any_dtype(agree: Any) -> None:
    def program(framework: Any, utilities: Any) -> Any:
        return list(utilities.WeightedRandomSampler(framework.tensor([1, 2, 3]), 20))

    agree(program)


def test_weighted_draws_without_replacement_follow_the_weights() -> None:
    lg.manual_seed(0)
    weights = np.array([0.0, 1.0, 2.0, 5.0])
    firsts = []
    for _ in range(400):
        drawn = list(data.WeightedRandomSampler(weights, 3, replacement=False))
        assert sorted(drawn) == [1, 2, 3]
        firsts.append(drawn[0])
    shares = np.bincount(firsts, minlength=4) / len(firsts)
    np.testing.assert_allclose(shares, weights / weights.sum(), atol=0.08)  # three standard deviations


@pytest.mark.parametrize("drop_last", [False, True])
@pytest.mark.parametrize("count", [0, 3, 9, 10])
def test_batch_sampler(agree: Any, count: int, drop_last: bool) -> None:
    def program(framework: Any, utilities: Any) -> Any:
        sampler = utilities.BatchSampler(range(count), 3, drop_last)
        return len(sampler), list(sampler)

    agree(program)
