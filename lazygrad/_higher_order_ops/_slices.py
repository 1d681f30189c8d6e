"""The leaves of a nested container along one dimension: slices of them, and results stacked again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lazygrad.ops.shapes.joining import stack
from lazygrad.pytree import flatten
from lazygrad.tensor import Tensor


def length_of(tree: Any, dim: int, name: str) -> int:
    """The size of all leaves along ``dim``.

    Raises:
        RuntimeError: there are no leaves, one is no tensor or has no such dimension, sizes differ, or they are 0.
    """
    leaves = flatten(tree)[0]
    if not leaves or not all(isinstance(leaf, Tensor) for leaf in leaves):
        raise RuntimeError(f"{name}: expected xs to be tensors, at least one, but got {leaves}")
    if any(not -leaf.ndim <= dim < leaf.ndim for leaf in leaves):
        raise RuntimeError(f"{name}: all tensors of xs must have dimension {dim}")
    sizes = {leaf.shape[dim] for leaf in leaves}
    if len(sizes) > 1 or sizes == {0}:
        raise RuntimeError(f"{name}: all tensors of xs must have the same size above 0 along dimension {dim}")
    return int(sizes.pop())


def slice_of(tree: Any, dim: int, position: int) -> Any:
    """Every leaf's slice at a position of ``dim``, in the container of the leaves."""
    leaves, structure = flatten(tree)
    return structure.unflatten([leaf.select(dim, position) for leaf in leaves])


def stacked(trees: Sequence[Any], dim: int) -> Any:
    """The leaves of containers of one structure, stacked one by one along ``dim``; None where all are None."""
    columns = zip(*[flatten(tree)[0] for tree in trees], strict=True)
    structure = flatten(trees[0])[1]
    return structure.unflatten([None if column[0] is None else stack(list(column), dim) for column in columns])
