"""Shapes as users see and give them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, SupportsIndex, overload

from lazygrad.ir.shape import Shape
from lazygrad.ir.spoken_name import spoken


class Size(tuple[int, ...]):
    """A shape that prints like PyTorch's."""

    __slots__ = ()

    def numel(self) -> int:
        total = 1
        for size in self:
            total *= size
        return total

    def __repr__(self) -> str:
        return spoken(f"Size({list(self)})")

    @overload
    def __getitem__(self, index: SupportsIndex) -> int: ...
    @overload
    def __getitem__(self, index: slice) -> Size: ...
    def __getitem__(self, index: Any) -> Any:
        item = tuple.__getitem__(self, index)
        return Size(item) if isinstance(index, slice) else item

    def __add__(self, other: Sequence[int]) -> Size:  # type: ignore[override]
        return Size(tuple.__add__(self, tuple(other)))


def as_shape(sizes: Sequence[Any]) -> Shape:
    """Sizes given as separate ints or as one sequence.

    Raises:
        TypeError: a size that is not an integer.
    """
    if len(sizes) == 1 and type(sizes[0]) is not int and isinstance(sizes[0], (tuple, list, Sequence)):
        sizes = sizes[0]  # the abstract class comes last: to ask it takes long
    for size in sizes:
        if type(size) is not int:
            break
    else:  # as nearly always
        return tuple(sizes)
    try:
        return tuple([size if type(size) is int else size.__index__() for size in sizes])
    except AttributeError:
        bad = next(size for size in sizes if not hasattr(size, "__index__"))
        raise TypeError(f"sizes must be integers, not {type(bad).__name__}") from None
