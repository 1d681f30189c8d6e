"""DType to numpy and back, and what is said of arrays that cannot be taken."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from lazygrad.host.dtypes import from_numpy, to_numpy
from lazygrad.ir.dtype import ALL_DTYPES, STORAGE_DTYPES, DType, bfloat16, uint32, word32


@pytest.mark.parametrize("dtype", [*ALL_DTYPES, *STORAGE_DTYPES], ids=repr)
def test_every_dtype_goes_to_numpy_and_back(dtype: DType) -> None:
    assert to_numpy(dtype).name == dtype.name
    assert to_numpy(dtype).itemsize == dtype.itemsize
    assert from_numpy(to_numpy(dtype)) is dtype
    assert from_numpy(np.zeros(3, to_numpy(dtype)).dtype) is dtype


def test_bfloat16_is_that_of_ml_dtypes() -> None:
    assert to_numpy(bfloat16) == np.dtype(ml_dtypes.bfloat16)


def test_random_words_are_uint32_of_numpy_but_no_user_array_is() -> None:
    assert to_numpy(word32) == np.uint32
    assert from_numpy(np.dtype(np.uint32)) is uint32


@pytest.mark.parametrize(
    ("dtype", "message"),
    [
        (">f4", r"dtype >f4: its byte order is not this machine's; use \.astype\(np\.float32\) first"),
        (">i8", r"dtype >i8: its byte order is not this machine's; use \.astype\(np\.int64\) first"),
        ("clongdouble", r"use \.astype\(np\.complex128\) first"),
        ("longdouble", r"use \.astype\(np\.float64\) first"),
        ("object", "dtype object: it does not hold numbers"),
        ("U3", "dtype <U3: it does not hold numbers"),
        ("datetime64[s]", r"dtype datetime64\[s\]: it does not hold numbers"),
    ],
)
def test_other_arrays_are_refused_with_a_remedy(dtype: str, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        from_numpy(np.dtype(dtype))


def test_the_supported_dtypes_are_listed() -> None:
    with pytest.raises(TypeError, match=r"the supported dtypes are bool, uint8, .*bfloat16, float32, float64"):
        from_numpy(np.dtype("longdouble"))
