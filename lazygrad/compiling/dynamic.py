"""`mark_dynamic`: which dimensions have other sizes in later calls."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

from lazygrad.ir.shape import normalize_axis
from lazygrad.runtime.dynamic.marks import mark
from lazygrad.tensor import Tensor


def mark_dynamic(tensor: Tensor, dim: int | Sequence[int], *, min: int | None = None, max: int | None = None) -> None:
    """Expect a dimension to have other sizes in later programs like those that read ``tensor``.

    A program that is recorded at a second size is then planned for a range of sizes at once, so that further sizes need
    no plan of their own. What may differ is one number: other extents and attributes must follow from it. Each program
    is compared with what the plan was made for, and is planned or computed by itself where it is another one;
    `explain_cache_miss` says why. The mark belongs to the contents that the tensor has now, so mark each batch.

    Args:
        tensor: an input.
        dim: a dimension, or some.
        min, max: between which sizes the plan is wanted, at least 2; without them the range around each size is chosen
            by what one plan can serve.

    Raises:
        IndexError: there is no such dimension.
        ValueError: ``min`` is greater than ``max``.
    """
    low, high = 2 if min is None else min, inf if max is None else max
    if low > high:
        raise ValueError(f"mark_dynamic: min {low} is greater than max {high}")
    for each in (dim,) if isinstance(dim, int) else dim:
        mark(tensor.node(), normalize_axis(each, tensor.ndim, "mark_dynamic"), (low, high))
