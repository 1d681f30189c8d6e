"""How far two results are apart: the largest difference, and that in units in the last place."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np


class Difference(NamedTuple):
    """The largest difference of two arrays.

    Attributes:
        absolute: in the numbers themselves; infinite where one is NaN and the other is not.
        ulp: in steps from one number of the dtype to the next, where an element is no smaller than a thousandth of the
            largest: what cancels to almost nothing is many steps from anything. None of dtypes without fractions.
    """

    absolute: float = 0.0
    ulp: int | None = 0

    def __str__(self) -> str:
        return f"{self.absolute:.3g}" + (f" ({self.ulp:,} ulp)" if self.ulp is not None else "")


def difference(first: np.ndarray, second: np.ndarray) -> Difference:
    """Of two arrays of one shape and dtype."""
    if first.dtype.kind == "c":
        parts = [difference(a, b) for a, b in ((first.real, second.real), (first.imag, second.imag))]
        return largest(parts)
    first, second = np.atleast_1d(first, second)
    is_float = first.dtype.kind not in "biu"
    if not first.size:
        return Difference(ulp=0 if is_float else None)
    wide = [each.astype(np.float64) for each in (first, second)]
    with np.errstate(invalid="ignore"):
        delta = np.abs(wide[0] - wide[1])
    delta[(wide[0] == wide[1]) | (np.isnan(wide[0]) & np.isnan(wide[1]))] = 0
    delta[np.isnan(delta)] = np.inf
    if not is_float:
        return Difference(float(delta.max()), None)
    steps = np.abs(_place(first) - _place(second)).astype(np.float64)
    size = np.maximum(*[np.where(np.isfinite(each), np.abs(each), 0) for each in wide])
    steps[(delta == 0) | (size < size.max() / 1000)] = 0
    return Difference(float(delta.max()), int(steps.max()))


def largest(each: Iterable[Difference]) -> Difference:
    """The largest of some, in both respects."""
    found = [Difference(0.0, None), *each]
    steps = [difference.ulp for difference in found if difference.ulp is not None]
    return Difference(max(difference.absolute for difference in found), max(steps, default=None))


def _place(array: np.ndarray) -> np.ndarray:
    """Where each number stands among all numbers of its dtype in order: sign and magnitude as a whole number."""
    bits = np.ascontiguousarray(array).view(f"i{array.dtype.itemsize}").astype(np.int64)
    lowest = -(1 << (8 * array.dtype.itemsize - 1))
    return np.where(bits < 0, lowest - bits, bits)
