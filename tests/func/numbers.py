"""The same numbers for both frameworks."""

from __future__ import annotations

from typing import Any

import numpy as np


def floats(t: Any, *shape: int, seed: int = 0, low: float = -2.0, high: float = 2.0, dtype: str = "float64") -> Any:
    values = np.random.default_rng([seed, *shape]).uniform(low, high, shape)
    return t.tensor(values, dtype=getattr(t, dtype))


def integers(t: Any, *shape: int, high: int, seed: int = 0) -> Any:
    return t.tensor(np.random.default_rng([seed, *shape]).integers(0, high, shape))
