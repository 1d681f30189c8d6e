"""The floating dtypes that random functions can fill, and the facts about them that PyTorch's rules need."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np
from numpy.typing import DTypeLike, NDArray


@dataclass(frozen=True)
class FloatFormat:
    """A binary floating-point format.

    Attributes:
        digits: significant bits, the implicit one included; every integer up to ``2**digits`` is representable.
        largest: the largest finite number.
        compute: the numpy type in which PyTorch computes random numbers of this format.
    """

    digits: int
    largest: float
    compute: type[np.floating[Any]]


FLOAT_FORMATS: dict[np.dtype[Any], FloatFormat] = {
    np.dtype(np.float16): FloatFormat(11, (2 - 2**-10) * 2.0**15, np.float32),
    np.dtype(ml_dtypes.bfloat16): FloatFormat(8, (2 - 2**-7) * 2.0**127, np.float32),
    np.dtype(np.float32): FloatFormat(24, (2 - 2**-23) * 2.0**127, np.float32),
    np.dtype(np.float64): FloatFormat(53, (2 - 2**-52) * 2.0**1023, np.float64),
}


def floating_dtype(dtype: DTypeLike, operation: str) -> np.dtype[Any]:
    """Return ``dtype`` as a numpy dtype.

    Raises:
        NotImplementedError: it is not float16, bfloat16, float32 or float64.
    """
    result = np.dtype(dtype)
    if result not in FLOAT_FORMATS:
        raise NotImplementedError(f"{operation} is not implemented for {result}; it needs a floating dtype")
    return result


def stored(values: NDArray[np.float64], dtype: np.dtype[Any]) -> NDArray[Any]:
    """``values`` as ``dtype``, any number dtype; the 16-bit types are made of float32, as in PyTorch."""
    if dtype in FLOAT_FORMATS:
        values = values.astype(FLOAT_FORMATS[dtype].compute, copy=False)
    return values.astype(dtype, copy=False)


def check_uniform_bounds(low: float, high: float, dtype: np.dtype[Any]) -> None:
    """Raise RuntimeError unless ``low <= high`` and both, and their distance, are in the range of ``dtype``."""
    largest = FLOAT_FORMATS[dtype].largest
    for name, value in (("from", low), ("to", high)):
        if not -largest <= value <= largest:
            raise RuntimeError(f"uniform_: {name} = {value:g} is out of bounds for {dtype}")
    if low > high:
        raise RuntimeError(f"uniform_ expects to return a [from, to) range, but found from={low:g} > to={high:g}")
    if high - low > largest:
        raise RuntimeError(f"uniform_ expects to - from <= {largest:g}, but found from={low:g} and to={high:g}")
