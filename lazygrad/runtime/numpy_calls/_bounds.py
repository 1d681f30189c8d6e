"""Index tensors: range checks and negative indices."""

from __future__ import annotations

import numpy as np


def wrapped(name: str, index: np.ndarray, axis: int, size: int, error: type[Exception] = IndexError) -> np.ndarray:
    """``index`` with negative entries counted from the end, so that all lie in [0, size).

    Raises:
        error: an entry lies outside [-size, size).
    """
    if index.size == 0:
        return index
    lowest, highest = int(index.min()), int(index.max())
    if lowest < -size or highest >= size:
        outside = lowest if lowest < -size else highest
        raise error(f"{name}: index {outside} is out of bounds for dimension {axis} with size {size}")
    return index if lowest >= 0 else np.where(index < 0, index + size, index)
