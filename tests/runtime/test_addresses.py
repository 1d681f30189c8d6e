"""Where an array's elements lie, by the quick way and where that refuses."""

from __future__ import annotations

from collections.abc import Callable

import ml_dtypes
import numpy as np
import pytest

from lazygrad.host.addresses import address_of

ARRAYS: dict[str, Callable[[], np.ndarray]] = {
    "contiguous": lambda: np.arange(6.0).reshape(2, 3),
    "a part": lambda: np.arange(6.0)[2:],
    "transposed": lambda: np.arange(6.0).reshape(2, 3).T,
    "with steps": lambda: np.arange(6.0)[::-2],
    "a number": lambda: np.array(3, np.int32),
    "empty": lambda: np.empty((0, 4), np.float32),
    "read-only": lambda: np.frombuffer(b"12345678", np.uint8),
    "bfloat16": lambda: np.zeros(3, ml_dtypes.bfloat16),
    "bool": lambda: np.zeros(3, np.bool_),
    "complex": lambda: np.zeros((2, 2), np.complex64),
}


@pytest.mark.parametrize("made", ARRAYS.values(), ids=ARRAYS)
def test_it_is_what_numpy_says(made: Callable[[], np.ndarray]) -> None:
    array = made()
    assert address_of(array) == array.__array_interface__["data"][0]
