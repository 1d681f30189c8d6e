"""Integer rules of PyTorch's CPU random kernels: which values ``random_`` may take, and how words become them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

from lazygrad.runtime.random_dtypes import FLOAT_FORMATS

_INT64_MIN = -(2**63)
_INT64_MAX = 2**63 - 1
# From this span on PyTorch draws 64 bits per value, to keep the skew of the remainder small.
_WIDE_SPAN = 2**28
_FULL_SPAN = 2**64


@dataclass(frozen=True)
class WordRange:
    """How a random word becomes an integer: ``base + word % span``, from a 64-bit word if ``wide``."""

    base: int
    span: int
    wide: bool

    def place(self, words: NDArray[Any], dtype: np.dtype[Any]) -> NDArray[Any]:
        """Map words (uint64 if ``wide``, else uint32) of shape (n,) into the range, as ``dtype``."""
        if self.span < _FULL_SPAN:
            words = words % words.dtype.type(self.span)
        # PyTorch adds in uint64 and reinterprets the sum as int64; negative bases rely on the wrap-around.
        values = (words.astype(np.uint64, copy=False) + np.uint64(self.base % _FULL_SPAN)).view(np.int64)
        return _as_floating(values, dtype) if dtype in FLOAT_FORMATS else values.astype(dtype, copy=False)

    def place_few(self, words: list[int]) -> NDArray[np.int64]:
        """`place` of 32-bit words that are numbers of Python, as int64: there the sum does not wrap around."""
        return np.array([self.base + word % self.span for word in words], np.int64)


def full_range(dtype: np.dtype[Any]) -> WordRange:
    """Return the range of ``random_()`` without bounds: [0, max] for integers, [0, 2**digits] for floats."""
    if dtype in FLOAT_FORMATS:
        return WordRange(0, 2 ** FLOAT_FORMATS[dtype].digits + 1, wide=dtype == np.float64)
    return WordRange(0, _integer_limits(dtype)[1] + 1, wide=dtype == np.int64)


def bounded_range(low: int, high: int | None, dtype: np.dtype[Any]) -> WordRange:
    """Return the range of ``random_(low, high)``.

    Args:
        low: the smallest value.
        high: one past the largest value; None for the largest value that ``random_()`` would give, included.
        dtype: the dtype of the result. Bounds that a float type cannot represent move inwards.

    Raises:
        RuntimeError: the range is empty or leaves the range of ``dtype``.
    """
    if high is None:
        return _every_int64(dtype) if low == _INT64_MIN else _range_from(low, dtype)
    if low >= high:
        raise RuntimeError(f"random_ expects 'from' to be less than 'to', but got from={low} >= to={high}")
    if dtype in FLOAT_FORMATS:
        low, high = _first_representable(low, dtype), _stop_representable(high, dtype)
        _check_not_empty(low, high, dtype)
    return _checked_range(low, high - 1, dtype)


known_range = lru_cache(maxsize=256, typed=True)(bounded_range)


def _range_from(low: int, dtype: np.dtype[Any]) -> WordRange:
    last = full_range(dtype).span - 1
    if dtype in FLOAT_FORMATS:
        low = _first_representable(low, dtype)
        _check_not_empty(low, last, dtype)
    return _checked_range(low, last, dtype)


def _every_int64(dtype: np.dtype[Any]) -> WordRange:
    if dtype not in (np.int64, np.float64, np.float32, ml_dtypes.bfloat16):
        raise RuntimeError(f"random_ over all int64 values handles int64, float64, float32, bfloat16, not {dtype}")
    return WordRange(0, _FULL_SPAN, wide=True)


def _checked_range(low: int, last: int, dtype: np.dtype[Any]) -> WordRange:
    smallest, largest = _value_limits(dtype)
    for name, value in (("from", low), ("to - 1", last)):
        if not smallest <= value <= largest:
            raise RuntimeError(f"random_: {name} = {value} is out of bounds for {dtype} [{smallest}, {largest}]")
    span = last - low + 1
    return WordRange(low, span, wide=span >= _WIDE_SPAN)


def _check_not_empty(low: int, high: int, dtype: np.dtype[Any]) -> None:
    if low >= high:
        raise RuntimeError(f"random_ expects 'from' < 'to' as {dtype} represents them, but got from={low}, to={high}")


def _value_limits(dtype: np.dtype[Any]) -> tuple[int, int]:
    """Return the smallest and largest integer that both ``dtype`` and int64 hold."""
    if dtype not in FLOAT_FORMATS:
        return _integer_limits(dtype)
    largest = int(FLOAT_FORMATS[dtype].largest)
    return max(-largest, _INT64_MIN), min(largest, _INT64_MAX)


def _integer_limits(dtype: np.dtype[Any]) -> tuple[int, int]:
    if dtype == np.bool_:
        return 0, 1
    limits = np.iinfo(dtype)
    return int(limits.min), int(limits.max)


def _first_representable(low: int, dtype: np.dtype[Any]) -> int:
    """Move ``low`` up if the next integer would round to a number below it."""
    rounded = _rounded(low + 1, dtype)
    return rounded + _spacing(low + 1, dtype) if rounded < low else low


def _stop_representable(stop: int, dtype: np.dtype[Any]) -> int:
    """Move ``stop`` down if the last integer would round to ``stop`` or beyond."""
    rounded = _rounded(stop - 1, dtype)
    return rounded - _spacing(stop - 1, dtype) if rounded >= stop else stop


def _rounded(value: int, dtype: np.dtype[Any]) -> int:
    """Return ``value`` rounded to ``dtype`` and converted back to int64.

    What does not fit becomes the smallest int64: PyTorch's numbers follow from this result of x86's conversion.
    """
    with np.errstate(over="ignore"):
        number = float(_as_floating(np.asarray(value, dtype=np.int64), dtype))
    return int(number) if _INT64_MIN <= number < 2.0**63 else _INT64_MIN


def _as_floating(values: NDArray[np.int64], dtype: np.dtype[Any]) -> NDArray[Any]:
    """Convert integers as PyTorch does: to the 16-bit formats by way of float32."""
    return values.astype(FLOAT_FORMATS[dtype].compute).astype(dtype, copy=False)


def _spacing(value: int, dtype: np.dtype[Any]) -> int:
    """Return the distance of neighbouring numbers of ``dtype`` at ``value``."""
    return int(2 ** (abs(value).bit_length() - FLOAT_FORMATS[dtype].digits))


_SHUFFLED_ONE_BY_ONE = 256  # places; up to here the loop takes less time than the calls of numpy that spare it


def _shuffled_one_by_one(words: list[int]) -> NDArray[np.int64]:
    """`shuffled` by the loop itself."""
    count = len(words) + 1
    places = list(range(count))
    for i, word in enumerate(words):
        other = i + word % (count - i)
        places[i], places[other] = places[other], places[i]
    return np.array(places, np.int64)


def shuffled(words: NDArray[np.uint32]) -> NDArray[np.int64]:
    """Return 0..n-1 shuffled by the n-1 words as a Fisher-Yates loop from the front would, without the loop.

    Step i of that loop swaps places i and ``t[i] = i + words[i] % (n - i)``; nothing looks at place i again, so its
    final content is what place t[i] held just then. A place holds its own number until a step k with ``t[k] == place``
    puts there what place k held. So "what place i holds at step i" is a chain of earlier steps, which is followed for
    all places at once by pointer doubling.

    Args:
        words: uint32, shape (n - 1,) with n >= 1.

    Returns:
        int64, shape (n,).
    """
    count = len(words) + 1
    if count <= _SHUFFLED_ONE_BY_ONE:
        return _shuffled_one_by_one(words.tolist())
    steps = np.arange(count, dtype=np.int64)
    targets = steps.copy()
    targets[:-1] += (words % np.arange(count, 1, -1, dtype=np.uint32)).astype(np.int64)

    moving = np.flatnonzero(targets != steps)
    held = steps.copy()
    held[targets[moving]] = moving  # of several steps with one target the last is kept
    while not np.array_equal(further := held[held], held):
        held = further

    # Sorting by (target, step) puts beside each step the previous one with the same target.
    ordered = (targets << 32) | steps
    ordered.sort()
    ordered_steps = ordered & 0xFFFFFFFF
    ordered >>= 32
    repeated = ordered[1:] == ordered[:-1]
    targets[ordered_steps[1:][repeated]] = held[ordered_steps[:-1][repeated]]
    return targets
