"""DataLoader with worker processes beside PyTorch's: the same batches in the same order, from the same draws."""

from __future__ import annotations

import importlib
import random
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import lazygrad as lg
from lazygrad import data
from tests.oracle.comparing import assert_equal, outcome_of

from .programs import Squares, stream_of

pytestmark = pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork:DeprecationWarning")


class Draws:
    """Samples of what each of the generators draws, with something large, and text."""

    def __init__(self, framework: Any, length: int = 11) -> None:
        self.framework, self.length = framework, length

    def __len__(self) -> int:
        return self.length

    def __getitem__(self, index: int) -> dict[str, Any]:
        return {
            "index": index,
            "drawn": (self.framework.rand(2), np.random.rand(), random.random()),
            "image": np.full((3, 40, 40), index, np.uint8),
            "large": self.framework.full((2, 50, 50), float(index)),
            "name": f"sample {index}",
        }


def batches(loader: Any) -> list[Any]:
    return list(loader)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"batch_size": 4, "shuffle": True},
        {"batch_size": 4, "shuffle": True, "drop_last": True, "num_workers": 3, "prefetch_factor": 1},
        {"batch_size": None},
        {"batch_size": 3, "prefetch_factor": 5, "num_workers": 1},
    ],
    ids=str,
)
def test_batches_draws_and_seeds_are_those_of_torch(agree: Any, options: dict[str, Any]) -> None:
    def program(framework: Any, utilities: Any) -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # more workers than processors
            loader = utilities.DataLoader(Draws(framework), **{"num_workers": 2, **options})
        return [batches(loader), batches(loader), framework.rand(2), len(loader)]

    agree(program)


@pytest.mark.parametrize("persistent", [False, True])
def test_streams_end_in_each_worker_by_itself(agree: Any, persistent: bool) -> None:
    def program(framework: Any, utilities: Any) -> Any:
        class Stream(utilities.IterableDataset):
            def __iter__(self) -> Iterator[Any]:
                info = utilities.get_worker_info()
                assert utilities.get_worker_info().dataset is self and info.num_workers == 2
                return iter(range(100 * info.id, 100 * info.id + (9 if info.id else 2)))

        loader = utilities.DataLoader(Stream(), batch_size=2, num_workers=2, persistent_workers=persistent)
        return [[batch.tolist() for batch in loader] for _ in range(2)]

    first, _ = agree(program)
    assert first[0] == [0, 1]


def test_persistent_workers_keep_their_dataset(agree: Any) -> None:
    class Counting:
        def __init__(self) -> None:
            self.calls = 0

        def __len__(self) -> int:
            return 4

        def __getitem__(self, index: int) -> tuple[int, int]:
            self.calls += 1
            return index, self.calls

    def program(framework: Any, utilities: Any) -> Any:
        kept = utilities.DataLoader(Counting(), num_workers=2, persistent_workers=True)
        fresh = utilities.DataLoader(Counting(), num_workers=2)
        found = [batches(loader) for loader in (kept, kept, fresh, fresh)]
        iterator = iter(kept)
        next(iterator)  # the rest of this epoch is left
        return [*found, [len(batches(kept))], iter(kept) is iterator, framework.rand(1)]

    agree(program)


def test_workers_are_set_up_by_the_program(agree: Any) -> None:
    def program(framework: Any, utilities: Any) -> Any:
        class Own(Squares):
            scale = 1

            def __getitem__(self, index: int) -> Any:
                return index * self.scale, utilities.get_worker_info().id

        def set_up(worker: int) -> None:
            utilities.get_worker_info().dataset.scale = 10 ** (worker + 1)

        assert utilities.get_worker_info() is None
        return batches(utilities.DataLoader(Own(5), num_workers=2, worker_init_fn=set_up))

    agree(program)


def test_seeds_are_the_base_seed_and_the_number_of_the_worker(agree: Any) -> None:
    class Seeds(Squares):
        def __init__(self, utilities: Any) -> None:
            super().__init__(4)
            self.utilities = utilities

        def __getitem__(self, index: int) -> int:
            return self.utilities.get_worker_info().seed

    def program(framework: Any, utilities: Any) -> Any:
        generator = framework.Generator()
        generator.manual_seed(5)
        loader = utilities.DataLoader(Seeds(utilities), num_workers=2, generator=generator, shuffle=True)
        return [batches(loader), framework.rand(1), framework.rand(1, generator=generator)]

    agree(program)


def test_out_of_order_batches_are_all_there() -> None:
    loader = data.DataLoader(Squares(20), batch_size=2, num_workers=2, in_order=False)
    assert sorted(index for batch, _ in loader for index in batch.tolist()) == list(range(20))
    stream = data.DataLoader(stream_of(data, 6), num_workers=2, in_order=False)
    assert sorted(batch.item() for batch in stream) == sorted([*range(6)] * 2)


@pytest.mark.parametrize("kind", ["own", KeyError, ValueError, StopIteration, UnicodeDecodeError])
def test_errors_bring_the_workers_traceback(kind: Any) -> None:
    class OwnError(Exception):
        pass

    class Broken(Squares):
        def __getitem__(self, index: int) -> Any:
            if index == 3:
                raise UnicodeDecodeError("utf-8", b"", 0, 1, "no") if kind is UnicodeDecodeError else raised("sample 3")
            return index

    raised = OwnError if kind == "own" else kind
    expected = kind if kind in (KeyError, ValueError) else RuntimeError
    iterator = iter(data.DataLoader(Broken(6), num_workers=2))
    assert [next(iterator).item() for _ in range(3)] == [0, 1, 2]
    with pytest.raises(expected, match=r"in DataLoader worker process 1\.\nOriginal Traceback[\s\S]*test_workers.py"):
        next(iterator)
    assert [batch.item() for batch in iterator] == [4, 5]


def test_an_error_while_a_worker_is_set_up_and_a_batch_that_cannot_be_sent() -> None:
    def set_up(worker: int) -> None:
        raise ValueError("no set-up")

    with pytest.raises(ValueError, match="no set-up"):
        next(iter(data.DataLoader(Squares(3), num_workers=1, worker_init_fn=set_up)))
    unsendable = data.DataLoader(Squares(3), num_workers=1, collate_fn=lambda batch: lambda: batch)
    with pytest.raises(Exception, match=r"Caught \w+ in DataLoader worker process 0[\s\S]*lambda"):
        next(iter(unsendable))


def test_batches_keep_their_memory_and_give_it_back() -> None:
    class Images(Squares):
        def __getitem__(self, index: int) -> Any:
            return np.full((64, 64), index, np.float32), lg.full((64, 64), index), [np.full((5000,), index)]

    loader = data.DataLoader(Images(16), num_workers=1, batch_size=2)
    iterator = iter(loader)
    (worker,) = iterator._crew.workers
    kept = [next(iterator) for _ in range(5)]
    assert worker.file.taken.sum() >= 15
    for position, (images, tensors, (rest,)) in enumerate(kept):
        for each in (images, tensors, rest):
            assert (
                each.flatten(1)[:, 0].tolist() == [2 * position, 2 * position + 1]
                and (each.flatten(1) == each.flatten(1)[:, :1]).all()
            )
    images.add_(1)  # a batch is the program's own
    del kept, images, tensors, rest, each
    slots = [int(worker.file.taken.sum()) for _ in iterator]
    assert max(slots) <= 3 * 4, "the batch here, two made ahead, and the one that is being made"


def test_a_batch_that_the_worker_keeps_is_not_changed_by_the_program() -> None:
    cache: list[Any] = []

    def collate(samples: list[Any]) -> Any:
        if not cache:
            cache.append(data.default_collate(samples))
        return cache[0]

    loader = data.DataLoader([np.zeros(9000) for _ in range(8)], num_workers=1, collate_fn=collate)
    for batch in loader:
        assert batch.sum() == 0
        batch.add_(1)
        batch.realize()


def test_what_tensors_carry_comes_along() -> None:
    samples = [
        lg.ones(3, requires_grad=True),
        lg.nn.Parameter(lg.ones(2)),
        lg.ones(7000, dtype=lg.bfloat16),
        lg.tensor(3),
        lg.empty(0, 3),
        np.float32(2),
        lg.arange(6.0).reshape(2, 3).T,
    ]
    loader = data.DataLoader(samples, batch_size=None, num_workers=2)
    for have, want in zip(loader, samples, strict=True):
        assert type(have) is (lg.Tensor if isinstance(want, np.floating) else type(want))
        assert_equal(outcome_of(lg.as_tensor(want)), outcome_of(have), slack=0)


@pytest.mark.parametrize("context", ["spawn", "forkserver"])
@pytest.mark.whole
def test_workers_that_are_not_forks(context: str) -> None:
    import multiprocessing

    for given in (context, multiprocessing.get_context(context)):
        loader = data.DataLoader(Squares(5), batch_size=2, num_workers=1, multiprocessing_context=given)
        assert [batch.tolist() for batch, _ in loader] == [[0, 1], [2, 3], [4]]


BAD_OPTIONS: dict[str, dict[str, Any]] = {
    "negative": {"num_workers": -1},
    "prefetching by nobody": {"prefetch_factor": 2},
    "no prefetching": {"num_workers": 1, "prefetch_factor": 0},
    "negative prefetching": {"num_workers": 1, "prefetch_factor": -1},
    "nobody persists": {"persistent_workers": True},
    "context of nobody": {"multiprocessing_context": "fork"},
    "unknown context": {"num_workers": 1, "multiprocessing_context": "x"},
    "no context": {"num_workers": 1, "multiprocessing_context": 3},
    "negative time": {"num_workers": 1, "timeout": -1},
}


@pytest.mark.parametrize("name", BAD_OPTIONS)
def test_options_that_are_refused(agree: Any, name: str) -> None:
    agree(lambda framework, utilities: iter(utilities.DataLoader(Squares(3), **BAD_OPTIONS[name])))


def test_more_workers_than_processors_are_warned_of() -> None:
    with pytest.warns(UserWarning, match="will create 1000 worker processes in total"):
        data.DataLoader(Squares(3), num_workers=1000)


def test_stacked_datasets(agree: Any) -> None:
    def program(framework: Any, utilities: Any) -> Any:
        class Many(Squares):
            def __getitems__(self, indices: list[int]) -> list[int]:
                return [-index for index in indices]

        by_place, by_name = (
            utilities.StackDataset(Squares(5), Many(5)),
            utilities.StackDataset(a=Many(5), b=[*range(5)]),
        )
        return [
            [by_place[2], by_name[3], len(by_name)],
            [batches(utilities.DataLoader(each, batch_size=2)) for each in (by_place, by_name)],
        ]

    agree(program)
    for bad in [
        lambda framework, utilities: utilities.StackDataset(),
        lambda framework, utilities: utilities.StackDataset(Squares(2), a=Squares(2)),
        lambda framework, utilities: utilities.StackDataset(Squares(2), Squares(3)),
    ]:
        agree(bad)


def test_classes_may_bring_their_own_way_to_be_joined(agree: Any) -> None:
    class Own:
        def __init__(self, value: int) -> None:
            self.value = value

    def program(framework: Any, utilities: Any) -> Any:
        collate = utilities._utils.collate if hasattr(utilities, "_utils") else lg.utils.data._utils.collate
        functions = {
            Own: lambda batch, *, collate_fn_map: [each.value for each in batch],
            int: lambda batch, **_: sum(batch),
        }
        return [
            collate.collate([(Own(1), 2), (Own(3), 4)], collate_fn_map=functions),
            collate.collate([True, False], collate_fn_map=functions),
            collate.default_collate([[1, 2.5], [3, 4.5]]),
        ]

    agree(program)


def test_no_public_name_is_missing() -> None:
    torch_data = pytest.importorskip("torch.utils.data", reason="torch is the oracle of this test")
    public = {name for name in torch_data.__all__ if not name.startswith("_")}
    assert public - set(vars(lg.utils.data)) == set()
    assert public - set(lg.utils.data.__all__) == set()
    with pytest.raises(NotImplementedError, match=r"lazygrad has no utils\.data\.IterDataPipe: derive from"):
        lg.utils.data.IterDataPipe()
    for path in ("sampler", "dataset", "dataloader", "distributed", "_utils.collate", "_utils.worker"):
        importlib.import_module(f"lazygrad.utils.data.{path}")


class _WithGradients(data.Dataset):
    def __init__(self, detached: bool) -> None:
        self.weight, self.detached = lg.ones(2, requires_grad=True), detached

    def __len__(self) -> int:
        return 4

    def __getitem__(self, index: int) -> Any:
        made = self.weight * index
        return made.detach() if self.detached else made


def test_results_with_gradients_do_not_cross_processes() -> None:
    """As in PyTorch, a leaf does, and what it was detached from."""
    with pytest.raises(RuntimeError, match="Cowardly refusing to serialize non-leaf tensor which requires_grad"):
        list(data.DataLoader(_WithGradients(False), batch_size=2, num_workers=1))
    loaded = list(data.DataLoader(_WithGradients(True), batch_size=2, num_workers=1))
    assert [batch.tolist() for batch in loaded] == [[[0, 0], [1, 1]], [[2, 2], [3, 3]]]
    assert [batch.requires_grad for batch in data.DataLoader(_Leaves(), batch_size=None, num_workers=1)] == [True, True]


class _Leaves(data.Dataset):
    def __len__(self) -> int:
        return 2

    def __getitem__(self, index: int) -> Any:
        return lg.ones(2, requires_grad=True)


class _Transposed(data.Dataset):
    def __len__(self) -> int:
        return 2

    def __getitem__(self, index: int) -> Any:
        return lg.arange(6.0).reshape(2, 3).t()


def test_strides_cross_processes() -> None:
    for batch in data.DataLoader(_Transposed(), batch_size=None, num_workers=1):
        assert batch.stride() == (1, 3) and batch.tolist() == [[0, 3], [1, 4], [2, 5]]
