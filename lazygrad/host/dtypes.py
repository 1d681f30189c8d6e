"""Which numpy dtype stores which `DType`."""

from __future__ import annotations

import ml_dtypes
import numpy as np

from lazygrad.ir.dtype import ALL_DTYPES, STORAGE_DTYPES, DType, bfloat16, word32

_PUBLIC = (*ALL_DTYPES, *STORAGE_DTYPES)
# Of ml_dtypes' float8 nothing is used but that they are dtypes of their own: casts are those of `host.calls.float8`.
_TO_NUMPY = {
    dtype: np.dtype(getattr(ml_dtypes, dtype.name) if dtype is bfloat16 or dtype.is_float8 else dtype.name)
    for dtype in _PUBLIC
}
_FROM_NUMPY = {stored: dtype for dtype, stored in _TO_NUMPY.items()}
_TO_NUMPY[word32] = np.dtype(np.uint32)
_WIDER = {"f": "float64", "c": "complex128"}


def to_numpy(dtype: DType) -> np.dtype:
    """The numpy dtype, in native byte order, whose arrays hold values of ``dtype``."""
    return _TO_NUMPY[dtype]


def from_numpy(dtype: np.dtype) -> DType:
    """The `DType` of a numpy array with this dtype.

    Raises:
        TypeError: there is none; the message says which conversion makes one.
    """
    found = _FROM_NUMPY.get(dtype)
    if found is None:
        raise TypeError(
            f"can't convert a numpy array of dtype {dtype.str if dtype.kind in 'iufc' else dtype}: "
            f"{_remedy(dtype)}; the supported dtypes are "
            f"{', '.join(supported.name for supported in _PUBLIC)}"
        )
    return found


def _remedy(dtype: np.dtype) -> str:
    native = dtype.newbyteorder("=")
    if native in _FROM_NUMPY:
        return f"its byte order is not this machine's; use .astype(np.{native.name}) first"
    if dtype.kind in _WIDER:
        return f"use .astype(np.{_WIDER[dtype.kind]}) first"
    return "it does not hold numbers; encode it as numbers first"
