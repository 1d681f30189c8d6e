"""Datasets: indexing, joining, chaining, splitting."""

from __future__ import annotations

from typing import Any

import pytest

from lazygrad import data

from .programs import Squares, rows, stream_of


def test_datasets_join_slice_and_index(agree: Any) -> None:
    def program(framework: Any, utilities: Any) -> Any:
        first = utilities.TensorDataset(*rows(framework, 4))
        joined = first + utilities.TensorDataset(*rows(framework, 3))
        subset = utilities.Subset(joined, [6, 0, 3])
        return len(joined), joined[5], joined[-1], joined[0], len(subset), list(subset), first[1:3], first[[0, 2]]

    agree(program)


def test_chained_streams(agree: Any) -> None:
    def program(framework: Any, utilities: Any) -> Any:
        chained = stream_of(utilities, 3, reported=3) + stream_of(utilities, 2, reported=2)
        return len(chained), list(chained)

    assert agree(program) == (5, [0, 1, 2, 0, 1])


@pytest.mark.parametrize("lengths", [[3, 7], [10], [0.3, 0.3, 0.4], [0.25, 0.75], [1, 2, 3, 4]])
def test_random_split(agree: Any, lengths: list[float]) -> None:
    def program(framework: Any, utilities: Any) -> Any:
        generator = framework.Generator()
        generator.manual_seed(42)
        parts = utilities.random_split(range(10), lengths, generator=generator)
        default = utilities.random_split(range(10), lengths)
        return [list(part.indices) for part in parts + default], [len(part) for part in parts], framework.rand(2)

    agree(program)


def test_random_split_warns_of_an_empty_part() -> None:
    with pytest.warns(UserWarning, match="index 1 is 0"):
        parts = data.random_split(Squares(1), [0.5, 0.5])
    assert [len(part) for part in parts] == [1, 0]
