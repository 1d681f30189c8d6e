"""How much is added on each side of an image."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

MODES = ("constant", "edge", "reflect", "symmetric")


class Padding(NamedTuple):
    """Pixels on each side; negative ones are taken away."""

    left: int
    top: int
    right: int
    bottom: int


def padding_of(given: Any) -> Padding:
    """One number for all sides, two for left and right, top and bottom, or four: left, top, right, bottom.

    Raises:
        TypeError: something else than numbers.
        ValueError: another count of them.
    """
    if isinstance(given, int):
        return Padding(given, given, given, given)
    if not isinstance(given, (tuple, list)):
        raise TypeError(f"Got inappropriate padding arg: {given!r}")
    if len(given) not in (1, 2, 4):
        raise ValueError(f"Padding must be an int or a 1, 2, or 4 element tuple, not a {len(given)} element tuple")
    return Padding(*_four(given))


def _four(given: Sequence[int]) -> Sequence[int]:
    return {1: [*given] * 4, 2: [*given] * 2, 4: [*given]}[len(given)]


def check_mode(mode: Any) -> None:
    """Raises TypeError or ValueError for what is no way to pad."""
    if not isinstance(mode, str):
        raise TypeError(f"Got inappropriate padding_mode arg: {mode!r}")
    if mode not in MODES:
        raise ValueError("Padding mode should be either constant, edge, reflect or symmetric")
