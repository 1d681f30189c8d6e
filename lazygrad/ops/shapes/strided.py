"""Tensors and views given by strides over a whole memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Unpack

from lazygrad.grad_mode import is_grad_enabled
from lazygrad.ir.primitives import movement
from lazygrad.ir.shape import Shape
from lazygrad.ops.arguments.creation_options import Chosen, TensorOptions, chosen, takes_options
from lazygrad.ops.arguments.operands import tensor_argument
from lazygrad.ops.arguments.registering import method
from lazygrad.ops.creation.filled import filled
from lazygrad.ops.pointwise.complex_numbers import conj, is_conj, is_neg
from lazygrad.ops.shapes.parts import between
from lazygrad.ops.shapes.reshaping import expand, reinterpreted, reshape, unsqueeze
from lazygrad.size import as_shape
from lazygrad.tensor import Tensor

__all__ = ["as_strided", "empty_strided"]


@method()
def as_strided(input: Tensor, size: Sequence[int], stride: Sequence[int], storage_offset: int | None = None) -> Tensor:
    """A view of the storage: element (i, j, …) lies at ``storage_offset + i·stride[0] + j·stride[1] + …``.

    Args:
        storage_offset: by default the tensor's own.

    Raises:
        RuntimeError: not as many strides as sizes, negative ones, or an element outside the storage.
    """
    offset = tensor_argument(input, "as_strided").view_of_storage().offset if storage_offset is None else storage_offset
    sizes, strides = _checked("as_strided", size, stride)
    if offset < 0:
        raise RuntimeError(f"as_strided: the storage_offset must not be negative, but is {offset}")
    memory = memory_of(input)
    length = memory.shape[0]
    if 0 in sizes:
        return reshape(between(memory, 0, 0, 0), sizes)
    reach = _reach(sizes, strides)
    if offset + reach > length:
        raise RuntimeError(f"as_strided: size {sizes}, stride {strides} and storage_offset {offset} reach beyond the "
                           f"{length} elements of the storage")  # fmt: skip
    view = between(memory, 0, offset, offset + reach)
    for axis in range(len(sizes)):
        view = _with_dimension(view, axis, sizes[axis], strides[axis], _reach(sizes[axis + 1 :], strides[axis + 1 :]))
    return view.moved(movement.reshape, (sizes,))


@method()
def as_strided_(input: Tensor, size: Sequence[int], stride: Sequence[int], storage_offset: int | None = None) -> Tensor:
    """`as_strided` of the tensor itself. RuntimeError for a leaf that requires gradients."""
    if input.is_leaf and input.requires_grad and is_grad_enabled():
        raise RuntimeError("as_strided_: a leaf Variable that requires grad is being used in an in-place operation. "
                           "Use as_strided(), which gives a view")  # fmt: skip
    input.relay(input._storage, as_strided(input, size, stride, storage_offset)._chain)
    input._storage.version += 1
    return input


def _checked(name: str, size: Sequence[int], stride: Sequence[int]) -> tuple[Shape, Shape]:
    sizes, strides = as_shape((size,)), as_shape((stride,))
    if len(sizes) != len(strides) or min((*sizes, *strides), default=0) < 0:
        raise RuntimeError(f"{name}: expected as many non-negative strides as sizes, but got size {sizes} and stride "
                           f"{strides}")  # fmt: skip
    return sizes, strides


def memory_of(input: Tensor) -> Tensor:
    """The whole storage of ``input`` as a vector; of a conjugate view, its conjugate."""
    whole = input.alias(detached=input._detached)
    whole.relay(input._storage, ())
    if whole._base is None:
        whole._base = input
    memory = reshape(whole, -1)
    if memory.dtype is not input.dtype:
        memory = reinterpreted(memory, input.dtype)
    if is_neg(input):
        raise RuntimeError("as_strided: the memory of a negative view, the imaginary part of a conjugate, holds other "
                           "numbers; use x.resolve_neg() first")  # fmt: skip
    return conj(memory) if is_conj(input) else memory


def _reach(sizes: Shape, strides: Shape) -> int:
    """How many neighbouring elements of memory a view spans."""
    return 1 + sum((size - 1) * stride for size, stride in zip(sizes, strides, strict=True))


def _with_dimension(view: Tensor, axis: int, size: int, stride: int, reach: int) -> Tensor:
    """The last dimension of ``view``, which is memory, as ``size`` pieces of ``reach`` elements, ``stride`` apart."""
    if stride == 0:
        piece = unsqueeze(between(view, axis, 0, reach), axis)
        return expand(piece, (*piece.shape[:axis], size, reach))
    return between(view.moved(movement.windows, ((reach,), (stride,), (1,))), axis, 0, size)


# New tensors.


@takes_options(TensorOptions)
def empty_strided(size: Sequence[int], stride: Sequence[int], **options: Unpack[TensorOptions]) -> Tensor:
    """A tensor whose values do not matter, with memory of its own from the first to the last of its elements.

    Raises:
        RuntimeError: not as many strides as sizes, or negative ones.
    """
    return _strided("empty_strided", size, stride, chosen("empty_strided", options))


@method()
@takes_options(TensorOptions)
def new_empty_strided(
    input: Tensor, size: Sequence[int], stride: Sequence[int], **options: Unpack[TensorOptions]
) -> Tensor:
    """`empty_strided` with ``input``'s dtype and device unless others are given."""
    return _strided("new_empty_strided", size, stride, chosen("new_empty_strided", options, like=input))


def _strided(name: str, size: Any, stride: Any, made: Chosen) -> Tensor:
    sizes, strides = _checked(name, size, stride)
    length = 0 if 0 in sizes else _reach(sizes, strides)
    view = as_strided(filled((length,), 0, made.dtype, made.device), sizes, strides)
    return made.finished(Tensor.from_storage(view._storage, view._chain))
