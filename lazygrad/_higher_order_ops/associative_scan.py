"""``torch._higher_order_ops.associative_scan``: running results of an associative function."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lazygrad._higher_order_ops._slices import length_of
from lazygrad.ops.shapes.joining import cat
from lazygrad.pytree import flatten

__all__ = ["associative_scan"]


def associative_scan(
    combine_fn: Callable[[Any, Any], Any], xs: Any, dim: int, reverse: bool = False, combine_mode: str = "pointwise"
) -> Any:
    """Along ``dim``, at each place the combination of all slices up to there, in about ``log2`` steps of whole tensors.

    Args:
        combine_fn: combines two containers like ``xs``, of any number of slices, slice by slice.
        xs: a tensor, or nested containers of tensors of one size along ``dim``.
        dim: the dimension.
        reverse: combine from the last slice on.
        combine_mode: "pointwise" or "generic", which are the same here: any device, any function.

    Raises:
        RuntimeError: ``combine_fn`` cannot be called; ``xs`` has nothing to go through.
        ValueError: another ``combine_mode``.
    """
    if not callable(combine_fn):
        raise RuntimeError(f"Combine_fn must be a callable, but got {combine_fn}")
    if combine_mode not in ("pointwise", "generic"):
        raise ValueError(f"Combine_mode must either 'pointwise' or 'generic', but got {combine_mode}")
    count = length_of(xs, dim, "associative_scan")
    leaves, structure = flatten(xs)
    leaves = [leaf.flip(dim) if reverse else leaf for leaf in leaves]
    distance = 1
    while distance < count:  # each place has combined the last `distance` slices up to it
        earlier = [leaf.narrow(dim, 0, count - distance) for leaf in leaves]
        later = [leaf.narrow(dim, distance, count - distance) for leaf in leaves]
        combined = flatten(combine_fn(structure.unflatten(earlier), structure.unflatten(later)))[0]
        first = [leaf.narrow(dim, 0, distance) for leaf in leaves]
        leaves = [cat([start, rest], dim) for start, rest in zip(first, combined, strict=True)]
        distance *= 2
    return structure.unflatten([leaf.flip(dim) if reverse else leaf for leaf in leaves])
