"""In which dtype a product or a sum is computed, and how its result is stored."""

from __future__ import annotations

import numpy as np

_EXACT_INTEGERS = 2**53  # float64 holds every integer up to here


def is_half(dtype: np.dtype) -> bool:
    """True for float16 and bfloat16; bfloat16 comes from ml_dtypes, whose dtypes have kind V."""
    return dtype.itemsize == 2 and dtype.kind in "fV"


def working_dtype(dtype: np.dtype) -> np.dtype:
    """float32 for the 16-bit floats, in which numpy is slow and sums lose digits; otherwise ``dtype``."""
    return np.dtype(np.float32) if is_half(dtype) else dtype


def product_dtype(first: np.ndarray, second: np.ndarray, terms: int) -> np.dtype:
    """The dtype for sums of ``terms`` products: for integers float64, which has BLAS, where that is exact."""
    dtype = first.dtype
    if dtype.kind not in "iu":
        return working_dtype(dtype)
    exact = _magnitude(first) * _magnitude(second) * terms <= _EXACT_INTEGERS
    return np.dtype(np.float64) if exact else dtype


def _magnitude(x: np.ndarray) -> int:
    """A bound of the absolute values of an integer array; those of 16 bits or less need no look at the values."""
    if x.dtype.itemsize <= 2:
        return -np.iinfo(x.dtype).min or np.iinfo(x.dtype).max
    return max(-int(x.min()), int(x.max())) if x.size else 0


def lowest(dtype: np.dtype) -> float:
    """The number that no other one is below: what a maximum starts from."""
    if dtype.kind in "iu":
        return int(np.iinfo(dtype).min)
    return 0 if dtype.kind == "b" else -np.inf


def store(out: np.ndarray, result: np.ndarray) -> None:
    """Copy ``result`` into ``out``; exact integers held in float64 wrap around as integers do."""
    if out.dtype.kind in "iu" and result.dtype.kind == "f":
        result = result.astype(np.int64)
    np.copyto(out, result, casting="unsafe")
