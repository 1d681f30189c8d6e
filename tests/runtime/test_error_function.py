"""erf in numpy, beside scipy's in double precision."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.special

from lazygrad.host.error_function import erf_f32

SPECIAL = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1e-40, -1e-40, 4.0, -4.0, 100.0], np.float32)


def erf(x: np.ndarray) -> np.ndarray:
    out = np.empty_like(x)
    erf_f32(x, out)
    return out


def test_it_is_close_everywhere() -> None:
    x = np.concatenate([np.linspace(-5, 5, 200_001), np.geomspace(1e-30, 4, 100_001)]).astype(np.float32)
    exact = scipy.special.erf(x.astype(np.float64))
    unit = np.spacing(np.abs(exact).astype(np.float32)).astype(np.float64)
    assert np.max(np.abs(erf(x) - exact) / unit) <= 4


def test_special_values() -> None:
    np.testing.assert_array_equal(np.signbit(erf(SPECIAL[:2])), [False, True])
    np.testing.assert_allclose(erf(SPECIAL), scipy.special.erf(SPECIAL), rtol=4e-7)


@pytest.mark.parametrize("shape", [(), (1,), (1, 1, 1), (0,), (3, 0), (5, 7), (70_000,)])
def test_any_shape(shape: tuple[int, ...]) -> None:
    x = np.random.default_rng(0).standard_normal(shape).astype(np.float32)
    np.testing.assert_allclose(erf(np.asarray(x, np.float32)), scipy.special.erf(x), rtol=1e-6, atol=1e-7)


def test_in_place_and_transposed() -> None:
    x = np.random.default_rng(0).standard_normal((300, 200)).astype(np.float32)
    expected = scipy.special.erf(x)
    out = np.empty((200, 300), np.float32)
    erf_f32(x.T, out)
    np.testing.assert_allclose(out, expected.T, rtol=1e-6, atol=1e-7)
    erf_f32(x, x)
    np.testing.assert_allclose(x, expected, rtol=1e-6, atol=1e-7)
