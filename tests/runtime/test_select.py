"""`select` on the bits equals numpy's where, for every dtype and broadcast."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

from lazygrad.host.numpy_support import select

INTEGERS = [np.bool_, np.uint8, np.int8, np.int16, np.int32, np.int64]
DTYPES = [*INTEGERS, np.float16, ml_dtypes.bfloat16, np.float32, np.float64]
SPECIAL = np.array([0.0, -0.0, np.nan, np.inf, -np.inf, 1.5, -2.5, 3.0])


@pytest.mark.parametrize("dtype", DTYPES, ids=lambda dtype: np.dtype(dtype).name)
@pytest.mark.parametrize("shape", [(8,), (3, 8), (3, 1)], ids=str)
@pytest.mark.parametrize("repeats", [1, 100])  # what is small is copied with a mask
def test_equals_where(repeats: int, dtype: Any, shape: tuple[int, ...]) -> None:
    width = 8 * repeats
    condition = np.random.default_rng(0).integers(0, 2, (*shape[:-1], shape[-1] if shape[-1] == 1 else width)) == 1
    with np.errstate(invalid="ignore"):
        chosen = np.broadcast_to(np.tile(SPECIAL, repeats), (3, width)).astype(dtype)
        otherwise = np.broadcast_to(np.tile(SPECIAL[::-1], repeats), (3, width)).astype(dtype)
    numbers: list[tuple[Any, Any]] = [(chosen, 0), (0, otherwise), (1, otherwise), (chosen, 1), (chosen[:1], 0), (1, 0)]
    for a, b in [(chosen, otherwise), *numbers]:
        out = np.empty((3, width), dtype)
        select(out, condition, a, b)
        expected = np.where(condition, np.asarray(a, dtype), np.asarray(b, dtype))
        assert out.tobytes() == np.broadcast_to(expected, out.shape).astype(dtype).tobytes()


def test_negative_zero_is_kept() -> None:
    out = np.empty(2, np.float32)
    select(out, np.array([True, False]), -0.0, np.float32(1))
    assert np.signbit(out).tolist() == [True, False]
