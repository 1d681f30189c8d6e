"""Batches of the loader, over map-style datasets and streams."""

from __future__ import annotations

import warnings
from typing import Any

import pytest

import lazygrad as lg
from lazygrad import data
from tests.oracle.comparing import assert_close

from .programs import Error, Squares, rows, stream_of


@pytest.mark.parametrize("drop_last", [False, True])
@pytest.mark.parametrize("batch_size", [1, 3, 5, 20])
def test_plain_numbers_in_batches(agree: Any, batch_size: int, drop_last: bool) -> None:
    def program(framework: Any, utilities: Any) -> Any:
        loader = utilities.DataLoader(Squares(10), batch_size, drop_last=drop_last)
        return len(loader), len(iter(loader)), list(loader)

    agree(program)


def test_own_collate_function_sees_the_samples(agree: Any) -> None:
    def program(framework: Any, utilities: Any) -> Any:
        dataset = utilities.TensorDataset(*rows(framework, 5))
        return list(utilities.DataLoader(dataset, 2, collate_fn=lambda samples: samples))

    agree(program)


def test_own_sampler_and_batch_sampler(agree: Any) -> None:
    def program(framework: Any, utilities: Any) -> Any:
        dataset = utilities.TensorDataset(*rows(framework, 6))
        by_sampler = utilities.DataLoader(dataset, 2, sampler=[5, -1, 0, 3, 2])
        by_batches = utilities.DataLoader(dataset, batch_sampler=[[0, 1, 2], [5], (3, 4)])
        unbatched = utilities.DataLoader(dataset, None, sampler=[[0, 1], [2]])
        return [(len(loader), list(loader), loader.batch_size) for loader in (by_sampler, by_batches, unbatched)]

    agree(program)


@pytest.mark.parametrize("sampler", [[0, 99], [0, -7]], ids=repr)
def test_indices_out_of_range_raise(agree: Any, sampler: list[int]) -> None:
    def program(framework: Any, utilities: Any) -> Any:
        return list(utilities.DataLoader(utilities.TensorDataset(*rows(framework, 6)), 2, sampler=sampler))

    assert agree(program) == Error("IndexError")


@pytest.mark.parametrize("drop_last", [False, True])
@pytest.mark.parametrize("batch_size", [None, 1, 3])
def test_streams_in_batches(agree: Any, batch_size: int | None, drop_last: bool) -> None:
    def program(framework: Any, utilities: Any) -> Any:
        options = {} if batch_size is None else {"drop_last": drop_last}
        loader = utilities.DataLoader(stream_of(utilities, 7, reported=7), batch_size, **options)
        return len(loader), list(loader), list(loader)

    agree(program)


def test_a_stream_longer_than_it_said_warns(agree: Any) -> None:
    def program(framework: Any, utilities: Any) -> Any:
        loader = utilities.DataLoader(stream_of(utilities, 3, reported=2), batch_size=None)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            length = len(loader)
            samples = list(loader)
        return length, samples, [entry.category.__name__ for entry in caught]

    assert agree(program)[-1] == ["UserWarning"]


def test_stream_without_length(agree: Any) -> None:
    agree(lambda framework, utilities: len(utilities.DataLoader(stream_of(utilities, 3))))


def test_many_samples_at_once_through_getitems(agree: Any) -> None:
    def program(framework: Any, utilities: Any) -> Any:
        asked = []

        class Table(utilities.Dataset):
            def __len__(self) -> int:
                return 6

            def __getitems__(self, indices: list[int]) -> list[int]:
                asked.append(indices)
                return [index * 10 for index in indices]

        batches = list(utilities.DataLoader(Table(), 4)) + list(utilities.DataLoader(utilities.Subset(Table(), [5, 1])))
        return batches, asked

    agree(program)


class RowByRow(data.TensorDataset):
    """The same samples, but of a class whose reading the loader may not shortcut."""


@pytest.mark.parametrize("nested", [False, True])
def test_whole_batches_equal_row_by_row(nested: bool) -> None:
    def epoch(kind: type[data.TensorDataset]) -> Any:
        dataset: Any = kind(*rows(lg, 11))
        if nested:
            dataset = data.Subset(data.Subset(dataset, [10, 4, 4, 0, 7, 1]), [5, 0, 2, 1])
        lg.manual_seed(5)
        return list(data.DataLoader(dataset, 3, shuffle=True))

    assert_close(epoch(data.TensorDataset), epoch(RowByRow), slack=0)


def test_whole_batches_read_no_single_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    def forbidden(self: Any, index: Any) -> Any:
        raise AssertionError(f"row {index} was read on its own")

    monkeypatch.setattr(data.TensorDataset, "__getitem__", forbidden)
    dataset = data.TensorDataset(*rows(lg, 6))
    (images, labels), _ = data.DataLoader(data.Subset(dataset, [4, 1, 0, 5]), 2)
    assert labels.tolist() == [1, 1]
    assert images.shape == (2, 2, 3)
    with pytest.raises(AssertionError, match="row 0 was read"):
        list(data.DataLoader(RowByRow(*rows(lg, 6)), 2))


@pytest.mark.parametrize("workers", [0, 1])
def test_a_loader_may_have_its_dataset_read_whole_batches(agree: Any, workers: int) -> None:
    def program(framework: Any, utilities: Any) -> Any:
        class Whole(utilities.DataLoader):  # type: ignore[misc]
            is_reading = False

            @property
            def _auto_collation(self) -> bool:
                return not self.is_reading and bool(super()._auto_collation)

            @property
            def _index_sampler(self) -> Any:
                return self.batch_sampler

            def __iter__(self) -> Any:
                self.is_reading = True
                return super().__iter__()

        dataset = utilities.TensorDataset(*rows(framework, 7))
        loader = Whole(dataset, 3, collate_fn=lambda batch: batch, num_workers=workers)
        return len(loader), [[part * 1 for part in batch] for batch in loader]

    agree(program)


def test_the_loaders_file_has_what_it_is_made_of() -> None:
    from lazygrad.utils.data import dataloader

    names = ("BatchSampler", "Dataset", "IterableDataset", "RandomSampler", "Sampler", "SequentialSampler")
    assert all(getattr(dataloader, name) is getattr(data, name) for name in names)


def test_passes_are_of_the_classes_by_which_pytorch_knows_them() -> None:
    from lazygrad.utils.data import dataloader

    dataset = data.TensorDataset(*rows(lg, 2))
    for workers, name in ((0, "_SingleProcessDataLoaderIter"), (1, "_MultiProcessingDataLoaderIter")):
        found = iter(data.DataLoader(dataset, num_workers=workers))
        assert isinstance(found, getattr(dataloader, name)) and isinstance(found, dataloader._BaseDataLoaderIter)
        list(found)
    with pytest.raises(AttributeError):
        _ = dataloader.missing
