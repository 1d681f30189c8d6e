"""Tensors made in the image of another: the ``*_like`` functions and the ``new_*`` methods."""

from __future__ import annotations

from typing import Any, Unpack

from lazygrad.ir.dtype import Scalar
from lazygrad.ir.memory_format import MemoryFormat, preserve_format
from lazygrad.ir.shape import Shape
from lazygrad.ops.arguments.creation_options import Chosen, LikeOptions, TensorOptions, chosen, takes_options
from lazygrad.ops.arguments.elsewhere import FAILED, answered_elsewhere, answers_elsewhere
from lazygrad.ops.arguments.kinds import Operand, Sizes
from lazygrad.ops.arguments.memory_strides import order_in_pytorch
from lazygrad.ops.arguments.operands import as_scalar, tensor_argument
from lazygrad.ops.arguments.options import shape_option
from lazygrad.ops.arguments.registering import method
from lazygrad.ops.creation.filled import filled, filled_in_order
from lazygrad.ops.creation.from_data import copied, tensor, warn_of_copied_tensor
from lazygrad.ops.shapes.layout import order_of
from lazygrad.tensor import Tensor

__all__ = ["zeros_like", "ones_like", "empty_like", "full_like"]


def like_options(
    name: str, input: Tensor, options: LikeOptions, to_draw: bool = False
) -> tuple[Chosen, tuple[int, ...]]:
    """The options of a ``*_like`` function, and the order of its result's dimensions in memory.

    Args:
        name, input, options: of the call.
        to_draw: whether random numbers will be drawn in that order, which then is PyTorch's.
    """
    memory_format: MemoryFormat = options.pop("memory_format", None) or preserve_format
    made = chosen(name, options, like=tensor_argument(input, name))
    if to_draw and memory_format is preserve_format:
        return made, order_in_pytorch(input)
    return made, order_of(input, memory_format)


def _filled_like(name: str, input: Tensor, value: Scalar, options: LikeOptions, to_draw: bool = False) -> Tensor:
    made, axes = like_options(name, input, options, to_draw)
    return made.finished(filled_in_order(tuple(input.shape), axes, value, made.dtype, made.device))


@takes_options(LikeOptions)
def zeros_like(input: Tensor, **options: Unpack[LikeOptions]) -> Tensor:
    """Zeros of ``input``'s shape, and its dtype, device and order in memory unless others are given."""
    try:
        return _filled_like("zeros_like", input, 0, options)
    except FAILED:
        return answered_elsewhere(zeros_like, (input,), {**options})


@answers_elsewhere
@takes_options(LikeOptions)
def ones_like(input: Tensor, **options: Unpack[LikeOptions]) -> Tensor:
    """Ones of ``input``'s shape, and its dtype, device and order in memory unless others are given."""
    return _filled_like("ones_like", input, 1, options)


@takes_options(LikeOptions)
def empty_like(input: Tensor, **options: Unpack[LikeOptions]) -> Tensor:
    """A tensor like ``input`` whose values do not matter."""
    try:
        return _filled_like("empty_like", input, 0, options, to_draw=True)
    except FAILED:
        return answered_elsewhere(empty_like, (input,), {**options})


@answers_elsewhere
@takes_options(LikeOptions)
def full_like(input: Tensor, fill_value: Operand, **options: Unpack[LikeOptions]) -> Tensor:
    """One number in ``input``'s shape, and its dtype, device and order in memory unless others are given."""
    return _filled_like("full_like", input, as_scalar(fill_value, "full_like"), options)


def _new(name: str, input: Tensor, shape: Shape, value: Scalar, options: TensorOptions) -> Tensor:
    made = chosen(name, options, like=input)
    return made.finished(filled(shape, value, made.dtype, made.device))


@method()
@takes_options(TensorOptions)
def new_zeros(input: Tensor, *sizes: Sizes, size: Sizes | None = None, **options: Unpack[TensorOptions]) -> Tensor:
    """Zeros of another size with ``input``'s dtype and device unless others are given."""
    return _new("new_zeros", input, shape_option("new_zeros", sizes, size), 0, options)


@method()
@takes_options(TensorOptions)
def new_ones(input: Tensor, *sizes: Sizes, size: Sizes | None = None, **options: Unpack[TensorOptions]) -> Tensor:
    """Ones of another size with ``input``'s dtype and device unless others are given."""
    return _new("new_ones", input, shape_option("new_ones", sizes, size), 1, options)


@method()
@takes_options(TensorOptions)
def new_empty(input: Tensor, *sizes: Sizes, size: Sizes | None = None, **options: Unpack[TensorOptions]) -> Tensor:
    """A tensor of another size, with ``input``'s dtype and device, whose values do not matter."""
    return _new("new_empty", input, shape_option("new_empty", sizes, size), 0, options)


@method()
@takes_options(TensorOptions)
def new_full(input: Tensor, size: Sizes, fill_value: Operand, **options: Unpack[TensorOptions]) -> Tensor:
    """One number in another size with ``input``'s dtype and device unless others are given."""
    value = as_scalar(fill_value, "new_full")
    return _new("new_full", input, shape_option("new_full", (size,), None), value, options)


@method()
@takes_options(TensorOptions)
def new_tensor(input: Tensor, data: Any, **options: Unpack[TensorOptions]) -> Tensor:
    """A copy of ``data`` with ``input``'s dtype and device unless others are given."""
    made = chosen("new_tensor", options, like=input)
    if isinstance(data, Tensor):
        warn_of_copied_tensor("tensor.new_tensor")
        return made.finished(copied(data.detach(), made.dtype, made.device))
    return made.finished(tensor(data, dtype=made.dtype, device=made.device))
