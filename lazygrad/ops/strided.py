"""Views given by strides over a tensor's whole memory."""

from __future__ import annotations

from collections.abc import Sequence

from lazygrad.ir.primitives import movement
from lazygrad.ir.shape import Shape
from lazygrad.ops.operands import tensor_argument
from lazygrad.ops.parts import between
from lazygrad.ops.registering import method
from lazygrad.ops.shaping import expand, reinterpreted, reshape, unsqueeze
from lazygrad.tensor import Tensor, as_shape

__all__ = ["as_strided"]


@method()
def as_strided(input: Tensor, size: Sequence[int], stride: Sequence[int], storage_offset: int | None = None) -> Tensor:
    """A view of the storage: element (i, j, …) lies at ``storage_offset + i·stride[0] + j·stride[1] + …``.

    Args:
        storage_offset: by default the tensor's own.

    Raises:
        RuntimeError: not as many strides as sizes, negative ones, or an element outside the storage.
    """
    offset = tensor_argument(input, "as_strided").view_of_storage().offset if storage_offset is None else storage_offset
    sizes, strides = as_shape((size,)), as_shape((stride,))
    if len(sizes) != len(strides) or min((*sizes, *strides, offset), default=0) < 0:
        raise RuntimeError(f"as_strided: expected as many non-negative strides as sizes, but got size {sizes}, stride "
                           f"{strides} and storage_offset {offset}")  # fmt: skip
    memory = _memory(input)
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


def _memory(input: Tensor) -> Tensor:
    """The whole storage of ``input`` as a vector."""
    whole = input.alias(detached=input._detached)
    whole._chain = ()
    if whole._base is None:
        whole._base = input
    memory = reshape(whole, -1)
    return memory if memory.dtype is input.dtype else reinterpreted(memory, input.dtype)


def _reach(sizes: Shape, strides: Shape) -> int:
    """How many neighbouring elements of memory a view spans."""
    return 1 + sum((size - 1) * stride for size, stride in zip(sizes, strides, strict=True))


def _with_dimension(view: Tensor, axis: int, size: int, stride: int, reach: int) -> Tensor:
    """The last dimension of ``view``, which is memory, as ``size`` pieces of ``reach`` elements, ``stride`` apart."""
    if stride == 0:
        piece = unsqueeze(between(view, axis, 0, reach), axis)
        return expand(piece, (*piece.shape[:axis], size, reach))
    return between(view.moved(movement.windows, ((reach,), (stride,), (1,))), axis, 0, size)
