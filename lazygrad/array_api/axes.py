"""The ``axis`` argument of the standard."""

from __future__ import annotations

from collections.abc import Sequence

from lazygrad.tensor import Tensor

Axes = int | Sequence[int] | None


def axes_of(x: Tensor, axis: Axes) -> list[int]:
    """The dimensions that ``axis`` names: all of them for None."""
    if axis is None:
        return list(range(x.ndim))
    return [axis] if isinstance(axis, int) else list(axis)
