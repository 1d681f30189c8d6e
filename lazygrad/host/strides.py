"""Views of arrays with strides of one's own."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

_as_strided = np.lib.stride_tricks.as_strided


def as_strided(array: np.ndarray, shape: Sequence[int], strides: Sequence[int], writeable: bool = True) -> np.ndarray:
    """A view of the memory that ``array`` begins in; numpy's, which does not know float8_e5m2, for all dtypes.

    Args:
        array: where the view begins.
        shape: of the view.
        strides: in bytes.
        writeable: whether the view may be written to.
    """
    dtype = array.dtype
    if dtype.itemsize == 1 and dtype.kind == "f":
        return _as_strided(array.view(np.uint8), shape, strides, writeable=writeable).view(dtype)
    return _as_strided(array, shape, strides, writeable=writeable)
