"""Whether marks would have served a program that differs from an earlier one in sizes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from lazygrad.ir.device import CPU
from lazygrad.ir.node import TensorType
from lazygrad.ir.primitives.leaf import buffer
from lazygrad.runtime.backend_choice import first_target_may_run


def changed_dimensions(then: Sequence[Sequence[Any]], now: Sequence[Sequence[Any]]) -> list[tuple[int, list[int]]]:
    """The inputs of a program whose dimensions `mark_dynamic` would have to name, by their numbers; none where it would
    not have helped.

    All changes must follow from that of one size. Where a shape is a polynomial of a size, with whole coefficients, its
    change is a multiple of the size's.

    Args:
        then, now: the keys of two programs of the same operations, cut into nodes.
    """
    if not first_target_may_run():
        return []
    found: list[tuple[int, list[int]]] = []
    sizes: set[tuple[int, int]] = set()
    for number, (old, new) in enumerate(zip(then, now, strict=True)):
        a, b = (next((part for part in each if isinstance(part, TensorType)), None) for each in (old, new))
        if old[0] is not buffer or a is None or b is None or a == b:
            continue
        if len(a.shape) != len(b.shape):
            return []
        changed = [axis for axis, (x, y) in enumerate(zip(a.shape, b.shape, strict=True)) if x != y]
        sizes |= {(a.shape[axis], b.shape[axis]) for axis in changed}
        found.append((number, changed))
    if len(sizes) != 1:
        return []
    [(first, second)] = sizes
    if min(first, second) < 2:  # one element is broadcast
        return []
    pairs = zip(then, now, strict=True)
    return found if all(_follows(a, b, second - first) for pair in pairs for a, b in _leaves(*pair)) else []


def _follows(a: Any, b: Any, change: int) -> bool:
    """Whether a part of the key that was ``a`` may be ``b`` because a size has changed by so much."""
    if a == b:
        return True
    return type(a) is int and type(b) is int and (b - a) % change == 0


def _leaves(a: Any, b: Any) -> Iterator[tuple[Any, Any]]:
    """The parts that are compared; types by their extents."""
    if isinstance(a, TensorType) and isinstance(b, TensorType):
        a, b = (*a.shape, a.dtype, a.device is CPU), (*b.shape, b.dtype, b.device is CPU)
        yield a[-1], True
    if isinstance(a, (tuple, list)) and isinstance(b, (tuple, list)) and len(a) == len(b):
        for x, y in zip(a, b, strict=True):
            yield from _leaves(x, y)
    else:
        yield a, b
