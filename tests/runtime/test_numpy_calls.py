"""Every library op's numpy implementation, matrix products and data movements against plain numpy."""

from __future__ import annotations

import importlib
import pkgutil
from typing import Any

import numpy as np
import pytest

import lazygrad.ir.primitives
from lazygrad.host.calls import calls
from lazygrad.host.philox import philox_u32
from lazygrad.ir.op import Kind, registry

from .numpy_inputs import ALL, BFLOAT16, FLOATS, INTEGERS, LAYOUTS, assert_close, call, random_array


def test_every_library_op_has_an_implementation() -> None:
    for module in pkgutil.iter_modules(lazygrad.ir.primitives.__path__):
        importlib.import_module(f"{lazygrad.ir.primitives.__name__}.{module.name}")
    library = {name for name, op in registry.items() if op.kind is Kind.LIBRARY}
    assert set(calls) == library


# Matrix products


@pytest.mark.parametrize("dtype", [*INTEGERS, *FLOATS], ids=str)
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(
    ("a_shape", "b_shape"),
    [
        ((3, 4), (4, 5)), ((1, 4), (4, 1)), ((2, 3, 4), (4, 5)), ((2, 3, 4), (1, 4, 5)), ((3, 4), (2, 4, 5)),
        ((2, 1, 3, 4), (5, 4, 2)), ((0, 4), (4, 5)), ((3, 0), (0, 5)), ((0, 3, 4), (0, 4, 5)),
    ],
)  # fmt: skip
def test_matmul(a_shape: tuple[int, ...], b_shape: tuple[int, ...], layout: str, dtype: np.dtype) -> None:
    a, b = LAYOUTS[layout](random_array(a_shape, dtype)), LAYOUTS[layout](random_array(b_shape, dtype, 1))
    wide = np.int64 if dtype.kind in "iu" else np.float64
    expected = a.astype(wide) @ b.astype(wide)
    actual = call("matmul", expected.shape, dtype, a, b)
    assert_close(actual, expected.astype(dtype), slack=2)


@pytest.mark.parametrize(
    ("a_shape", "b_shape"),
    [
        ((300, 200), (200, 300)),
        ((40, 200, 100), (40, 100, 50)),
        ((1, 200, 100), (40, 100, 50)),
        ((1, 3000), (3000, 900)),
    ],
)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_matmul_spread_over_threads(a_shape: tuple[int, ...], b_shape: tuple[int, ...], layout: str) -> None:
    a, b = LAYOUTS[layout](random_array(a_shape)), LAYOUTS[layout](random_array(b_shape, seed=1))
    expected = a.astype(np.float64) @ b.astype(np.float64)
    assert_close(call("matmul", expected.shape, np.float32, a, b), expected, slack=3)


def test_matmul_of_a_broadcast_batch() -> None:
    a, b = random_array((6, 3, 4)), random_array((4, 5), seed=1)
    shared = np.broadcast_to(b, (6, 4, 5))
    assert_close(call("matmul", (6, 3, 5), np.float32, a, shared), a @ b)
    assert_close(call("matmul", (6, 4, 4), np.float32, shared, random_array((6, 5, 4))), b @ random_array((6, 5, 4)))
    single = random_array((3, 4))
    assert_close(call("matmul", (6, 3, 5), np.float32, single, shared), np.broadcast_to(single @ b, (6, 3, 5)))


def test_integer_matmul_is_exact_and_wraps_around() -> None:
    large = np.array([[2**62, 3]], np.int64)
    column = np.array([[2], [1]], np.int64)
    assert call("matmul", (1, 1), np.int64, large, column)[0, 0] == -(2**63) + 3
    odd = np.array([[2**53 + 1]], np.int64)
    assert call("matmul", (1, 1), np.int64, odd, np.ones((1, 1), np.int64))[0, 0] == 2**53 + 1
    many = np.full((1, 63), 2**26 + 1, np.int64)
    assert call("matmul", (1, 1), np.int64, many, many.T)[0, 0] == 63 * (2**26 + 1) ** 2
    assert call("matmul", (1, 1), np.int8, np.full((1, 4), 100, np.int8), np.full((4, 1), 1, np.int8))[0, 0] == -112


@pytest.mark.parametrize("dtype", [np.dtype(np.float16), BFLOAT16], ids=str)
def test_half_matmul_sums_in_float32(dtype: np.dtype) -> None:
    ones = np.ones((1, 5000), dtype)
    expected = np.float32(5000).astype(dtype)
    assert call("matmul", (1, 1), dtype, ones, ones.T)[0, 0] == expected


# Data movement


@pytest.mark.parametrize("dtype", ALL, ids=str)
@pytest.mark.parametrize("axis", [0, 1])
def test_concat(axis: int, dtype: np.dtype) -> None:
    shapes = [(2, 3), (0, 3), (4, 3)] if axis == 0 else [(2, 3), (2, 0), (2, 1)]
    parts = [layout(random_array(shape, dtype)) for shape, layout in zip(shapes, LAYOUTS.values(), strict=False)]
    expected = np.concatenate(parts, axis)
    np.testing.assert_array_equal(call("concat", expected.shape, dtype, *parts, axis=axis), expected)


@pytest.mark.parametrize("dtype", ALL, ids=str)
@pytest.mark.parametrize("distance", [0, 2, 4, 5])
def test_roll(distance: int, dtype: np.dtype) -> None:
    for axis, layout in enumerate([*LAYOUTS.values()][:2]):
        x = layout(random_array((5, 5), dtype))
        for backward in (False, True):
            wanted = np.roll(x, -distance if backward else distance, axis)
            np.testing.assert_array_equal(
                call("roll", (5, 5), dtype, x, distance, axis=axis, backward=backward), wanted
            )


VIEW: dict[str, Any] = {"shape": (2, 3), "strides": (10, 2), "offset": 3}
VIEWED = [3, 5, 7, 13, 15, 17]


@pytest.mark.parametrize("dtype", ALL, ids=str)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_views_are_read_and_updated(layout: str, dtype: np.dtype) -> None:
    base, values = random_array((4, 5), dtype), random_array((2, 3), dtype, 1)
    read = call("read_view", (2, 3), dtype, LAYOUTS[layout](base), **VIEW)
    np.testing.assert_array_equal(read.reshape(-1), base.reshape(-1)[VIEWED])
    expected = base.copy()
    expected.reshape(-1)[VIEWED] = values.reshape(-1)
    actual = call("update_view", (4, 5), dtype, LAYOUTS[layout](base), LAYOUTS[layout](values), **VIEW)
    np.testing.assert_array_equal(actual, expected)
    calls["update_view"](base, base, values, **VIEW)
    np.testing.assert_array_equal(base, expected)


def test_read_view_repeats_elements_where_a_stride_is_zero() -> None:
    read = call("read_view", (2, 2), np.int64, np.arange(4), shape=(2, 2), strides=(0, 1), offset=2)
    assert read.tolist() == [[2, 3], [2, 3]]


def test_empty_views() -> None:
    assert (
        call("read_view", (0, 3), np.float32, np.ones(5, np.float32), shape=(0, 3), strides=(3, 1), offset=5).size == 0
    )
    base, nothing = np.arange(3.0), np.zeros(0)
    updated = call("update_view", (3,), np.float64, base, nothing, shape=(0,), strides=(1,), offset=3)
    np.testing.assert_array_equal(updated, base)


@pytest.mark.parametrize("dtype", [*INTEGERS, *FLOATS], ids=str)
def test_iota(dtype: np.dtype) -> None:
    assert call("iota", (5,), dtype, length=5, dtype=dtype.name).tolist() == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("shape", [(), (0,), (3, 5), (200, 301)])
def test_philox(shape: tuple[int, ...]) -> None:
    count = int(np.prod(shape))
    expected = philox_u32(7, 2**64 - 2, count).reshape(shape)
    actual = call("philox", shape, np.uint32, np.array(7), np.array(-2), shape=shape)
    np.testing.assert_array_equal(actual, expected)
