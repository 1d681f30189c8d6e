"""Numbers that follow from an extent, found from their values at some sizes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction


class NotDynamic(Exception):
    """A program cannot be planned for many sizes; the message names the value that stands in the way."""


DEGREE = 2  # attention's scores are as many as the square of a length


@dataclass(frozen=True, slots=True)
class Polynomial:
    """``coefficients[i]`` belongs to the i-th power."""

    coefficients: tuple[int, ...]

    def at(self, size: int) -> int:
        """The value where the extent is ``size``."""
        value = 0
        for coefficient in reversed(self.coefficients):
            value = value * size + coefficient
        return value

    @property
    def is_constant(self) -> bool:
        return not any(self.coefficients[1:])


@dataclass(frozen=True, slots=True)
class Quantity:
    """A polynomial as an integer, as a float, or as what 1 is divided by."""

    polynomial: Polynomial
    is_float: bool = False
    is_reciprocal: bool = False

    def at(self, size: int) -> float:
        """The number where the extent is ``size``."""
        integer = self.polynomial.at(size)
        if self.is_reciprocal:
            return 1.0 / integer
        return float(integer) if self.is_float else integer


def quantity(sizes: Sequence[int], numbers: Sequence[float]) -> Quantity | None:
    """What has these values, of one type, at these sizes; None if nothing so simple has."""
    if all([type(number) is int for number in numbers]):
        polynomial = fitted(sizes, [int(number) for number in numbers])
        return None if polynomial is None else Quantity(polynomial)
    if not all([type(number) is float for number in numbers]):
        return None
    for is_reciprocal in (False, True):
        integers = [_integer(number, is_reciprocal) for number in numbers]
        known = [integer for integer in integers if integer is not None]
        polynomial = fitted(sizes, known) if len(known) == len(sizes) else None
        if polynomial is not None:
            return Quantity(polynomial, True, is_reciprocal)
    return None


def _integer(number: float, is_reciprocal: bool) -> int | None:
    """The integer that a number is, or that it is the reciprocal of."""
    if not 2**-53 < abs(number) < 2**53:
        return None
    integer = round(1 / number) if is_reciprocal else round(number)
    made = 1.0 / integer if is_reciprocal and integer else float(integer)
    return integer if made == number else None


def fitted(sizes: Sequence[int], values: Sequence[int], degree: int = DEGREE) -> Polynomial | None:
    """The polynomial that has these values at these sizes; None if there is none of so small a degree.

    Args:
        sizes: different ones. With more than ``degree + 1`` of them, the others check what the first ones say.
        values: one per size.
        degree: the highest power.
    """
    count = min(degree + 1, len(sizes))
    coefficients = [Fraction(0)] * count
    basis = [Fraction(1)]  # the product of (x - size) over the sizes so far
    for size, value in zip(sizes[:count], values[:count], strict=True):
        at_size = sum([c * size**power for power, c in enumerate(coefficients)], Fraction(0))
        scale = (value - at_size) / sum([c * size**power for power, c in enumerate(basis)], Fraction(0))
        for power, c in enumerate(basis):
            coefficients[power] += scale * c
        shifted = [Fraction(0), *basis]
        basis = [high - size * low for high, low in zip(shifted, [*basis, Fraction(0)], strict=True)]
    if any(c.denominator != 1 for c in coefficients):
        return None
    found = Polynomial(tuple([int(c) for c in coefficients]))
    return found if all(found.at(n) == value for n, value in zip(sizes, values, strict=True)) else None
