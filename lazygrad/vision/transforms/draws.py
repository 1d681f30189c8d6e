"""The random choices of the transforms, drawn from the global generator in torchvision's order."""

from __future__ import annotations

from lazygrad.ops.creation.filled import empty
from lazygrad.ops.random.tensors import rand, randint


def happens(probability: float) -> bool:
    """True as often as ``probability`` says."""
    return bool(rand(1).item() < probability)


def between(low: float, high: float) -> float:
    """A number that is as likely in any part of the interval."""
    return float(empty(1).uniform_(low, high).item())


def integer(low: int, high: int) -> int:
    """One of the integers from ``low`` to below ``high``."""
    return int(randint(low, high, (1,)).item())
