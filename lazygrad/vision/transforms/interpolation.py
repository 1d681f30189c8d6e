"""How pixels between pixels get their values."""

from __future__ import annotations

from enum import Enum
from typing import Any


class InterpolationMode(Enum):
    """Which pixels a new one is made of. Tensors know the first four, Pillow all."""

    NEAREST = "nearest"
    NEAREST_EXACT = "nearest-exact"
    BILINEAR = "bilinear"
    BICUBIC = "bicubic"
    BOX = "box"
    HAMMING = "hamming"
    LANCZOS = "lanczos"

    @property
    def pillow(self) -> int:
        """Pillow's number of it."""
        return _PILLOW[self]


_PILLOW = {
    InterpolationMode.NEAREST: 0,
    InterpolationMode.NEAREST_EXACT: 0,
    InterpolationMode.LANCZOS: 1,
    InterpolationMode.BILINEAR: 2,
    InterpolationMode.BICUBIC: 3,
    InterpolationMode.BOX: 4,
    InterpolationMode.HAMMING: 5,
}
_BY_NUMBER = {number: mode for mode, number in _PILLOW.items() if mode is not InterpolationMode.NEAREST_EXACT}


def interpolation_mode(given: Any) -> InterpolationMode:
    """A mode, which may be given by Pillow's number.

    Raises:
        TypeError: neither.
    """
    if isinstance(given, InterpolationMode):
        return given
    if isinstance(given, int):
        return _BY_NUMBER[given]
    raise TypeError(
        "Argument interpolation should be a InterpolationMode or a corresponding Pillow integer constant, "
        f"got {type(given)}"
    )
