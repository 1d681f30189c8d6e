"""Cuts along particular dimensions, and PyTorch's further names of `split` and `chunk`."""

from __future__ import annotations

from collections.abc import Sequence

from lazygrad.ops.arguments.operands import tensor_argument
from lazygrad.ops.arguments.registering import method
from lazygrad.ops.shapes.parts import chunk, split, tensor_split
from lazygrad.size import as_shape
from lazygrad.tensor import Tensor

# fmt: off
__all__ = [
    "hsplit", "vsplit", "dsplit", "split_with_sizes", "unsafe_split", "unsafe_split_with_sizes", "unsafe_chunk",
]
# fmt: on

Cuts = int | Sequence[int]


def _split_along(
    name: str,
    input: Tensor,
    rank: int,
    axis: int,
    given: tuple[Cuts, ...],
    sections: int | None,
    indices: Sequence[int] | None,
) -> tuple[Tensor, ...]:
    """`tensor_split` along ``axis``, refusing pieces of different sizes.

    Raises:
        TypeError: cuts both by position and by keyword, or none.
        RuntimeError: fewer than ``rank`` dimensions; a number of pieces that does not divide the dimension.
    """
    named = [cuts for cuts in (sections, indices) if cuts is not None]
    if len(named) + bool(given) != 1:
        raise TypeError(f"{name}() takes the number of pieces (sections) or where to cut (indices), one of them")
    cuts = named[0] if named else given[0] if len(given) == 1 else as_shape(given)
    if tensor_argument(input, name).ndim < rank:
        raise RuntimeError(f"{name} requires a tensor with at least {rank} dimension, but got a tensor with "
                           f"{input.ndim} dimensions!")  # fmt: skip
    size = input.shape[axis]
    if isinstance(cuts, int) and (cuts == 0 or size % cuts):
        raise RuntimeError(f"{name} attempted to split along dimension {axis}, but the size of the dimension {size} is "
                           f"not divisible by the split_size {cuts}!")  # fmt: skip
    return tensor_split(input, cuts, axis)


@method()
def hsplit(
    input: Tensor, *indices_or_sections: Cuts, sections: int | None = None, indices: Sequence[int] | None = None
) -> tuple[Tensor, ...]:
    """Views of pieces side by side: of the second dimension, or the first of a vector.

    Args:
        input: at least one dimension.
        indices_or_sections: the number of pieces, which must divide the size; or where to cut.
        sections, indices: the former and the latter by their names.

    Raises:
        RuntimeError: a 0-dim tensor; a number of pieces that does not divide the size.
        TypeError: neither or several of these three.
    """
    axis = 0 if tensor_argument(input, "hsplit").ndim == 1 else 1
    return _split_along("hsplit", input, 1, axis, indices_or_sections, sections, indices)


@method()
def vsplit(
    input: Tensor, *indices_or_sections: Cuts, sections: int | None = None, indices: Sequence[int] | None = None
) -> tuple[Tensor, ...]:
    """Views of pieces below one another: of the first dimension of at least two; see `hsplit`."""
    return _split_along("vsplit", input, 2, 0, indices_or_sections, sections, indices)


@method()
def dsplit(
    input: Tensor, *indices_or_sections: Cuts, sections: int | None = None, indices: Sequence[int] | None = None
) -> tuple[Tensor, ...]:
    """Views of pieces behind one another: of the third dimension; see `hsplit`."""
    return _split_along("dsplit", input, 3, 2, indices_or_sections, sections, indices)


@method()
def split_with_sizes(input: Tensor, split_sizes: Sequence[int], dim: int = 0) -> tuple[Tensor, ...]:
    """`split` into pieces of the given sizes."""
    return split(input, as_shape((split_sizes,)), dim)


# Pieces with memory of their own.


@method()
def unsafe_split(input: Tensor, split_size: int, dim: int = 0) -> tuple[Tensor, ...]:
    """Copies of what `split` gives."""
    return tuple([piece.clone() for piece in split(input, split_size, dim)])


@method()
def unsafe_split_with_sizes(input: Tensor, split_sizes: Sequence[int], dim: int = 0) -> tuple[Tensor, ...]:
    """Copies of what `split_with_sizes` gives."""
    return tuple([piece.clone() for piece in split_with_sizes(input, split_sizes, dim)])


@method()
def unsafe_chunk(input: Tensor, chunks: int, dim: int = 0) -> tuple[Tensor, ...]:
    """Copies of what `chunk` gives."""
    return tuple([piece.clone() for piece in chunk(input, chunks, dim)])
