"""Argument types that layers share, and the helpers that bring them into one form."""

from __future__ import annotations

from collections.abc import Iterable

from lazygrad.ir.device import Device

DeviceLike = Device | str | int | None
IntOr1d = int | tuple[int]
IntOr2d = int | tuple[int, int]
IntOr3d = int | tuple[int, int, int]
# Two numbers, before and after, for each of two and three dimensions.
IntOr4 = int | tuple[int, int, int, int]
IntOr6 = int | tuple[int, int, int, int, int, int]


def expand_to_tuple(value: int | Iterable[int], count: int) -> tuple[int, ...]:
    """``count`` times an int, or the given ints as a tuple."""
    return tuple(value) if isinstance(value, Iterable) else (value,) * count


def type_name(value: object) -> str:
    """The name of a value's type as error messages show it: ``int``, ``lazygrad.tensor.Tensor``."""
    kind = type(value)
    return kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"
