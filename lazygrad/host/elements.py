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
    if memory.shape == view.shape and memory.dtype is dtype and not view.offset and view.is_contiguous:
        return memory
    if 0 in view.shape:
        return np.empty(view.shape, dtype)
    size = dtype.itemsize
    return np.ndarray(view.shape, dtype, memory, view.offset * size, [stride * size for stride in view.strides])
