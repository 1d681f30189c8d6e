"""Scans, sorting and extremes along an axis."""

from __future__ import annotations

import numpy as np
import pytest

from .numpy_inputs import ALL, FLOATS, INTEGERS, LAYOUTS, assert_close, call, random_array

SHAPES_AND_AXES = [((6,), 0), ((3, 7), 0), ((3, 7), 1), ((2, 3, 4), 1), ((1, 5), 1), ((300, 500), 0), ((300, 500), 1)]


def with_nan(x: np.ndarray) -> np.ndarray:
    """``x`` with NaN in a tenth of its places, if it is of a float dtype."""
    if x.dtype.kind in "fV":
        x.reshape(-1)[np.random.default_rng(9).random(x.size) < 0.1] = np.nan
    return x


@pytest.mark.parametrize("dtype", [*INTEGERS, *FLOATS], ids=str)
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(("shape", "axis"), [((), 0), ((0, 3), 1), ((3, 0), 1), *SHAPES_AND_AXES[:5]])
@pytest.mark.parametrize("name", ["cumsum", "cumprod"])
def test_running_sums_and_products(name: str, shape: tuple[int, ...], axis: int, layout: str, dtype: np.dtype) -> None:
    x = random_array(shape, dtype)
    wide = x.astype(dtype if dtype.kind in "iu" else np.float64)
    ufunc = np.add if name == "cumsum" else np.multiply
    expected = ufunc.accumulate(wide, axis=axis, dtype=wide.dtype) if shape else wide
    assert_close(call(name, shape, dtype, LAYOUTS[layout](x), axis=axis), expected.astype(dtype), slack=2)


@pytest.mark.parametrize("axis", [0, 1])
def test_long_float32_sums_keep_their_digits(axis: int) -> None:
    x = np.full((1000, 1000), 0.1, np.float32)
    expected = np.cumsum(x.astype(np.float64), axis=axis)
    actual = call("cumsum", x.shape, np.float32, x, axis=axis)
    np.testing.assert_allclose(actual, expected, rtol=1e-7)


@pytest.mark.parametrize("dtype", ALL, ids=str)
@pytest.mark.parametrize(("shape", "axis"), [((), 0), ((0, 3), 1), *SHAPES_AND_AXES[:5]])
def test_cummax_index(shape: tuple[int, ...], axis: int, dtype: np.dtype) -> None:
    x = with_nan(random_array(shape, dtype))
    rows = np.moveaxis(x.reshape(shape or (1,)), axis, -1)
    expected = np.zeros(rows.shape, np.int64)
    for at in np.ndindex(*rows.shape[:-1]):
        best = 0
        for i, value in enumerate(rows[at]):
            if np.isnan(float(value)) or (not np.isnan(float(rows[at][best])) and value >= rows[at][best]):
                best = i
            expected[(*at, i)] = best
    actual = call("cummax_index", shape, np.int64, x, axis=axis)
    np.testing.assert_array_equal(actual, np.moveaxis(expected, -1, axis).reshape(shape))


@pytest.mark.parametrize("dtype", ALL, ids=str)
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(("shape", "axis"), [((0, 3), 1), *SHAPES_AND_AXES[:5]])
@pytest.mark.parametrize("name", ["argmax", "argmin"])
def test_positions_of_extremes(name: str, shape: tuple[int, ...], axis: int, layout: str, dtype: np.dtype) -> None:
    x = with_nan(random_array(shape, dtype))
    wide = x.astype(np.float64)
    expected = getattr(np, name)(wide, axis=axis, keepdims=True)
    np.testing.assert_array_equal(call(name, expected.shape, np.int64, LAYOUTS[layout](x), axis=axis), expected)


@pytest.mark.parametrize("dtype", ALL, ids=str)
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(("shape", "axis"), [((), 0), ((0, 3), 1), ((3, 0), 1), *SHAPES_AND_AXES[:5]])
@pytest.mark.parametrize("descending", [False, True])
def test_argsort_is_stable(descending: bool, shape: tuple[int, ...], axis: int, layout: str, dtype: np.dtype) -> None:
    x = with_nan(random_array(shape, dtype))
    rows = np.moveaxis(x.reshape(shape or (1,)), axis, -1).astype(np.float64)
    expected = np.zeros(rows.shape, np.int64)
    for at in np.ndindex(*rows.shape[:-1]):
        keys = [(np.isnan(value), 0.0 if np.isnan(value) else value) for value in rows[at]]
        order = sorted(range(len(keys)), key=keys.__getitem__)
        if descending:
            order = sorted(range(len(keys)), key=lambda i: (not keys[i][0], -keys[i][1]))
        expected[at] = order
    actual = call("argsort", shape, np.int64, LAYOUTS[layout](x), axis=axis, descending=descending)
    np.testing.assert_array_equal(actual, np.moveaxis(expected, -1, axis).reshape(shape))


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_argsort_of_special_floats(dtype: np.dtype) -> None:
    negative_nan = np.copysign(np.float64("nan"), -1)
    x = np.array([0.0, -0.0, np.inf, np.nan, -np.inf, negative_nan, 1e-6, -1e-6, 0.0], np.float64).astype(dtype)
    ascending = call("argsort", x.shape, np.int64, x, axis=0, descending=False)
    assert ascending.tolist() == [4, 7, 0, 1, 8, 6, 2, 3, 5]
    descending = call("argsort", x.shape, np.int64, x, axis=0, descending=True)
    assert descending.tolist() == [3, 5, 2, 6, 0, 1, 8, 7, 4]


@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
def test_argsort_of_the_extreme_integers(dtype: np.dtype) -> None:
    info = np.iinfo(dtype)
    x = np.array([info.max, 0, info.min, info.max], dtype)
    expected = np.argsort(x, kind="stable")
    np.testing.assert_array_equal(call("argsort", x.shape, np.int64, x, axis=0, descending=False), expected)
    assert call("argsort", x.shape, np.int64, x, axis=0, descending=True)[:2].tolist() == [0, 3]


def test_torch_agrees() -> None:
    torch = pytest.importorskip("torch", reason="torch is the oracle")
    x = with_nan(np.round(random_array((20, 30)), 1))
    t = torch.from_numpy(x)
    for axis in (0, 1):
        for descending in (False, True):
            actual = call("argsort", x.shape, np.int64, x, axis=axis, descending=descending)
            expected = torch.argsort(t, dim=axis, descending=descending, stable=True)
            np.testing.assert_array_equal(actual, expected.numpy())
        actual = call("cummax_index", x.shape, np.int64, x, axis=axis)
        np.testing.assert_array_equal(actual, torch.cummax(t, axis).indices.numpy())
        kept = tuple(1 if a == axis else size for a, size in enumerate(x.shape))
        actual = call("argmax", kept, np.int64, x, axis=axis)
        np.testing.assert_array_equal(actual, torch.argmax(t, axis, keepdim=True).numpy())
