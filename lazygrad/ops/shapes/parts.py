"""Views of parts of a tensor: ranges, single rows, diagonals, windows, and cuts into several pieces."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise
from operator import index

from lazygrad.ir.dtype import Category
from lazygrad.ir.primitives import movement
from lazygrad.ir.shape import Shape, is_one_integer, normalize_axis
from lazygrad.ops.arguments.elsewhere import answers_elsewhere
from lazygrad.ops.arguments.keywords import also_named, numpy_keywords
from lazygrad.ops.arguments.operands import tensor_argument
from lazygrad.ops.arguments.registering import method
from lazygrad.ops.shapes.permuting import movedim
from lazygrad.ops.shapes.reshaping import reshape
from lazygrad.size import as_shape
from lazygrad.tensor import Tensor
from lazygrad.tensor_parts import along, pieces

__all__ = ["narrow", "select", "unbind", "diagonal", "split", "chunk", "tensor_split"]


def between(input: Tensor, axis: int, start: int, stop: int) -> Tensor:
    """A view of the elements from ``start`` up to ``stop`` of one dimension."""
    return pieces(input, axis, ((start, stop),))[0]


def _dimension(input: Tensor, dim: int, name: str) -> tuple[int, int]:
    """The axis ``dim`` and its size.

    Raises:
        IndexError, RuntimeError: out of range; a 0-dim tensor, which has none.
    """
    shape = tensor_argument(input, name)._sizes()
    if not shape:
        raise RuntimeError(f"{name}() cannot be applied to a 0-dim tensor; give it a dimension with .unsqueeze(0)")
    axis = normalize_axis(dim, len(shape), name)
    return axis, shape[axis]


@method()
def narrow(input: Tensor, dim: int, start: int | Tensor, length: int) -> Tensor:
    """A view of ``length`` elements of dimension ``dim``, beginning with ``start``.

    Raises:
        IndexError, RuntimeError: the range does not lie inside the dimension.
    """
    axis, size = _dimension(input, dim, "narrow")
    length = index(length)
    if length < 0:
        raise RuntimeError("narrow(): length must be non-negative.")
    if isinstance(start, Tensor) and (start.ndim or start.dtype.category is not Category.INTEGER):
        raise RuntimeError("narrow(): start must be an 0-dim integral Tensor.")
    first = start.__index__()
    if not -size <= first <= size:
        raise IndexError(f"start out of range (expected to be in range of [{-size}, {size}], but got {first})")
    first += size if first < 0 else 0
    if first + length > size:
        raise RuntimeError(f"start ({first}) + length ({length}) exceeds dimension size ({size}).")
    return between(input, axis, first, first + length)


@method()
@numpy_keywords
def select(input: Tensor, dim: int, index: int) -> Tensor:
    """A view of one element of dimension ``dim``, without that dimension.

    Raises:
        IndexError: out of range, or a 0-dim tensor.
    """
    shape = tensor_argument(input, "select")._sizes()
    if not shape:
        raise IndexError("select() cannot be applied to a 0-dim tensor.")
    axis = normalize_axis(dim, len(shape), "select")
    position = index.__index__()
    if not -shape[axis] <= position < shape[axis]:
        raise IndexError(f"select(): index {position} out of range for tensor of size {list(shape)} at dimension {dim}")
    return along(input, axis, (position % shape[axis],))[0]


@method()
@numpy_keywords
def unbind(input: Tensor, dim: int = 0) -> tuple[Tensor, ...]:
    """Views of all elements of dimension ``dim``, each without that dimension.

    Raises:
        IndexError: ``dim`` is out of range, or a 0-dim tensor.
    """
    if tensor_argument(input, "unbind").ndim == 0:
        raise IndexError("unbind(): Dimension specified but tensor has no dimensions")
    axis, size = _dimension(input, dim, "unbind")
    return tuple(along(input, axis, range(size)))


@method("__iter__")
def _rows(input: Tensor) -> Iterator[Tensor]:
    """Views of the elements of the first dimension.

    Raises:
        TypeError: a 0-dim tensor.
    """
    if input.ndim == 0:
        raise TypeError("iteration over a 0-d tensor")
    return iter(unbind(input))


@answers_elsewhere
@method()
def diagonal(input: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
    """A view of a diagonal of two dimensions, as a new last dimension.

    Args:
        offset: 0 for the main diagonal, positive above it, negative below.

    Raises:
        RuntimeError: ``dim1`` and ``dim2`` are one dimension.
    """
    rank = tensor_argument(input, "diagonal").ndim
    first, second = normalize_axis(dim1, rank, "diagonal"), normalize_axis(dim2, rank, "diagonal")
    if first == second:
        raise RuntimeError(f"diagonal dimensions cannot be identical {dim1}, {dim2}")
    return input.moved(movement.diagonal, (index(offset), first, second))


@method()
def unfold(input: Tensor, dimension: int, size: int, step: int) -> Tensor:
    """A view of all windows of ``size`` neighbours along a dimension, every ``step``-th one, as a new last dimension.

    Raises:
        RuntimeError: the window is larger than the dimension, negative, or the step is not positive.
    """
    shape = tensor_argument(input, "unfold").shape
    axis = normalize_axis(dimension, len(shape), "unfold")
    extent, size, step = shape[axis] if shape else 1, index(size), index(step)
    if not 0 <= size <= extent:
        raise RuntimeError(f"unfold: size {size} must lie between 0 and the size {extent} of dimension {axis}")
    if step <= 0:
        raise RuntimeError(f"unfold: step is {step} but must be > 0")
    if not shape:
        return between(reshape(input, 1), 0, 0, size)
    is_last = axis == len(shape) - 1
    along_last = input if is_last else movedim(input, axis, -1)
    windows: Tensor = along_last.moved(movement.windows, ((size,), (step,), (1,)))
    return windows if is_last else movedim(windows, -2, axis)


# Cuts into several pieces.


@method()
@also_named(split_size="split_size_or_sections")
def split(tensor: Tensor, split_size_or_sections: int | Sequence[int], dim: int = 0) -> tuple[Tensor, ...]:
    """Views of consecutive pieces of one dimension.

    Args:
        split_size_or_sections: the size of every piece, of which the last may be smaller; or the sizes one by one.

    Raises:
        RuntimeError: a size is negative, or the sizes do not add up to the dimension's.
    """
    axis, size = _dimension(tensor, dim, "split")
    if is_one_integer(split_size_or_sections):
        piece = index(split_size_or_sections)
        if piece < 0 or (piece == 0 and size):
            raise RuntimeError(f"split: split_size must be positive, but got {piece} for a dimension of size {size}")
        return _cut(tensor, axis, [*range(0, size, piece or 1), size] if size else [0, 0])
    else:
        sections: Shape = as_shape((split_size_or_sections,))
        if sum(sections) != size or min(sections, default=0) < 0:
            raise RuntimeError(f"split_with_sizes expects split_sizes to sum exactly to {size} (input tensor's size at "
                               f"dimension {axis}), but got split_sizes={list(sections)}")  # fmt: skip
    return _cut(tensor, axis, [0, *accumulate(sections)])


def _cut(tensor: Tensor, axis: int, bounds: Sequence[int]) -> tuple[Tensor, ...]:
    return tuple(pieces(tensor, axis, [(start, max(start, stop)) for start, stop in pairwise(bounds)]))


@method()
def chunk(input: Tensor, chunks: int, dim: int = 0) -> tuple[Tensor, ...]:
    """Views of at most ``chunks`` equally large pieces of one dimension; the last may be smaller.

    Raises:
        RuntimeError: ``chunks`` is not positive.
    """
    if chunks <= 0:
        raise RuntimeError(f"chunk expects `chunks` to be greater than 0, got: {chunks}")
    axis, size = _dimension(input, dim, "chunk")
    if size == 0:
        return split(input, (0,) * chunks, axis)
    return _cut(input, axis, [*range(0, size, -(-size // chunks)), size])


@method()
@also_named(
    indices="indices_or_sections",
    sections="indices_or_sections",
    tensor_indices_or_sections="indices_or_sections",
)
def tensor_split(input: Tensor, indices_or_sections: int | Sequence[int] | Tensor, dim: int = 0) -> tuple[Tensor, ...]:
    """Views of pieces of one dimension.

    Args:
        indices_or_sections: how many pieces, whose sizes then differ by at most 1; or where to cut. A tensor is read.

    Raises:
        RuntimeError: not a positive number of pieces.
    """
    if isinstance(indices_or_sections, Tensor):
        indices_or_sections = indices_or_sections.tolist()
    axis, size = _dimension(input, dim, "tensor_split")
    if isinstance(indices_or_sections, int):
        pieces = indices_or_sections
        if pieces <= 0:
            raise RuntimeError(f"number of sections must be larger than 0, got {pieces}")
        small, larger = divmod(size, pieces)
        return _cut(input, axis, [number * small + min(number, larger) for number in range(pieces + 1)])
    cuts = [slice(cut).indices(size)[1] for cut in as_shape((indices_or_sections,))]
    return _cut(input, axis, [0, *cuts, size])
