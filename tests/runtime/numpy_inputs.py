"""Inputs for library calls: every dtype, and the same values laid out in memory in every awkward way."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np

from lazygrad.host.calls import calls

BFLOAT16 = np.dtype(ml_dtypes.bfloat16)
FLOATS = [np.dtype(np.float32), np.dtype(np.float64), np.dtype(np.float16), BFLOAT16]
INTEGERS = [np.dtype(name) for name in ("uint8", "int8", "int16", "int32", "int64")]
COMPLEX = [np.dtype(np.complex64), np.dtype(np.complex128)]
ALL = [np.dtype(bool), *INTEGERS, *FLOATS]
MOVED = [*ALL, *COMPLEX]  # what C moves without looking at it
TOLERANCE = {
    "float64": 1e-12,
    "float32": 1e-5,
    "float16": 2e-3,
    "bfloat16": 1.6e-2,
    "complex64": 1e-5,
    "complex128": 1e-12,
}


def stepped(x: np.ndarray) -> np.ndarray:
    """Every second element of a larger array, along each axis."""
    larger = np.zeros(tuple(2 * size for size in x.shape), x.dtype)
    larger[tuple(slice(None, None, 2) for _ in x.shape)] = x
    return larger[tuple(slice(None, None, 2) for _ in x.shape)]


LAYOUTS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "row_major": lambda x: np.array(x, order="C"),
    "column_major": lambda x: np.array(x, order="F"),
    "reversed": lambda x: np.flip(np.flip(x).copy()),
    "stepped": stepped,
}


def random_array(shape: tuple[int, ...], dtype: Any = np.float32, seed: int = 0) -> np.ndarray:
    """Small values: 0 or 1 for bool, within ±8 for integers, normal for floats and the parts of complex numbers."""
    random = np.random.default_rng(seed)
    dtype = np.dtype(dtype)
    if dtype.kind == "b":
        return random.integers(0, 2, shape).astype(bool)
    if dtype.kind in "iu":
        return random.integers(0 if dtype.kind == "u" else -8, 9, shape).astype(dtype)
    if dtype.kind == "c":
        return (random.standard_normal(shape) + 1j * random.standard_normal(shape)).astype(dtype)
    return random.standard_normal(shape).astype(dtype)


def call(name: str, out_shape: tuple[int, ...], out_dtype: Any, /, *inputs: Any, **attrs: Any) -> np.ndarray:
    """The result of a library call, written over an output full of ones, with warnings off as plans have them."""
    out = np.ones(out_shape, out_dtype)
    with np.errstate(all="ignore"):
        returned = calls[name](out, *inputs, **attrs)
    assert returned is None
    return out


def assert_close(actual: np.ndarray, expected: Any, slack: float = 1.0) -> None:
    """Equal for bool and integers; for floats, within the dtype's tolerance of the largest magnitude."""
    expected = np.asarray(expected)
    assert actual.shape == expected.shape
    if actual.dtype.kind in "biu":
        np.testing.assert_array_equal(actual, expected)
        return
    widest = np.complex128 if actual.dtype.kind == "c" else np.float64
    wide = expected.astype(widest)
    finite = wide[np.isfinite(wide)]
    scale = max(float(np.abs(finite).max()), 1.0) if finite.size else 1.0
    tolerance = TOLERANCE[actual.dtype.name] * scale * slack
    np.testing.assert_allclose(actual.astype(widest), wide, rtol=0, atol=tolerance)
