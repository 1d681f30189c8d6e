"""Buffers: large memory comes back through the pool, small memory and shared memory do not."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

import lazygrad as lg
from lazygrad.host import buffer as buffer_module
from lazygrad.host.buffer import Buffer, pool
from lazygrad.ir.dtype import bfloat16, float32, float64
from lazygrad.ir.node import tensor_type

LARGE = tensor_type((100, 1000), float32)


@pytest.fixture(autouse=True)
def empty_pool() -> Iterator[None]:
    pool.clear()
    yield
    pool.clear()


def address(buffer: Buffer) -> int:
    assert buffer.array is not None
    return buffer.array.ctypes.data


def test_freed_memory_is_handed_out_again() -> None:
    buffer = Buffer.empty(LARGE)
    first = address(buffer)
    del buffer
    assert pool.bytes_free >= 400_000
    again = Buffer.empty(LARGE)
    assert address(again) == first
    assert pool.bytes_free == 0


def test_another_type_of_about_the_same_size_reuses_it() -> None:
    buffer = Buffer.empty(LARGE)
    first = address(buffer)
    del buffer
    other = Buffer.empty(tensor_type((50, 1000), float64))
    assert address(other) == first
    assert other.array is not None and other.array.shape == (50, 1000) and other.array.dtype == np.float64


def test_lengths_that_differ_from_step_to_step_share_blocks() -> None:
    places: set[int] = set()
    for length in range(500, 1000):
        buffer = Buffer.empty(tensor_type((length, 100), float32))
        places.add(address(buffer))
        assert buffer.array is not None and buffer.array.shape == (length, 100)
        del buffer
    assert len(places) <= 9
    assert pool.bytes_free <= 9 * 458_752


@pytest.mark.parametrize("size", [1 << 15, (1 << 15) + 1, 40_000, 65_536, 65_537, 10**6, 10**8 + 1])
def test_a_block_is_no_more_than_an_eighth_too_large(size: int) -> None:
    block = buffer_module._block_size(size)
    assert size <= block <= max(size * 9 // 8, size + 4096) and block % 4096 == 0


def test_memory_in_use_is_not_handed_out() -> None:
    buffers = [Buffer.empty(LARGE) for _ in range(3)]
    assert len({address(buffer) for buffer in buffers}) == 3


def test_shared_memory_never_comes_back() -> None:
    buffer = Buffer.empty(LARGE)
    buffer.shared = True
    outside = buffer.array
    del buffer
    assert pool.bytes_free == 0
    assert outside is not None


@pytest.mark.parametrize("elements", [10, 1000])
def test_small_memory_does_not_come_back(elements: int) -> None:
    buffer = Buffer.empty(tensor_type((elements,), float32))
    del buffer
    assert pool.bytes_free == 0


@pytest.mark.parametrize("shape", [(), (0, 3), (5, 3), (256,), (257,), (100, 1000)])
def test_the_address_is_numpys(shape: tuple[int, ...]) -> None:
    for _ in range(40):  # small values fill more than one of the slabs they share
        buffer = Buffer.empty(tensor_type(shape, float32))
        assert buffer.address == address(buffer)


def test_small_values_do_not_overlap() -> None:
    buffers = [Buffer.empty(tensor_type((count,), float32)) for count in (1, 16, 17, 255, 256) for _ in range(60)]
    for number, buffer in enumerate(buffers):
        assert buffer.array is not None
        buffer.array[...] = number
    assert all((buffer.array == number).all() for number, buffer in enumerate(buffers))


def test_shapes_and_dtypes_of_empty_buffers() -> None:
    for shape in ((), (0, 3), (2, 3)):
        for dtype in (float32, bfloat16):
            array = Buffer.empty(tensor_type(shape, dtype)).array
            assert array is not None
            assert array.shape == shape and array.itemsize == dtype.itemsize
            assert array.flags.c_contiguous


def test_numpy_of_a_tensor_is_shared_and_outlives_it() -> None:
    x = (lg.ones(100, 1000) * 3).realize()
    array = x.numpy()
    assert x.node().value.shared
    del x
    replacement = (lg.ones(100, 1000) * 7).realize()
    assert (array == 3).all()
    assert replacement[0, 0].item() == 7


def test_a_chain_of_updates_lives_in_a_bounded_amount_of_memory() -> None:
    x = (lg.ones(100, 1000) * 3).realize()
    addresses = set()
    for _ in range(10):
        x = lg.sqrt(x * x).realize()
        addresses.add(x.array().ctypes.data)
    assert len(addresses) <= 2


def test_the_first_value_of_a_process_may_have_no_elements(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(buffer_module, "_slab", buffer_module._Slab())
    empty = Buffer.empty(tensor_type((0, 3), float32)).array
    assert empty is not None and empty.shape == (0, 3)
