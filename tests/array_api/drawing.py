"""Arguments for the functions of the array API standard: dtypes, shapes and numbers that hypothesis chooses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from hypothesis import strategies as st

BOOL = ("bool",)
INTEGERS = ("int8", "int16", "int32", "int64", "uint8")
SIGNED = INTEGERS[:4]
FLOATS = ("float32", "float64")
COMPLEX = ("complex64", "complex128")
REAL = INTEGERS + FLOATS
NUMERIC = REAL + COMPLEX
ALL = BOOL + NUMERIC
_FAMILIES = (BOOL, INTEGERS, FLOATS + COMPLEX)  # what the standard promotes among each other


class Draw:
    """Draws arguments as numpy arrays; small integers and eighths, on which arithmetic is exact in every dtype."""

    def __init__(self, data: st.DataObject) -> None:
        self._data = data
        self._numbers = np.random.default_rng(self.among(range(1 << 16)))

    def among(self, options: Sequence[Any]) -> Any:
        return self._data.draw(st.sampled_from(options))

    def shape(self, ranks: Sequence[int] = range(4), sizes: Sequence[int] = (0, 1, 2, 3)) -> tuple[int, ...]:
        return tuple(self.among(sizes) for _ in range(self.among(ranks)))

    def values(self, dtype: str, shape: tuple[int, ...], lowest: int = -4, highest: int = 4) -> np.ndarray:
        """Multiples of 1/8 (integers for an integer dtype) from ``lowest`` to ``highest``."""

        def eighths() -> Any:
            return self._numbers.integers(8 * lowest, 8 * highest + 1, shape) / 8

        if dtype == "bool":
            return np.asarray(self._numbers.integers(0, 2, shape), bool)
        if dtype in INTEGERS:
            start = max(lowest, 0) if dtype == "uint8" else lowest
            return np.asarray(self._numbers.integers(start, highest + 1, shape), dtype)
        parts = eighths() + 1j * eighths() if dtype in COMPLEX else eighths()
        return np.asarray(parts, dtype)

    def array(self, dtypes: Sequence[str], shape: tuple[int, ...] | None = None, **limits: int) -> np.ndarray:
        return self.values(self.among(dtypes), self.shape() if shape is None else shape, **limits)

    def pair(self, dtypes: Sequence[str], *, number: bool = True, **limits: int) -> tuple[Any, Any]:
        """Two arrays that promote and broadcast; one of them may be a Python number."""
        first = self.among(dtypes)
        family = next(family for family in _FAMILIES if first in family)
        second = self.among([dtype for dtype in dtypes if dtype in family])
        whole = self.shape()
        kinds = ["both", "both", *(["number first", "number second"] if number else [])]
        form = self.among(kinds)
        if form != "both":
            array = self.values(first, whole, **limits)
            scalar = self.values(first, (), **limits).item()
            return (scalar, array) if form == "number first" else (array, scalar)
        part = tuple(self.among((1, size)) for size in whole)[self.among(range(len(whole) + 1)) :]
        x1, x2 = self.values(first, whole, **limits), self.values(second, part, **limits)
        return (x1, x2) if self.among((True, False)) else (self.values(first, part, **limits), x2)

    def axis(self, rank: int) -> int:
        return int(self.among(range(-rank, rank)))

    def axes(self, rank: int) -> Any:
        """One dimension, several, none or all: what a reduction takes."""
        if not rank:
            return None
        chosen = [self.among((one, one - rank)) for one in range(rank) if self.among((True, False))]
        return self.among((None, self.axis(rank), tuple(chosen)))

    def options(self, **choices: Sequence[Any]) -> dict[str, Any]:
        """Each keyword with one of its values, or not at all."""
        return {name: self.among(values) for name, values in choices.items() if self.among((True, False))}

    def matrices(self, dtypes: Sequence[str] = FLOATS + COMPLEX, *, square: bool = False) -> np.ndarray:
        """Well-conditioned matrices: the identity, stretched, and small numbers beside it."""
        rows = self.among((1, 2, 3))
        columns = rows if square else self.among((1, 2, 3))
        noise = self.array(dtypes, (*self.shape(range(3), (1, 2)), rows, columns))
        return np.asarray(noise / 16 + 3 * np.eye(rows, columns), noise.dtype)
