"""Normalizations that also give the statistics they used: names by which PyTorch's own functions call each other."""

from __future__ import annotations

from collections.abc import Sequence

from lazygrad.ir.composites import normalization as composite
from lazygrad.ir.dtype import DType
from lazygrad.ir.node import Node
from lazygrad.ir.shape import Shape
from lazygrad.ops.arguments.out import accepts_out
from lazygrad.ops.arguments.reducing import reshaped, widened
from lazygrad.ops.creation.filled import zeros
from lazygrad.ops.layers.batch_normalization import batch_norm
from lazygrad.ops.layers.normalization import group_norm, layer_norm
from lazygrad.ops.pointwise.arithmetic import add
from lazygrad.ops.pointwise.elementary import rsqrt
from lazygrad.tensor import Tensor
from lazygrad.tensor_base import record_node

__all__ = ["native_batch_norm", "native_group_norm", "native_layer_norm"]

Normalized = tuple[Tensor, Tensor, Tensor]


def native_layer_norm(
    input: Tensor, normalized_shape: Sequence[int], weight: Tensor | None, bias: Tensor | None, eps: float
) -> Normalized:
    """`nn.functional.layer_norm`, with the mean and 1 / √(variance + eps), both without gradient.

    Args:
        input, normalized_shape, weight, bias, eps: see `nn.functional.layer_norm`.

    Returns:
        The result; the mean and the factor, whose normalized dimensions have size 1.

    Raises:
        RuntimeError: shapes or dtypes that do not fit together.
        NotImplementedError: integers or bools.
    """
    result = layer_norm(input, normalized_shape, weight, bias, eps)
    axes = tuple(range(input.ndim - len(normalized_shape), input.ndim))
    kept = tuple(1 if axis in axes else size for axis, size in enumerate(input.shape))
    return result, *_statistics(input.detach().node(), axes, kept, eps, _dtype_of(input, weight, bias))


def native_group_norm(
    input: Tensor, weight: Tensor | None, bias: Tensor | None, N: int, C: int, HxW: int, group: int, eps: float
) -> Normalized:
    """`nn.functional.group_norm`, with the mean and 1 / √(variance + eps).

    Args:
        input: N · C · HxW elements, floating.
        weight, bias: (C,).
        N, C, HxW: the sizes of the batch, of the channels, and of all other dimensions together.
        group: how many groups, which divides C.
        eps: added to the (biased) variance.

    Returns:
        The result, of the input's shape; the mean and the factor, (N, group).

    Raises:
        RuntimeError: sizes that do not fit together.
        ValueError: one value per group.
        NotImplementedError: integers or bools.
    """
    planes = Tensor.from_node(reshaped(input.node(), (N, C, HxW)))
    result = Tensor.from_node(reshaped(group_norm(planes, group, weight, bias, eps).node(), tuple(input.shape)))
    groups = reshaped(input.node(), (N, group, C // group * HxW))
    return result, *_statistics(groups, (2,), (N, group), eps, _dtype_of(input, weight, bias))


@accepts_out
def native_batch_norm(
    input: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    training: bool,
    momentum: float,
    eps: float,
) -> Normalized:
    """`nn.functional.batch_norm`, with the batch's mean and 1 / √(variance + eps), both without gradient.

    Args:
        input, weight, bias, running_mean, running_var, training, momentum, eps: see `nn.functional.batch_norm`.

    Returns:
        The result; in training the mean and the factor, (C,), else two tensors without elements.

    Raises:
        RuntimeError: no statistics in evaluation, or sizes and dtypes that do not fit together.
        ValueError: one value per channel in training, or only one of the running statistics.
        NotImplementedError: integers or bools.
    """
    result = batch_norm(input, running_mean, running_var, weight, bias, training, momentum, eps)
    dtype = _dtype_of(input, weight, bias, running_mean, running_var)
    if not training:
        nothing = zeros(0, dtype=dtype, device=input.device)
        return result, nothing, nothing.clone()
    axes, channels = (0, *range(2, input.ndim)), (input.shape[1],)
    return result, *_statistics(input.detach().node(), axes, channels, eps, dtype)


def _statistics(source: Node, axes: tuple[int, ...], shape: Shape, eps: float, dtype: DType) -> tuple[Tensor, Tensor]:
    """Mean and 1 / √(biased variance + eps) over axes; of 16-bit floats in float32, and then cast."""
    source = widened(source)
    average = Tensor.from_node(reshaped(record_node(composite.average, (source,), (axes,)), shape))
    variance = Tensor.from_node(reshaped(record_node(composite.variance, (source,), (axes, 0)), shape))
    return average.to(dtype), rsqrt(add(variance, eps)).to(dtype)


def _dtype_of(input: Tensor, *others: Tensor | None) -> DType:
    """That of what is beside the input, which may be wider than it."""
    return next((other.dtype for other in others if other is not None), input.dtype)
