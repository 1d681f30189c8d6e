"""Tensors filled with one number, in any order of dimensions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Unpack

from lazygrad.host.machine_memory import require_memory
from lazygrad.ir.device import CPU, Device
from lazygrad.ir.dtype import DType, Scalar, float32, float64, int64
from lazygrad.ir.memory_format import MemoryFormat, contiguous_format
from lazygrad.ir.node import TensorType, tensor_type
from lazygrad.ir.primitives import movement
from lazygrad.ir.primitives.leaf import canonical, constant, leaf_node
from lazygrad.ir.shape import Shape, numel
from lazygrad.ir.view import View
from lazygrad.ops.arguments.creation_options import TensorOptions, chosen, takes_options
from lazygrad.ops.arguments.kinds import Operand, Sizes
from lazygrad.ops.arguments.operands import as_scalar, assigned_node, common_dtype, get_default_dtype, scalar_node
from lazygrad.ops.arguments.options import shape_option
from lazygrad.ops.arguments.out import creates_out
from lazygrad.ops.shapes.layout import arranged
from lazygrad.size import as_shape
from lazygrad.tensor import Tensor
from lazygrad.tensor_base import record

__all__ = ["zeros", "ones", "empty", "full", "scalar_tensor", "empty_permuted"]


def filled(shape: Shape, value: Scalar, dtype: DType, device: Device) -> Tensor:
    """A pending tensor of one number.

    Raises:
        HostMemoryError: the machine could not hold it.
    """
    if device is CPU:
        require_memory(numel(shape) * dtype.itemsize)
    known = _KNOWN.get((type(value), value, dtype)) if shape and device is CPU else None
    if known is not None:
        return record(movement.expand, (leaf_node(constant, *known),), (shape,))
    # PyTorch lets a single element become an infinity of 16 bits, and refuses several.
    number = (assigned_node if numel(shape) == 1 else scalar_node)(value, dtype, device)
    return record(movement.expand, (number,), (shape,)) if shape else Tensor.from_node(number)


# What most tensors begin as: the number's node needs no look at the number.
_KNOWN: dict[tuple[Any, ...], tuple[tuple[Scalar], TensorType]] = {
    (int, value, dtype): ((canonical(value, dtype),), tensor_type((), dtype))
    for value in (0, 1)
    for dtype in (float32, float64, int64)
}


def filled_in_order(shape: Shape, axes: Sequence[int], value: Scalar, dtype: DType, device: Device) -> Tensor:
    """`filled`, with the dimensions in memory in the order ``axes``."""
    return arranged(filled(tuple([shape[axis] for axis in axes]), value, dtype, device), axes)


@creates_out
@takes_options(TensorOptions)
def zeros(*sizes: Sizes, size: Sizes | None = None, **options: Unpack[TensorOptions]) -> Tensor:
    """A tensor of zeros; the size as separate ints or one sequence."""
    shape, made = shape_option("zeros", sizes, size), chosen("zeros", options)
    return made.finished(filled(shape, 0, made.dtype, made.device))


@creates_out
@takes_options(TensorOptions)
def ones(*sizes: Sizes, size: Sizes | None = None, **options: Unpack[TensorOptions]) -> Tensor:
    """A tensor of ones; the size as separate ints or one sequence."""
    shape, made = shape_option("ones", sizes, size), chosen("ones", options)
    return made.finished(filled(shape, 1, made.dtype, made.device))


@creates_out
@takes_options(TensorOptions)
def empty(
    *sizes: Sizes,
    size: Sizes | None = None,
    memory_format: MemoryFormat | None = None,
    **options: Unpack[TensorOptions],
) -> Tensor:
    """A tensor whose values do not matter; they are zeros, which cost nothing until they are read.

    Args:
        sizes, size: as separate ints or one sequence.
        memory_format: the order of the dimensions in memory, row-major by default.
        options: see `TensorOptions`.
    """
    shape, made = shape_option("empty", sizes, size), chosen("empty", options)
    axes = (memory_format or contiguous_format).order(View.contiguous(shape))
    return made.finished(filled_in_order(shape, axes, 0, made.dtype, made.device))


@creates_out
@takes_options(TensorOptions)
def full(size: Sizes, fill_value: Operand, **options: Unpack[TensorOptions]) -> Tensor:
    """A tensor of one number; without ``dtype`` the number's own (bool, int64 or the default float).

    Raises:
        RuntimeError: the number does not fit into ``dtype``.
    """
    value = as_scalar(fill_value, "full")
    shape, made = shape_option("full", (size,), None), chosen("full", options, common_dtype(value))
    return made.finished(filled(shape, value, made.dtype, made.device))


@takes_options(TensorOptions)
def scalar_tensor(s: Operand, **options: Unpack[TensorOptions]) -> Tensor:
    """A 0-dim tensor of a number, in the default float dtype unless ``dtype`` says otherwise."""
    made = chosen("scalar_tensor", options, get_default_dtype())
    return made.finished(filled((), as_scalar(s, "scalar_tensor"), made.dtype, made.device))


@takes_options(TensorOptions)
def empty_permuted(size: Sizes, physical_layout: Sequence[int], **options: Unpack[TensorOptions]) -> Tensor:
    """An `empty` tensor whose dimensions lie in memory in a given order.

    Args:
        size: of the result.
        physical_layout: the dimensions from the outermost to the innermost.
        options: see `TensorOptions`.

    Raises:
        RuntimeError: ``physical_layout`` does not name every dimension once.
    """
    shape, axes = shape_option("empty_permuted", (size,), None), as_shape((physical_layout,))
    if sorted(axes) != list(range(len(shape))):
        raise RuntimeError(f"empty_permuted: physical_layout {axes} must name each of the {len(shape)} dimensions once")
    made = chosen("empty_permuted", options)
    return made.finished(filled_in_order(shape, axes, 0, made.dtype, made.device))
