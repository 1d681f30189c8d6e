"""Tensors that are given other sizes, or other memory, in place."""

from __future__ import annotations

from collections.abc import Sequence

from lazygrad.ir.memory_format import MemoryFormat
from lazygrad.ir.shape import Shape, numel
from lazygrad.ir.view import View
from lazygrad.ops.arguments.kinds import Sizes
from lazygrad.ops.arguments.operands import tensor_argument
from lazygrad.ops.arguments.registering import method
from lazygrad.ops.creation.filled import empty
from lazygrad.ops.objects.storages import TypedStorage, UntypedStorage
from lazygrad.ops.shapes.joining import cat
from lazygrad.ops.shapes.layout import integers
from lazygrad.ops.shapes.reshaping import reshape
from lazygrad.ops.shapes.strided import as_strided
from lazygrad.tensor import Tensor


@method()
def resize_(
    input: Tensor, *sizes: Sizes, size: Sequence[int] | None = None, memory_format: MemoryFormat | None = None
) -> Tensor:
    """Give the tensor another shape over the memory it has, row-major from its offset on.

    Where that memory is too small the tensor moves to a larger one, which starts with its elements; the rest is
    uninitialised. Tensors that shared the old memory keep it.

    Raises:
        RuntimeError: the tensor requires grad, or a negative size.
    """
    shape = integers("resize_", sizes, size)
    if input.requires_grad:
        raise RuntimeError("cannot resize variables that require grad")
    if any(size < 0 for size in shape):
        raise RuntimeError(f"resize_: trying to resize to the negative size {list(shape)}")
    if shape == tuple(input.shape):
        return input
    view = input.view_of_storage()
    whole = input._storage.value.type
    memory = numel(whole.shape) * whole.dtype.itemsize // input.dtype.itemsize
    if view.offset + numel(shape) <= memory:
        return _look_at(input, as_strided(input, shape, View.contiguous(shape).strides, view.offset))
    return _look_at(input, _enlarged(input, view.offset, memory, shape))


def _enlarged(input: Tensor, offset: int, memory: int, shape: Shape) -> Tensor:
    kept = as_strided(input.detach(), (memory - offset,), (1,), offset)
    rest = empty(numel(shape) - (memory - offset), dtype=input.dtype, device=input.device)
    return reshape(cat([kept, rest]), shape)


@method()
def resize_as_(input: Tensor, the_template: Tensor, *, memory_format: MemoryFormat | None = None) -> Tensor:
    """`resize_` to another tensor's shape."""
    return resize_(input, tuple(tensor_argument(the_template, "resize_as_", "the_template").shape))


@method()
def set_(
    input: Tensor,
    source: Tensor | UntypedStorage | TypedStorage | None = None,
    storage_offset: int = 0,
    size: Sequence[int] | None = None,
    stride: Sequence[int] | None = None,
) -> Tensor:
    """Share ``source``'s memory from now on; without a source, hold no elements.

    Args:
        source: of the same dtype and device; or a storage.
        storage_offset, size, stride: which elements of its memory; by default those that ``source`` names.

    Raises:
        RuntimeError: another dtype or device; elements outside the memory.
    """
    if source is None:
        return _look_at(input, empty(0, dtype=input.dtype, device=input.device))
    if not isinstance(source, Tensor):
        source = source.as_tensor(input.dtype)
        size = tuple(source.shape) if size is None else size
    if source.dtype is not input.dtype or source.device is not input.device:
        raise RuntimeError(
            f"set_: could not set a {input.dtype.name} tensor on {input.device} to memory of {source.dtype.name} on "
            f"{source.device}; make the source with .to() first"
        )
    if size is not None:
        steps = View.contiguous(tuple(size)).strides if stride is None else stride
        source = as_strided(source, size, steps, storage_offset)
    return _look_at(input, source)


def _look_at(input: Tensor, other: Tensor) -> Tensor:
    """Make ``input`` name the elements that ``other`` names."""
    input._base = None
    input.relay(other._storage, other._chain)
    input._storage.version += 1
    return input
