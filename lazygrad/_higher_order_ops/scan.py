"""``torch._higher_order_ops.scan``: a loop that carries values along and collects others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lazygrad._higher_order_ops._slices import length_of, slice_of, stacked
from lazygrad.pytree import flatten

__all__ = ["scan"]


def scan(
    combine_fn: Callable[[Any, Any], tuple[Any, Any]], init: Any, xs: Any, *, dim: int = 0, reverse: bool = False
) -> tuple[Any, Any]:
    """``carry, y = combine_fn(carry, x)`` for every slice ``x``: the last ``carry``, and all ``y``, stacked.

    Args:
        combine_fn: one step.
        init: the first ``carry``.
        xs: a tensor, or nested containers of tensors of one size along ``dim``.
        dim: of ``xs``, along which slices are taken, and at whose place the results are stacked.
        reverse: begin with the last slice; results stay at the places of their slices.

    Raises:
        RuntimeError: ``combine_fn`` cannot be called; ``xs`` has nothing to go through.
    """
    if not callable(combine_fn):
        raise RuntimeError(f"Combine_fn must be a callable, but got {combine_fn}")
    count = length_of(xs, dim, "scan")
    carry, results = init, []
    for position in reversed(range(count)) if reverse else range(count):
        carry, result = combine_fn(carry, slice_of(xs, dim, position))
        results.append(result)
    place = dim % flatten(xs)[0][0].ndim
    return carry, stacked(results[::-1] if reverse else results, place)
