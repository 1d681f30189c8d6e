"""Shape arithmetic shared by every op's inference. Shapes are tuples of ints; errors are PyTorch's classes."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache
from math import prod
from typing import Any, SupportsIndex, TypeGuard, cast

Shape = tuple[int, ...]


class ShapeError(RuntimeError):
    """Operands whose shapes do not fit together; PyTorch raises RuntimeError for these."""


def numel(shape: Shape) -> int:
    return prod(shape)


@cache
def _broadcast_pair(first: Shape, second: Shape) -> Shape | None:
    if first == second:
        return first
    rank = max(len(first), len(second))
    a = (1,) * (rank - len(first)) + first
    b = (1,) * (rank - len(second)) + second
    result = []
    for x, y in zip(a, b, strict=True):
        if x != y and x != 1 and y != 1:
            return None
        result.append(y if x == 1 else x)
    return tuple(result)


def broadcast_shapes(name: str, *shapes: Shape) -> Shape:
    """The shape all ``shapes`` broadcast to (dimensions align from the right, 1 stretches).

    Raises:
        ShapeError: naming the op and the last dimension that does not fit, as PyTorch does.
    """
    result: Shape = ()
    for shape in shapes:
        joined = _broadcast_pair(result, shape)
        if joined is None:
            rank = max(len(result), len(shape))
            a = (1,) * (rank - len(result)) + result
            b = (1,) * (rank - len(shape)) + shape
            bad = next(i for i in reversed(range(rank)) if a[i] != b[i] and 1 not in (a[i], b[i]))
            listed = " and ".join(str(tuple(s)) for s in shapes)
            raise ShapeError(
                f"{name}: shapes {listed} cannot be broadcast: The size of tensor a ({a[bad]}) must match "
                f"the size of tensor b ({b[bad]}) at non-singleton dimension {bad}"
            )
        result = joined
    return result


def normalize_axis(axis: int, rank: int, name: str) -> int:
    """``axis`` counted from the front. A 0-dim tensor accepts 0 and -1, as in PyTorch.

    Raises:
        IndexError: out of range, with the range that is allowed.
        TypeError: not an integer.
    """
    if not isinstance(axis, int):
        if not hasattr(axis, "__index__"):
            raise TypeError(f"{name}: dim must be an int, not {type(axis).__name__}")
        axis = axis.__index__()
    extent = max(rank, 1)
    if not -extent <= axis < extent:
        raise IndexError(
            f"{name}: Dimension out of range (expected to be in range of [{-extent}, {extent - 1}], but got {axis})"
        )
    return axis % extent


def is_one_integer(value: Any) -> TypeGuard[SupportsIndex]:
    """Whether a value is an integer of Python or numpy, or a tensor of one without dimensions."""
    return isinstance(value, int) or (hasattr(value, "__index__") and getattr(value, "ndim", 0) == 0)


def as_integers(value: int | Sequence[int]) -> Sequence[int]:
    """Several integers as they are, and one as a tuple."""
    return (value.__index__(),) if is_one_integer(value) else cast("Sequence[int]", value)


def normalize_axes(axes: int | Sequence[int] | None, rank: int, name: str) -> tuple[int, ...]:
    """Sorted, distinct, non-negative axes; None or an empty list means all of them.

    Raises:
        RuntimeError: an axis given twice.
    """
    given = () if axes is None else as_integers(axes)
    if len(given) == 0:
        return tuple(range(rank))
    normalized = [normalize_axis(axis, rank, name) for axis in given]
    if len(set(normalized)) != len(normalized):
        raise RuntimeError(f"{name}: dim {axes} names a dimension twice; give each one once")
    return tuple(sorted(normalized)) if rank else ()


def infer_reshape(shape: Shape, target: Sequence[int], name: str = "reshape") -> Shape:
    """``target`` with its one -1 filled in.

    Raises:
        ShapeError: the sizes do not multiply to the number of elements, or -1 occurs twice or is ambiguous.
    """
    return _inferred_reshape(tuple(shape), tuple(target), name)


@lru_cache(maxsize=1 << 12)
def _inferred_reshape(shape: Shape, target: Shape, name: str) -> Shape:
    total = prod(shape)
    if any(size < -1 for size in target):
        raise ShapeError(f"{name}: invalid shape {target}: sizes must be non-negative, or -1 once")
    if sum(size == -1 for size in target) > 1:
        raise ShapeError(f"{name}: only one dimension can be inferred, but {list(target)} has several -1")
    known = prod(size for size in target if size != -1)
    if -1 in target:
        if known == 0:
            raise ShapeError(f"{name}: cannot infer -1 in {target}: the other sizes multiply to 0")
        if total % known == 0:
            return tuple(total // known if size == -1 else size for size in target)
    elif known == total:
        return target
    raise ShapeError(f"{name}: shape '{list(target)}' is invalid for input of size {total} (of shape {list(shape)})")
