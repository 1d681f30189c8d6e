"""Which numpy dtype stores which `DType`."""

from __future__ import annotations

import ml_dtypes
import numpy as np

from lazygrad.ir.dtype import ALL_DTYPES, DType, bfloat16, uint32

_TO_NUMPY = {
    dtype: np.dtype(ml_dtypes.bfloat16 if dtype is bfloat16 else dtype.name) for dtype in (*ALL_DTYPES, uint32)
}
# uint32 holds raw random words only, so an array of the user's never becomes one.
_FROM_NUMPY = {_TO_NUMPY[dtype]: dtype for dtype in ALL_DTYPES}
_WIDER = {"u": "int64", "f": "float64", "c": "complex128"}


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
            f"{', '.join(supported.name for supported in ALL_DTYPES)}"
        )
    return found


def _remedy(dtype: np.dtype) -> str:
    native = dtype.newbyteorder("=")
    if native in _FROM_NUMPY:
        return f"its byte order is not this machine's; use .astype(np.{native.name}) first"
    if dtype.kind in _WIDER:
        return f"use .astype(np.{_WIDER[dtype.kind]}) first"
    return "it does not hold numbers; encode it as numbers first"
