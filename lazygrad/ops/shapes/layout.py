"""What a tensor says about its shape and its place in memory, and copies of it."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any, cast, overload

from lazygrad.grad_mode import is_grad_enabled
from lazygrad.ir.device import CPU, Device
from lazygrad.ir.dtype import DType
from lazygrad.ir.memory_format import MemoryFormat, contiguous_format, memory_order, preserve_format
from lazygrad.ir.op import Op
from lazygrad.ir.primitives import elementwise as ew
from lazygrad.ir.primitives import movement
from lazygrad.ir.primitives.transfer import copy as copy_between
from lazygrad.ir.shape import Shape, normalize_axis
from lazygrad.ir.shape import numel as count_of
from lazygrad.ops.arguments.elsewhere import FAILED, answered_elsewhere, answers_elsewhere
from lazygrad.ops.arguments.memory_strides import is_row_major_in_pytorch
from lazygrad.ops.arguments.operands import cast_node, tensor_argument, warn_of_imaginary_part
from lazygrad.ops.arguments.registering import method
from lazygrad.size import Size, as_shape
from lazygrad.tensor import Tensor
from lazygrad.tensor_base import record, record_node

__all__ = ["numel", "is_floating_point", "clone", "detach", "detach_"]

Move = tuple[Op, tuple[Any, ...]]


@overload
def size(input: Tensor, dim: None = None) -> Size: ...
@overload
def size(input: Tensor, dim: int) -> int: ...
@overload
def size(input: Tensor, *, axis: int) -> int: ...
@method()
def size(input: Tensor, dim: int | None = None, *, axis: int | None = None) -> Any:
    """The shape, or the size of one dimension, by either name.

    Raises:
        IndexError: ``dim`` is out of range.
    """
    if dim is None:
        if axis is None:
            return input.shape
        dim = axis
    shape = input._sizes()
    return shape[normalize_axis(dim, len(shape), "size")] if shape else _of_zero_dim(dim)


def _of_zero_dim(dim: int) -> int:
    raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")


@method("ndimension")
def dim(input: Tensor) -> int:
    """The number of dimensions."""
    return input.ndim


@answers_elsewhere
@method("nelement")
def numel(input: Tensor) -> int:
    """The number of elements."""
    return count_of(tensor_argument(input, "numel")._sizes())


@method()
def element_size(input: Tensor) -> int:
    """Bytes per element."""
    return input.dtype.itemsize


@method()
def is_floating_point(input: Tensor) -> bool:
    """Whether the dtype is a floating one."""
    return tensor_argument(input, "is_floating_point").dtype.is_floating_point


def _nbytes(input: Tensor) -> int:
    """Bytes of all elements."""
    return numel(input) * input.dtype.itemsize


for _name, _attribute in {"itemsize": element_size, "nbytes": _nbytes}.items():
    setattr(Tensor, _name, property(_attribute))


@method("__len__")
def _length(input: Tensor) -> int:
    """The size of the first dimension.

    Raises:
        TypeError: a 0-dim tensor.
    """
    shape = input.shape
    if not shape:
        raise TypeError("len() of a 0-d tensor")
    return shape[0]


# Memory.


@overload
def stride(input: Tensor, dim: None = None) -> tuple[int, ...]: ...
@overload
def stride(input: Tensor, dim: int) -> int: ...
@overload
def stride(input: Tensor, *, axis: int) -> int: ...
@method()
def stride(input: Tensor, dim: int | None = None, *, axis: int | None = None) -> Any:
    """How many elements of memory lie between neighbours, per dimension or along one, by either name.

    Raises:
        IndexError: ``dim`` is out of range.
    """
    strides = input.view_of_storage().strides
    if dim is None:
        if axis is None:
            return strides
        dim = axis
    return strides[normalize_axis(dim, len(strides), "stride")] if strides else _of_zero_dim(dim)


@method()
def storage_offset(input: Tensor) -> int:
    """Where the first element lies in the storage, counted in elements."""
    return input.view_of_storage().offset


@method()
def data_ptr(input: Tensor) -> int:
    """The address of the first element; computes the tensor. 0 for an empty tensor.

    On the CPU it stays from now on; elsewhere it is that of the present contents, which the next write may move.
    """
    if not numel(input):
        return 0
    return _address_of_storage(input) + input.view_of_storage().offset * input.dtype.itemsize


def _address_of_storage(input: Tensor) -> int:
    """Where the first byte of the whole lies, as the device counts. A conjugate lies where its numbers do."""
    whole = Tensor.from_storage(input._storage, (), detached=True)
    if input.device is CPU or not input.device.computes:
        return int(whole.exposed_array(fixed=True).ctypes.data)
    whole.realize()
    return int(whole._storage.value.value.address)


@method()
def is_contiguous(input: Tensor, *, memory_format: MemoryFormat = contiguous_format) -> bool:
    """Whether the elements lie in memory without gaps, row-major or in the order of ``memory_format``."""
    return _format(memory_format, "is_contiguous").describes(input.view_of_storage())


@method()
def contiguous(input: Tensor, *, memory_format: MemoryFormat = contiguous_format) -> Tensor:
    """The tensor itself where `is_contiguous` holds, otherwise a copy in that order.

    Raises:
        RuntimeError: `preserve_format`, or a format for another number of dimensions.
    """
    if _format(memory_format, "contiguous") is preserve_format:
        raise RuntimeError("contiguous: preserve_format is not an order of dimensions")
    if memory_format is contiguous_format:
        is_row_major = input.view_of_storage().is_contiguous
        if is_row_major and is_row_major_in_pytorch(input):
            return input
        return record(ew.contiguous, (input.node(),))
    axes = memory_format.order(input.view_of_storage())
    return input if memory_format.describes(input.view_of_storage()) else copy_in_order(input, axes)


@method()
def clone(input: Tensor, *, memory_format: MemoryFormat | None = None) -> Tensor:
    """A copy with memory of its own, through which gradients flow.

    Args:
        input: any tensor.
        memory_format: the order of the dimensions in memory; by default that of ``input``.
    """
    try:
        return copy_in_order(
            tensor_argument(input, "clone"), order_of(input, _format(memory_format or preserve_format, "clone"))
        )
    except FAILED:
        return cast(
            Tensor,
            answered_elsewhere(clone, (input,), {} if memory_format is None else {"memory_format": memory_format}),
        )


def order_of(input: Tensor, memory_format: MemoryFormat) -> tuple[int, ...]:
    """The order of dimensions in memory that ``memory_format`` gives a tensor like ``input``."""
    if memory_format is preserve_format and not input._chain:
        return tuple(range(input.ndim))
    return memory_format.order(input.view_of_storage())


@method()
def dim_order(input: Tensor) -> tuple[int, ...]:
    """The dimensions in their order in memory, the outermost first."""
    return memory_order(input.view_of_storage())


def detach(input: Tensor) -> Tensor:
    """The same data, cut off from gradients."""
    return tensor_argument(input, "detach").detach()


def detach_(input: Tensor) -> Tensor:
    """Cut a tensor off from the graph that made it; returns it."""
    return tensor_argument(input, "detach_").detach_()


def _format(memory_format: Any, name: str) -> MemoryFormat:
    if not isinstance(memory_format, MemoryFormat):
        found = type(memory_format).__name__
        raise TypeError(f"{name}(): argument 'memory_format' must be lazygrad.memory_format, not {found}")
    return memory_format


# A tensor under another layout.


def inverse_permutation(axes: Sequence[int]) -> tuple[int, ...]:
    """The permutation that undoes ``axes``."""
    return tuple(sorted(range(len(axes)), key=axes.__getitem__))


def relayout(tensor: Tensor, op: Op, attrs: tuple[Any, ...]) -> Tensor:
    """Make ``tensor`` itself, not a view of it, name its elements through one more movement op."""
    tensor.relay(tensor._storage, (*tensor._chain, (op, attrs)))
    return tensor


def arranged(tensor: Tensor, axes: Sequence[int]) -> Tensor:
    """A new tensor whose dimensions are in the order ``axes`` as one that lies like this in memory."""
    if tuple(axes) == tuple(range(len(axes))):
        return tensor
    return relayout(tensor, movement.permute, (inverse_permutation(axes),))


def copy_in_order(
    input: Tensor, axes: tuple[int, ...], dtype: DType | None = None, device: Device | None = None
) -> Tensor:
    """A copy, cast to ``dtype``, with the dimensions in memory in the order ``axes``; gradients flow through it.

    Raises:
        NotImplementedError: the copy is to be on another device, and ``input`` on one without values.
    """
    node, dtype, device = input.node(), dtype or input.dtype, device or input.device
    if axes != tuple(range(len(axes))):
        node = record_node(movement.permute, (node,), (axes,))
    if device is node.device:
        if dtype.is_float8 or node.dtype.is_float8:
            return arranged(Tensor.from_node(cast_node(record_node(ew.clone, (node,)), dtype)), axes)
        warn_of_imaginary_part(node.dtype, dtype)
        op, attrs = (ew.clone, ()) if dtype is node.dtype else (ew.cast, (dtype.name,))
        return arranged(record(op, (node,), attrs), axes)
    if dtype.itemsize < node.dtype.itemsize:  # the fewer bytes go over
        node = cast_node(node, dtype)
    node = cast_node(record_node(copy_between, (node,), (str(device),)), dtype)
    return arranged(Tensor.from_node(node), axes)


def inplace_move(name: str, move: Callable[..., Move]) -> Callable[..., Tensor]:
    """A method called ``name`` that changes the shape of the tensor itself; its memory stays.

    Args:
        name: ends with an underscore.
        move: the movement, given the tensor and the method's arguments.
    """
    view = name.rstrip("_")

    @functools.wraps(move)
    def function(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        op, attrs = move(self, *args, **kwargs)
        if self.is_leaf and self.requires_grad and is_grad_enabled():
            raise RuntimeError(
                f"{name}: a leaf Variable that requires grad is being used in an in-place operation. "
                f"Use {view}(), which gives a view"
            )
        self._storage.version += 1
        return relayout(self, op, attrs)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"In-place version of `{view}`. RuntimeError for a leaf that requires gradients."
    function.__signature__ = inspect.signature(move).replace(return_annotation="Tensor")  # type: ignore[attr-defined]
    return method()(function)


def integers(name: str, given: tuple[Any, ...], keyword: Any) -> Shape:
    """Sizes or dims passed to function ``name`` as separate ints, as one sequence, or by keyword.

    Raises:
        TypeError: given twice, or not integers.
    """
    if keyword is not None and given:
        raise TypeError(f"{name}(): pass the sizes or dims either by position or by keyword, not both")
    return as_shape(given if keyword is None else (keyword,))
