"""Bad input raises PyTorch's class of error."""

from __future__ import annotations

from typing import Any

import pytest

from lazygrad import data

from .programs import Error, Program, Squares, rows, stream_of


@pytest.mark.parametrize(
    "options",
    [
        {"sampler": range(4), "shuffle": True},
        {"batch_sampler": [[0]], "batch_size": 2},
        {"batch_sampler": [[0]], "shuffle": True},
        {"batch_sampler": [[0]], "sampler": range(4)},
        {"batch_sampler": [[0]], "drop_last": True},
        {"batch_size": None, "drop_last": True},
        {"batch_size": 0},
        {"batch_size": 2.0},
        {"batch_size": True},
        {"drop_last": 1},
        {"num_workers": -1},
        {"timeout": -1},
        {"prefetch_factor": 2},
        {"persistent_workers": True},
        {"multiprocessing_context": "spawn"},
        {"timeout": 1},
    ],
    ids=repr,
)
def test_options_that_do_not_go_together(agree: Any, options: dict[str, Any]) -> None:
    assert isinstance(agree(lambda framework, utilities: list(utilities.DataLoader(Squares(4), **options))), Error)


@pytest.mark.parametrize("options", [{"shuffle": True}, {"sampler": [0]}, {"batch_sampler": [[0]]}], ids=repr)
def test_streams_have_no_order_to_choose(agree: Any, options: dict[str, Any]) -> None:
    def program(framework: Any, utilities: Any) -> Any:
        return utilities.DataLoader(stream_of(utilities, 3), **options)

    assert agree(program) == Error("ValueError")


BAD_INPUT: dict[str, Program] = {
    "nothing to permute": lambda framework, utilities: utilities.RandomSampler([]),
    "no samples": lambda framework, utilities: utilities.RandomSampler(range(3), num_samples=0),
    "replacement is no bool": lambda framework, utilities: utilities.RandomSampler(range(3), replacement=1),
    "weighted: samples is a bool": lambda framework, utilities: utilities.WeightedRandomSampler([1.0], True),
    "weighted: replacement is no bool": lambda framework, utilities: utilities.WeightedRandomSampler([1.0], 1, 0),
    "weights of 2 dimensions": lambda framework, utilities: utilities.WeightedRandomSampler([[1.0]], 1),
    "negative weight": lambda framework, utilities: list(utilities.WeightedRandomSampler([1.0, -1.0], 2)),
    "infinite weight": lambda framework, utilities: list(utilities.WeightedRandomSampler([1.0, float("inf")], 2)),
    "zero weights": lambda framework, utilities: list(utilities.WeightedRandomSampler([0.0, 0.0], 2)),
    "too few weights": lambda framework, utilities: list(utilities.WeightedRandomSampler([1.0, 1.0], 3, False)),
    "abstract sampler": lambda framework, utilities: list(utilities.Sampler()),
    "abstract dataset": lambda framework, utilities: utilities.Dataset()[0],
    "abstract stream": lambda framework, utilities: utilities.IterableDataset(),
    "nothing to concatenate": lambda framework, utilities: utilities.ConcatDataset([]),
    "concatenated stream": lambda framework, utilities: utilities.ConcatDataset([stream_of(utilities, 2)]),
    "index before the start": lambda framework, utilities: utilities.ConcatDataset([Squares(2)])[-3],
    "index after the end": lambda framework, utilities: utilities.ConcatDataset([Squares(2)])[2],
    "chained map": lambda framework, utilities: list(utilities.ChainDataset([Squares(2)])),
    "rows differ": lambda framework, utilities: utilities.TensorDataset(rows(framework, 2)[0], rows(framework, 3)[1]),
    "split too short": lambda framework, utilities: utilities.random_split(range(4), [1, 2]),
    "negative fraction": lambda framework, utilities: utilities.random_split(range(4), [-0.5, 1.5]),
    "half a subset": lambda framework, utilities: type("Own", (utilities.Subset,), {"__getitem__": None})([1], [0]),
}


@pytest.mark.parametrize("name", BAD_INPUT)
def test_bad_input(agree: Any, name: str) -> None:
    assert isinstance(agree(BAD_INPUT[name]), Error)


@pytest.mark.parametrize("name", ["batch_size", "batch_sampler", "sampler", "drop_last", "dataset"])
def test_a_loader_keeps_what_it_was_made_with(agree: Any, name: str) -> None:
    agree(lambda framework, utilities: setattr(utilities.DataLoader(Squares(2)), name, None))


def test_pinning_warns() -> None:
    loader = data.DataLoader(Squares(2), pin_memory=True)
    with pytest.warns(UserWarning, match="no accelerator is found"):
        assert len(list(loader)) == 2
