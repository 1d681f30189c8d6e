"""Views with the dimensions in another order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from lazygrad.ir.primitives import movement
from lazygrad.ir.shape import normalize_axis
from lazygrad.ops.arguments.elsewhere import FAILED, answered_elsewhere
from lazygrad.ops.arguments.kinds import Sizes
from lazygrad.ops.arguments.operands import tensor_argument
from lazygrad.ops.arguments.registering import method
from lazygrad.ops.shapes.layout import Move, inplace_move, integers
from lazygrad.size import as_shape
from lazygrad.tensor import Tensor

__all__ = ["transpose", "swapaxes", "swapdims", "permute", "t", "movedim", "moveaxis"]


def _transposition(input: Tensor, dim0: int, dim1: int) -> Move:
    rank = len(tensor_argument(input, "transpose")._sizes())
    axes = [*range(rank)]
    first, second = normalize_axis(dim0, rank, "transpose"), normalize_axis(dim1, rank, "transpose")
    if axes:
        axes[first], axes[second] = second, first
    return movement.permute, (tuple(axes),)


def _transposition_of_axes(input: Tensor, axis0: int, axis1: int) -> Move:
    return _transposition(input, axis0, axis1)


@method()
def transpose(input: Tensor, dim0: int, dim1: int) -> Tensor:
    """A view with two dimensions swapped.

    Raises:
        IndexError: a dim is out of range.
    """
    return input.moved(*_transposition(input, dim0, dim1))


@method()
def swapaxes(input: Tensor, axis0: int, axis1: int) -> Tensor:
    """Another name of `transpose`."""
    return transpose(input, axis0, axis1)


@method()
def swapdims(input: Tensor, dim0: int, dim1: int) -> Tensor:
    """Another name of `transpose`."""
    return transpose(input, dim0, dim1)


@method()
def permute(input: Tensor, *given: Sizes, dims: Sequence[int] | None = None) -> Tensor:
    """A view with the dimensions in the order ``dims``.

    Raises:
        RuntimeError: ``dims`` does not name every dimension once.
    """
    try:
        rank = len(tensor_argument(input, "permute")._sizes())
        order = integers("permute", given, dims)
        return input.moved(movement.permute, (tuple([normalize_axis(axis, rank, "permute") for axis in order]),))
    except FAILED:
        return cast(Tensor, answered_elsewhere(permute, (input, *given), {} if dims is None else {"dims": dims}))


def _matrix_transposition(input: Tensor) -> Move:
    rank = tensor_argument(input, "t").ndim
    if rank > 2:
        raise RuntimeError(f"t() expects a tensor with <= 2 dimensions, but self is {rank}D; use .mT for batches")
    return movement.permute, (tuple(reversed(range(rank))),)


@method()
def t(input: Tensor) -> Tensor:
    """The transpose of a matrix; vectors and numbers stay as they are.

    Raises:
        RuntimeError: more than two dimensions.
    """
    return input.moved(*_matrix_transposition(input))


def _all_reversed(input: Tensor) -> Tensor:
    """A view with the dimensions in reverse order."""
    return input.moved(movement.permute, (tuple(reversed(range(input.ndim))),))


def _matrices_transposed(input: Tensor) -> Tensor:
    """The last two dimensions swapped."""
    if input.ndim < 2:
        raise RuntimeError(
            f"tensor.mT is only supported on matrices or batches of matrices. Got {input.ndim}-D tensor."
        )
    return transpose(input, -2, -1)


_ATTRIBUTES = {"T": _all_reversed, "mT": _matrices_transposed}
for _name, _function in _ATTRIBUTES.items():
    setattr(Tensor, _name, property(_function))


@method()
def movedim(input: Tensor, source: int | Sequence[int], destination: int | Sequence[int]) -> Tensor:
    """A view with the dimensions ``source`` at the positions ``destination``, the others in their order.

    Raises:
        RuntimeError: a dim given twice, or different numbers of dims.
    """
    rank = tensor_argument(input, "movedim").ndim
    sources = [normalize_axis(axis, rank, "movedim") for axis in as_shape((source,))]
    places = [normalize_axis(axis, rank, "movedim") for axis in as_shape((destination,))]
    if len(sources) != len(places):
        raise RuntimeError(f"movedim: source {source} and destination {destination} must name equally many dims")
    for name, axes in (("source", sources), ("destination", places)):
        if len(set(axes)) != len(axes):
            raise RuntimeError(f"movedim: repeated dim in `{name}` ({axes})")
    moved = dict(zip(places, sources, strict=True))
    others = iter([axis for axis in range(rank) if axis not in sources])
    order = tuple([moved[place] if place in moved else next(others) for place in range(rank)])
    return input.moved(movement.permute, (order,))


@method()
def moveaxis(input: Tensor, source: int | Sequence[int], destination: int | Sequence[int]) -> Tensor:
    """Another name of `movedim`."""
    return movedim(input, source, destination)


transpose_ = inplace_move("transpose_", _transposition)
swapaxes_ = inplace_move("swapaxes_", _transposition_of_axes)
swapdims_ = inplace_move("swapdims_", _transposition)
t_ = inplace_move("t_", _matrix_transposition)
