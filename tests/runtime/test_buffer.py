"""Buffers: large memory comes back through the pool, small memory and shared memory do not."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

import lazygrad as lg
from lazygrad.ir.dtype import bfloat16, float32, float64
from lazygrad.ir.node import tensor_type
from lazygrad.runtime.buffer import Buffer, pool

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


def test_small_memory_is_left_to_numpy() -> None:
    buffer = Buffer.empty(tensor_type((10,), float32))
    del buffer
    assert pool.bytes_free == 0


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
