"""Sorting of long rows by thrust's radix sort."""

from __future__ import annotations

from typing import Any

from lazygrad.targets.cuda.cupy_routines.bindings import Bindings
from lazygrad.targets.cuda.cupy_routines.made import Made


def argsort(lib: Bindings, keys: Any) -> Made:
    """Positions that sort each row of whole numbers; equal ones keep their order.

    A row at a time: of several, cupy sorts pairs of a row and a key, and thrust compares those instead of counting
    their digits.
    """
    return Made([lib.cupy.stack([lib.cupy.argsort(row) for row in keys])])
