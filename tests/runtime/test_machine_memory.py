"""A value that the machine cannot hold is refused at once, by its size: nothing is computed or allocated for it."""

from __future__ import annotations

import io
from collections.abc import Callable

import pytest

import lazygrad as lg
from lazygrad.host import machine_memory
from lazygrad.host.machine_memory import HostMemoryError
from lazygrad.nn import functional as F

TOO_LARGE: dict[str, Callable[[], object]] = {
    "zeros": lambda: lg.zeros(1 << 50),
    "empty": lambda: lg.empty(1 << 50),
    "full": lambda: lg.full((1 << 25, 1 << 25), 2.0),
    "random": lambda: lg.randn(1 << 45),
    "arange": lambda: lg.arange(1 << 45).realize(),
    "eye": lambda: lg.eye(1 << 22).realize(),
    "one hot": lambda: F.one_hot(lg.tensor([1 << 45])).realize(),
    "padded": lambda: F.pad(lg.ones(3), (0, 1 << 45)).realize(),
    "repeated": lambda: lg.ones(1 << 24).repeat(1 << 20).realize(),
    "outer": lambda: (lg.ones(1 << 20, 1) + lg.ones(1, 1 << 20)).exp().realize(),
    "parameters": lambda: lg.nn.Linear(1 << 22, 1 << 22),
    "counts": lambda: lg.bincount(lg.tensor([1 << 40])),
    "combinations": lambda: lg.combinations(lg.arange(60), 30),
    "combinations with replacement": lambda: lg.combinations(lg.arange(60), 30, with_replacement=True),
}


@pytest.mark.parametrize("name", TOO_LARGE)
def test_too_large_for_the_machine(name: str) -> None:
    with pytest.raises(HostMemoryError, match="DefaultCPUAllocator: can't allocate memory: you tried to allocate"):
        TOO_LARGE[name]()


def test_the_error_is_that_of_pytorch_and_that_of_python() -> None:
    assert issubclass(HostMemoryError, RuntimeError) and issubclass(HostMemoryError, MemoryError)


def test_a_request_within_what_is_promised_but_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine_memory, "machine_memory", lambda: 1 << 30)
    with pytest.raises(HostMemoryError):
        lg.empty(1 << 30).realize()
    assert lg.empty(1 << 20).realize().shape == (1 << 20,)


def test_a_number_whose_count_has_no_place() -> None:
    with pytest.raises(RuntimeError, match="maximum value of input overflowed"):
        lg.bincount(lg.tensor([(1 << 63) - 1]))


def test_many_tensors_over_one_storage_in_a_file() -> None:
    """The storage is written and read once, whatever their number."""
    memory, file = lg.arange(4000.0), io.BytesIO()
    lg.save([memory[i : i + 1] for i in range(4000)], file)
    assert file.tell() < 4000 * 400
    file.seek(0)
    loaded = lg.load(file)
    loaded[7].fill_(-1.0)
    assert lg.cat(loaded[:9]).tolist() == [0, 1, 2, 3, 4, 5, 6, -1, 8]
    assert len({value.untyped_storage().data_ptr() for value in loaded}) == 1
