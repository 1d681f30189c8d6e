"""Copies of a tensor in which what a view names is replaced: the inverse of taking the view.

Gradients flow to the replacement, and to the tensor where it is not replaced.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from lazygrad.ops.arguments.operands import cast_node, tensor_argument
from lazygrad.ops.arguments.out import accepts_out
from lazygrad.ops.arguments.registering import method
from lazygrad.ops.shapes.parts import diagonal, select
from lazygrad.ops.shapes.strided import as_strided
from lazygrad.tensor import Tensor

__all__ = ["diagonal_scatter", "select_scatter", "slice_scatter", "as_strided_scatter"]


def _replaced(name: str, input: Tensor, src: Tensor, view: Callable[[Tensor], Tensor]) -> Tensor:
    copy = tensor_argument(input, name).clone()
    target = view(copy)
    source = tensor_argument(src, name, "src")
    if source.shape != target.shape:
        raise RuntimeError(f"{name}: expected src to have a size equal to the view of self: src size = "
                           f"{list(source.shape)}, view size = {list(target.shape)}")  # fmt: skip
    target.assign(cast_node(source.node(), input.dtype), name)
    return copy


@accepts_out
@method()
def diagonal_scatter(input: Tensor, src: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
    """``input`` with the `diagonal` of these arguments replaced by ``src``.

    Raises:
        RuntimeError: ``src`` has not the diagonal's shape; ``dim1`` and ``dim2`` are one dimension.
    """
    return _replaced("diagonal_scatter", input, src, lambda copy: diagonal(copy, offset, dim1, dim2))


@accepts_out
@method()
def select_scatter(input: Tensor, src: Tensor, dim: int, index: int) -> Tensor:
    """``input`` with one element of dimension ``dim`` replaced by ``src``.

    Raises:
        RuntimeError: ``src`` has another shape. IndexError: out of range.
    """
    return _replaced("select_scatter", input, src, lambda copy: select(copy, dim, index))


@accepts_out
@method()
def slice_scatter(
    input: Tensor, src: Tensor, dim: int = 0, start: int | None = None, end: int | None = None, step: int = 1
) -> Tensor:
    """``input`` with the elements start:end:step of dimension ``dim`` replaced by ``src``.

    Raises:
        RuntimeError: ``src`` has another shape, or the step is not positive. IndexError: ``dim`` out of range.
    """
    return _replaced("slice_scatter", input, src, lambda copy: slice_view(copy, dim, start, end, step))


def slice_view(input: Tensor, dim: int = 0, start: int | None = None, end: int | None = None, step: int = 1) -> Tensor:
    """A view of the elements start:end:step of one dimension.

    Raises:
        RuntimeError: a step that is not positive, or a 0-dim tensor. IndexError: ``dim`` out of range.
    """
    if input.ndim == 0:
        raise RuntimeError("slice() cannot be applied to a 0-dim tensor.")
    if step <= 0:
        raise RuntimeError("slice step must be positive")
    axis = dim + input.ndim if -input.ndim <= dim < 0 else dim
    if not 0 <= axis < input.ndim:
        raise IndexError(f"Dimension out of range (expected to be in range of [{-input.ndim}, {input.ndim - 1}], but "
                         f"got {dim})")  # fmt: skip
    view: Tensor = input[(slice(None),) * axis + (slice(start, end, step),)]
    return view


@accepts_out
@method()
def as_strided_scatter(
    input: Tensor, src: Tensor, size: Sequence[int], stride: Sequence[int], storage_offset: int | None = None
) -> Tensor:
    """``input`` with the elements that `as_strided` names replaced by ``src``.

    Raises:
        RuntimeError: ``src`` has another shape; the view reaches beyond the elements, or names some twice.
    """
    return _replaced("as_strided_scatter", input, src, lambda copy: as_strided(copy, size, stride, storage_offset))
