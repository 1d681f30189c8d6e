"""What transforms are given: numbers, pairs, ranges."""

from __future__ import annotations

import numbers
from collections.abc import Sequence
from typing import Any

from lazygrad.ir.user_warning import warn_user
from lazygrad.tensor import Tensor
from lazygrad.vision.transforms.functional import get_dimensions


def check_sequence(given: Any, name: str, lengths: tuple[int, ...]) -> None:
    """Raises TypeError for what is no sequence, ValueError for one of another length."""
    wanted = " or ".join(map(str, lengths))
    if not isinstance(given, Sequence):
        raise TypeError(f"{name} should be a sequence of length {wanted}.")
    if len(given) not in lengths:
        raise ValueError(f"{name} should be a sequence of length {wanted}.")


def angles(given: Any, name: str, lengths: tuple[int, ...] = (2,)) -> list[float]:
    """A range of angles; one number stands for that from its negative to itself.

    Raises:
        TypeError, ValueError: something else.
    """
    if isinstance(given, numbers.Real):
        if given < 0:
            raise ValueError(f"If {name} is a single number, it must be positive.")
        return [float(-given), float(given)]
    check_sequence(given, name, lengths)
    return [float(each) for each in given]


def check_ranges(scale: Any, ratio: Any) -> None:
    """Raises TypeError for what is no sequence, and warns of a range whose end comes first."""
    if not isinstance(scale, Sequence):
        raise TypeError("Scale should be a sequence")
    if not isinstance(ratio, Sequence):
        raise TypeError("Ratio should be a sequence")
    if scale[0] > scale[1] or ratio[0] > ratio[1]:
        warn_user("Scale and ratio should be of kind (min, max)")


def fill_option(given: Any) -> Any:
    """A color; black if None.

    Raises:
        TypeError: neither a number nor a sequence.
    """
    if given is None:
        return 0
    if not isinstance(given, (Sequence, numbers.Number)):
        raise TypeError("Fill should be either a sequence or a number.")
    return given


def fill_for(img: Any, fill: Any) -> Any:
    """A color for an image: of a tensor, one float for each channel."""
    if not isinstance(img, Tensor):
        return fill
    if isinstance(fill, (int, float)):
        return [float(fill)] * get_dimensions(img)[0]
    return [float(each) for each in fill]
