"""Index tensors: range checks and negative indices."""

from __future__ import annotations

import numpy as np


def wrapped(name: str, index: np.ndarray, axis: int, size: int, error: type[Exception] = IndexError) -> np.ndarray:
    """``index`` with negative entries counted from the end, so that all lie in [0, size).

    Raises:
        ``error``: an entry lies outside [-size, size).
    """
    lowest = _check(name, index, axis, size, -size, error)
    return index if lowest >= 0 else np.where(index < 0, index + size, index)


def check_from_zero(name: str, index: np.ndarray, axis: int, size: int) -> None:
    """Compare with the range of an axis along which nothing counts from the end.

    Raises:
        RuntimeError: an entry lies outside [0, size).
    """
    _check(name, index, axis, size, 0, RuntimeError)


def _check(name: str, index: np.ndarray, axis: int, size: int, least: int, error: type[Exception]) -> int:
    """The lowest entry; 0 where there is none, or where none is negative."""
    if index.size == 0:
        return 0
    if index.dtype == np.int64 and index.view(np.uint64).max() < size:  # as unsigned numbers, negative ones are large
        return 0
    lowest, highest = int(index.min()), int(index.max())
    if lowest < least or highest >= size:
        outside = lowest if lowest < least else highest
        raise error(f"{name}: index {outside} is out of bounds for dimension {axis} with size {size}")
    return lowest
