"""Joining, strided views, counting and random words in C against numpy."""

from __future__ import annotations

import numpy as np
import pytest

from tests.runtime.numpy_inputs import ALL, LAYOUTS, MOVED, random_array

from .calls import Attributes, Extent, arrangements, check, repeated
from .library import needs_compiler

pytestmark = needs_compiler


@pytest.mark.parametrize("dtype", MOVED, ids=str)
@pytest.mark.parametrize("axis", [0, 1])
def test_concat(axis: int, dtype: np.dtype) -> None:
    shapes = [(2, 3), (0, 3), (4, 3)] if axis == 0 else [(2, 3), (2, 0), (2, 1)]
    parts = [layout(random_array(shape, dtype)) for shape, layout in zip(shapes, LAYOUTS.values(), strict=False)]
    check("concat", np.concatenate(parts, axis).shape, dtype, *parts, repeated(parts[0], 1)[:0].reshape(
        (0, 3) if axis == 0 else (2, 0)), axis=axis)  # fmt: skip


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_concat_of_large_arrays(axis: int) -> None:
    x = random_array((40, 50, 60))
    parts = [x, x.swapaxes(0, 1).copy().swapaxes(0, 1), np.asfortranarray(x), x[::-1, ::-1, ::-1]]
    shape = tuple(size * (4 if a == axis else 1) for a, size in enumerate(x.shape))
    check("concat", shape, np.float32, *parts, axis=axis)


@pytest.mark.parametrize("dtype", MOVED, ids=str)
@pytest.mark.parametrize("distance", [0, 2, 5])
def test_roll(distance: int, dtype: np.dtype) -> None:
    number = np.array(distance)
    for x in arrangements(random_array((5, 6), dtype)):
        for axis in (0, 1):
            for backward in (False, True):
                check("roll", x.shape, dtype, x, number, axis=axis, backward=backward)
    check("roll", (0, 3), dtype, random_array((0, 3), dtype), number, axis=0, backward=False)


VIEWS: list[Attributes] = [
    {"shape": (2, 3), "strides": (10, 2), "offset": 3},
    {"shape": (3, 2), "strides": (-1, 5), "offset": 7},
    {"shape": (5, 4), "strides": (1, 5), "offset": 0},
    {"shape": (4, 2, 2), "strides": (5, -1, 2), "offset": 1},
    {"shape": (), "strides": (), "offset": 19},
    {"shape": (0, 3), "strides": (3, 1), "offset": 20},
]


@pytest.mark.parametrize("dtype", MOVED, ids=str)
@pytest.mark.parametrize("view", VIEWS, ids=str)
def test_views_are_read_and_updated(view: Attributes, dtype: np.dtype) -> None:
    base, values = random_array((4, 5), dtype), random_array(view["shape"], dtype, 1)
    for arranged in arrangements(base):
        check("read_view", view["shape"], dtype, arranged, **view)
        check("update_view", base.shape, dtype, arranged, values, **view)
    for arranged in arrangements(values):
        check("update_view", base.shape, dtype, base, arranged, **view)
        check("update_view", base.shape, dtype, base, arranged, in_place=True, **view)


@pytest.mark.parametrize(
    ("dtype", "target", "shape"),
    [("complex64", "float32", (3, 4, 2, 2)), ("complex128", "float64", (3, 4, 2, 2)), ("float64", "complex128", (3, 4)),
     ("float32", "complex64", (3, 4)), ("float32", "int32", (3, 4, 2)), ("int64", "uint8", (3, 4, 2, 8))],
)  # fmt: skip
def test_bytes_are_reinterpreted(dtype: str, target: str, shape: Extent) -> None:
    for arranged in arrangements(random_array((3, 4, 2), dtype)):
        check("reinterpret", shape, target, arranged, dtype=target)


def test_views_of_large_arrays() -> None:
    base, values = random_array((200, 300)), random_array((300, 100), seed=1)
    view: Attributes = {"shape": (300, 100), "strides": (1, 600), "offset": 300}
    check("read_view", view["shape"], np.float32, base, **view)
    check("read_view", view["shape"], np.float32, base.T.copy().T, **view)
    check("update_view", base.shape, np.float32, base, values, **view)
    check("update_view", base.shape, np.float32, base, values.T.copy().T, in_place=True, **view)


def test_views_may_repeat_elements() -> None:
    base = np.arange(4)
    check("read_view", (2, 2), np.int64, base, shape=(2, 2), strides=(0, 1), offset=2)
    check("read_view", (2, 3), np.int64, base, shape=(2, 3), strides=(1, 1), offset=0)
    same = np.full((3, 2), 7)
    check("update_view", (4,), np.int64, base, same, shape=(3, 2), strides=(0, 1), offset=2)


@pytest.mark.parametrize("dtype", ALL, ids=str)
@pytest.mark.parametrize("length", [0, 1, 5, 40000])
def test_iota(length: int, dtype: np.dtype) -> None:
    check("iota", (length,), dtype, length=length, dtype=dtype.name)


@pytest.mark.parametrize("shape", [(), (0,), (3, 5), (200, 301)])
@pytest.mark.parametrize("counter", [0, 12345, -2, -1])
def test_philox(counter: int, shape: Extent) -> None:
    check("philox", shape, np.uint32, np.array(-7), np.array(counter), shape=shape)
