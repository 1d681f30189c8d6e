"""Inputs and initial parameters, from numpy: every contender computes with the same numbers."""

from __future__ import annotations

from math import prod, sqrt
from zlib import crc32

import numpy as np


def normal(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape, dtype=np.float32)


def uniform(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).random(shape, dtype=np.float32)


def integers(below: int, *shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, below, shape)


def initial(name: str, shape: tuple[int, ...]) -> np.ndarray:
    """Initial value of the parameter that torch calls ``name`` and stores in ``shape``.

    Weights are normal with variance one over the fan-in, scales of normalization lie about 1, biases about 0.
    """
    values = normal(*shape, seed=crc32(name.encode()))
    if len(shape) > 1:
        return values * np.float32(1 / sqrt(prod(shape[1:])))
    return np.float32(name.endswith("weight")) + np.float32(0.1) * values
