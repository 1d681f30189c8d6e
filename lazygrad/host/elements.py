"""The elements that a view names, as a numpy array over the memory they lie in."""

from __future__ import annotations

import numpy as np

from lazygrad.ir.view import View


def elements(memory: np.ndarray, view: View, dtype: np.dtype) -> np.ndarray:
    """An array over ``memory``, which is row-major, with the shape and strides of ``view``.

    Args:
        memory: the whole, of any shape and dtype.
        view: lies inside it, and counts elements of ``dtype``.
        dtype: what its bytes are read as.
    """
    shape, offset, size = view.shape, view.offset, dtype.itemsize
    if not shape:
        return np.ndarray(shape, dtype, memory, offset * size)
    is_contiguous = view.is_contiguous
    if is_contiguous and not offset and memory.shape == shape and memory.dtype is dtype:
        return memory
    if 0 in shape:
        return np.empty(shape, dtype)
    if is_contiguous:
        return np.ndarray(shape, dtype, memory, offset * size)
    return np.ndarray(shape, dtype, memory, offset * size, [stride * size for stride in view.strides])
