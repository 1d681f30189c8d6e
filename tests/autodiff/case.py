"""What a gradient check needs to know about one use of an op."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from lazygrad.ir.node import Node


@dataclass(frozen=True)
class Case:
    """``build(*inputs)`` is the output whose gradients with respect to all inputs are checked.

    Attributes:
        build: from buffer nodes to the output node.
        arrays: float64 values of the inputs.
        order: how many times the output can be differentiated at these values.
    """

    build: Callable[..., Node]
    arrays: tuple[np.ndarray, ...]
    order: int = 2


def uniform(*shape: int, low: float = -2.0, high: float = 2.0, seed: int = 0) -> np.ndarray:
    """Reproducible numbers without ties."""
    return np.random.default_rng([seed, *shape]).uniform(low, high, shape)


def integers(*values: int, shape: tuple[int, ...] | None = None) -> np.ndarray:
    return np.array(values, dtype=np.int64).reshape(shape or (len(values),))
