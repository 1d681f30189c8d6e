"""Which programs are planned for many sizes: those that read what was marked, and those within `expecting_sizes`."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from math import inf
from weakref import WeakKeyDictionary

from lazygrad.ir.node import Node

Bounds = tuple[float, float]
ANY_SIZE: Bounds = (2, inf)

_marks: WeakKeyDictionary[Node, dict[int, Bounds]] = WeakKeyDictionary()


class _Expecting(threading.local):
    is_on = False


_expecting = _Expecting()


def mark(node: Node, axis: int, bounds: Bounds = ANY_SIZE) -> None:
    """Expect other sizes of a dimension in later programs like those that read ``node``."""
    _marks.setdefault(node, {})[axis] = bounds


@contextmanager
def expecting_sizes() -> Iterator[None]:
    """Expect other sizes of everything that this thread computes within this context."""
    outer, _expecting.is_on = _expecting.is_on, True
    try:
        yield
    finally:
        _expecting.is_on = outer


def expected_bounds(nodes: Iterable[Node]) -> Bounds | None:
    """Between which sizes a program's extents are expected; None if it is expected to have these only."""
    found = [_marks[node] for node in nodes if node in _marks] if _marks else []
    if not found:
        return ANY_SIZE if _expecting.is_on else None
    bounds = [each for marked in found for each in marked.values()]
    return max([low for low, _ in bounds]), min([high for _, high in bounds])
