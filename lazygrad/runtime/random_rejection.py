"""Distributions that take a varying number of uniforms per element: the numbers PyTorch draws on a CPU.

Small means are counted off: Poisson by Knuth's product of uniforms, binomial by sums of geometric waiting times. Large
means are drawn by Hörmann's transformed rejection: PTRS ("The transformed rejection method for generating Poisson
random variables", Insurance: Mathematics and Economics 12, 1993) and BTRS ("The generation of binomial random
variates", Journal of Statistical Computation and Simulation 46, 1993), without the latter's tables.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lazygrad.runtime.random_streams import MT19937Stream

Draw = Callable[[], float]

_DRAWN_AHEAD = 512
_LARGE_MEAN = 10.0
# The distance of log k! from Stirling's formula, for k below 10; beyond, three terms of its series are exact enough.
_STIRLING_TAIL = [
    math.lgamma(k + 1) - ((k + 0.5) * math.log(k + 1) - (k + 1) + 0.5 * math.log(2 * math.pi)) for k in range(10)
]


@contextmanager
def one_by_one(stream: MT19937Stream) -> Iterator[Draw]:
    """A function that draws one number from [0, 1) at a time, since nobody knows how many will be needed.

    Numbers are drawn ahead; those that are left over when the block ends go back to the stream.
    """
    start: Any = None
    ahead: list[float] = []

    def draw() -> float:
        nonlocal start
        if not ahead:
            start = stream.get_state()
            ahead.extend(stream.unit(_DRAWN_AHEAD)[::-1].tolist())
        return ahead.pop()

    with stream.lock:
        try:
            yield draw
        finally:
            if ahead:
                stream.set_state(start)
                stream.unit(_DRAWN_AHEAD - len(ahead))


def poisson(stream: MT19937Stream, rates: NDArray[Any]) -> NDArray[Any]:
    """One Poisson number for each rate, in the rates' dtype and shape (n,).

    Raises:
        RuntimeError: a negative rate, or NaN.
    """
    if not (rates >= 0).all():
        raise RuntimeError("invalid Poisson rate, expected rate to be non-negative")
    with one_by_one(stream) as draw:
        numbers = [_poisson(rate, draw) for rate in rates.astype(np.float64).tolist()]
    return np.array(numbers, np.float64).astype(rates.dtype)


def _poisson(rate: float, draw: Draw) -> float:
    if rate >= _LARGE_MEAN:
        return _poisson_by_rejection(rate, draw)
    if rate == 0.0:
        return 0.0
    count, product, least = 0, draw(), math.exp(-rate)
    while product > least:
        count += 1
        product *= draw()
    return float(count)


def _poisson_by_rejection(rate: float, draw: Draw) -> float:
    log_rate, b = math.log(rate), 0.931 + 2.53 * math.sqrt(rate)
    a = -0.059 + 0.02483 * b
    inverse_alpha = 1.1239 + 1.1328 / (b - 3.4)
    squeeze = 0.9277 - 3.6224 / (b - 2)
    while True:
        u, v = draw() - 0.5, draw()
        us = 0.5 - abs(u)
        k = math.floor((2 * a / us + b) * u + rate + 0.43)
        if us >= 0.07 and v <= squeeze:
            return float(k)
        if k < 0 or (us < 0.013 and v > us):
            continue
        accepted = -rate + k * log_rate - math.lgamma(k + 1)
        if _log(v) + math.log(inverse_alpha) - math.log(a / (us * us) + b) <= accepted:
            return float(k)


def binomial(stream: MT19937Stream, counts: NDArray[Any], probabilities: NDArray[Any]) -> NDArray[Any]:
    """One binomial number for each pair, in the counts' dtype and shape (n,); NaN where either is NaN.

    A probability above 1 counts as 1; a negative one, or a count that is not positive, gives 0.
    """
    pairs = zip(counts.astype(np.float64).tolist(), probabilities.astype(np.float64).tolist(), strict=True)
    with one_by_one(stream) as draw:
        numbers = [_binomial(count, probability, draw) for count, probability in pairs]
    return np.array(numbers, np.float64).astype(counts.dtype)


def _binomial(count: float, p: float, draw: Draw) -> float:
    if math.isnan(count) or math.isnan(p):
        return math.nan
    if count <= 0.0 or p <= 0.0:
        return 0.0
    if p >= 1.0:
        return count
    if p > 0.5:
        return count - _binomial_of_rare(count, 1.0 - p, draw)
    return _binomial_of_rare(count, p, draw)


def _binomial_of_rare(count: float, p: float, draw: Draw) -> float:
    if count * p >= _LARGE_MEAN:
        return _binomial_by_rejection(count, p, draw)
    waited, found, log_failure = 0.0, -1, math.log1p(-p)
    while waited <= count:
        waited += math.ceil(_log(draw()) / log_failure)
        found += 1
    return float(found)


def _binomial_by_rejection(count: float, p: float, draw: Draw) -> float:
    deviation = math.sqrt(count * p * (1 - p))
    b = 1.15 + 2.53 * deviation
    a = -0.0873 + 0.0248 * b + 0.01 * p
    centre = count * p + 0.5
    squeeze = 0.92 - 4.2 / b
    odds = p / (1 - p)
    alpha = (2.83 + 5.1 / b) * deviation
    mode = math.floor((count + 1) * p)
    while True:
        u, v = draw() - 0.5, draw()
        us = 0.5 - abs(u)
        k = math.floor((2 * a / us + b) * u + centre)
        if k < 0 or k > count:
            continue
        if us >= 0.07 and v <= squeeze:
            return float(k)
        accepted = (
            (mode + 0.5) * math.log((mode + 1) / (odds * (count - mode + 1)))
            + (count + 1) * math.log((count - mode + 1) / (count - k + 1))
            + (k + 0.5) * math.log(odds * (count - k + 1) / (k + 1))
            + (_stirling_tail(mode) + _stirling_tail(count - mode))
            - (_stirling_tail(k) + _stirling_tail(count - k))
        )
        if _log(v * alpha / (a / (us * us) + b)) <= accepted:
            return float(k)


def _stirling_tail(k: float) -> float:
    if k <= 9:
        return _STIRLING_TAIL[int(k)]
    square = (k + 1) * (k + 1)
    return (1.0 / 12 - (1.0 / 360 - 1.0 / 1260 / square) / square) / (k + 1)


def _log(value: float) -> float:
    return math.log(value) if value > 0.0 else -math.inf
