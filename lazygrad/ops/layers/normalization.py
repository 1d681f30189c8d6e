"""Normalization by statistics of the input itself, and of vectors by their length.

Statistics of 16-bit floats are taken in float32. Batch normalization, which also keeps running statistics, stands in
`lazygrad.ops.layers.batch_normalization`.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import index

from lazygrad.ir.composites import normalization as composite
from lazygrad.ir.node import Node
from lazygrad.ir.shape import Shape, numel
from lazygrad.ops.arguments.dtypes import finfo
from lazygrad.ops.arguments.operands import tensor_argument
from lazygrad.ops.arguments.out import accepts_out
from lazygrad.ops.arguments.reducing import reshaped
from lazygrad.ops.arguments.tracing import traced
from lazygrad.ops.layers.pooling import avg_pool2d
from lazygrad.ops.layers.smooth_activations import float_argument
from lazygrad.ops.pointwise.arithmetic import add, mul
from lazygrad.ops.pointwise.division import div
from lazygrad.ops.pointwise.powers import pow
from lazygrad.ops.pointwise.selection import clamp_min
from lazygrad.ops.reductions.norm import norm
from lazygrad.ops.shapes.padding import pad
from lazygrad.size import Size
from lazygrad.tensor import Tensor
from lazygrad.tensor_base import record, record_node

__all__ = ["layer_norm", "rms_norm", "group_norm"]


def _normalized_axes(name: str, input: Tensor, normalized_shape: Sequence[int]) -> tuple[int, ...]:
    """The trailing axes that ``normalized_shape`` stands for.

    Raises:
        TypeError: not a sequence.
        RuntimeError: an empty one, or one that the input's shape does not end with.
    """
    if not isinstance(normalized_shape, Sequence):
        raise TypeError(f"{name}(): argument 'normalized_shape' must be a tuple of ints, not "
                        f"{type(normalized_shape).__name__}")  # fmt: skip
    wanted, shape = tuple(normalized_shape), tuple(input.shape)
    if not wanted:
        raise RuntimeError(f"{name}: Expected normalized_shape to be at least 1-dimensional, i.e., containing at least "
                           f"one element, but got normalized_shape = []")  # fmt: skip
    if shape[len(shape) - len(wanted) :] != wanted or len(wanted) > len(shape):
        raise RuntimeError(f"{name}: Given normalized_shape={list(wanted)}, expected input with shape "
                           f"[*, {', '.join(map(str, wanted))}], but got input of size{list(shape)}")  # fmt: skip
    return tuple(range(len(shape) - len(wanted), len(shape)))


def _affine_nodes(name: str, expected: Shape, **operands: Tensor | None) -> list[Node]:
    """The weight and bias that are there.

    Raises:
        RuntimeError: one of another shape than ``expected``.
    """
    nodes = []
    for role, operand in operands.items():
        if operand is not None:
            node = tensor_argument(operand, name, role).node()
            if node.type.shape != expected:
                raise RuntimeError(f"{name}: Expected {role} to be of shape {list(expected)}, but got {role} of shape "
                                   f"{list(node.type.shape)}")  # fmt: skip
            nodes.append(node)
    return nodes


@traced
def layer_norm(
    input: Tensor,
    normalized_shape: Sequence[int],
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
) -> Tensor:
    """(x − mean) / √(var + eps) · weight + bias over the trailing dimensions. Source: Ba, Kiros and Hinton, 2016.

    Args:
        input: (…, *normalized_shape), floating.
        normalized_shape: the sizes of the dimensions normalized together.
        weight, bias: normalized_shape; the input's dtype, or float32 beside a 16-bit input.
        eps: added to the (biased) variance.

    Raises:
        RuntimeError: shapes or dtypes that do not fit together.
        NotImplementedError: integers or bools.
    """
    axes = _normalized_axes("layer_norm", float_argument(input, "layer_norm"), normalized_shape)
    operands = _affine_nodes("layer_norm", tuple(normalized_shape), weight=weight, bias=bias)
    attrs = (axes, float(eps), weight is not None, bias is not None)
    return record(composite.layer_norm, (input.node(), *operands), attrs)


@traced
def rms_norm(
    input: Tensor, normalized_shape: Sequence[int], weight: Tensor | None = None, eps: float | None = None
) -> Tensor:
    """x / √(mean(x²) + eps) · weight over the trailing dimensions. Source: Zhang and Sennrich, 2019.

    Args:
        input: (…, *normalized_shape), floating.
        normalized_shape: the sizes of the dimensions normalized together.
        weight: normalized_shape; the input's dtype, or float32 beside a 16-bit input.
        eps: added to the mean; None for the distance from 1 to the next number of the input's dtype.

    Raises:
        RuntimeError: shapes or dtypes that do not fit together.
        NotImplementedError: integers or bools.
    """
    axes = _normalized_axes("rms_norm", float_argument(input, "rms_norm"), normalized_shape)
    operands = _affine_nodes("rms_norm", tuple(normalized_shape), weight=weight)
    added = finfo(input.dtype).eps if eps is None else float(eps)
    return record(composite.rms_norm, (input.node(), *operands), (axes, added, weight is not None))


@traced
def group_norm(
    input: Tensor, num_groups: int, weight: Tensor | None = None, bias: Tensor | None = None, eps: float = 1e-5
) -> Tensor:
    """Every group of channels normalized to mean 0 and variance 1, then scaled per channel. Source: Wu and He, 2018.

    Args:
        input: (N, C, …), floating.
        num_groups: divides C.
        weight, bias: (C,).
        eps: added to the (biased) variance.

    Raises:
        RuntimeError: fewer than 2 dimensions, or sizes that do not fit together.
        ValueError: one value per group.
        NotImplementedError: integers or bools.
    """
    shape = tuple(float_argument(input, "group_norm").shape)
    if len(shape) < 2:
        raise RuntimeError(f"group_norm: Expected at least 2 dimensions for input tensor but received {len(shape)}")
    count, channels = shape[:2]
    num_groups = index(num_groups)
    if num_groups <= 0 or channels % num_groups:
        raise RuntimeError(f"group_norm: Expected number of channels in input to be divisible by num_groups, but got "
                           f"input of shape {list(shape)} and num_groups={num_groups}")  # fmt: skip
    if count * channels // num_groups * numel(shape[2:]) == 1:
        raise ValueError(f"Expected more than 1 value per channel when training, got input size {Size(shape)}")
    grouped = (num_groups, channels // num_groups)
    operands = [reshaped(node, (*grouped, 1))
                for node in _affine_nodes("group_norm", (channels,), weight=weight, bias=bias)]  # fmt: skip
    source = reshaped(input.node(), (count, *grouped, numel(shape[2:])))
    attrs = ((2, 3), float(eps), weight is not None, bias is not None)
    return Tensor.from_node(reshaped(record_node(composite.layer_norm, (source, *operands), attrs), shape))


@traced
def local_response_norm(input: Tensor, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0) -> Tensor:
    """x / (k + alpha · mean of x² over ``size`` neighbouring channels)^beta. Source: Krizhevsky et al., 2012.

    Args:
        input: (N, C, …), floating or int64, with at least 3 dimensions.
        size: how many channels a mean is taken over; channels beyond the ends count as 0.

    Raises:
        ValueError: fewer than 3 dimensions.
    """
    shape = tuple(tensor_argument(input, "local_response_norm").shape)
    if len(shape) < 3:
        raise ValueError(f"local_response_norm: Expected 3D or higher dimensionality input (got {len(shape)}D)")
    if 0 in shape:
        return input
    planes = Tensor.from_node(reshaped(input.node(), (shape[0], 1, shape[1], numel(shape[2:]))))
    surrounded = pad(mul(planes, planes), (0, 0, size // 2, (size - 1) // 2))
    means = Tensor.from_node(reshaped(avg_pool2d(surrounded, (size, 1), stride=1).node(), shape))
    return div(input, pow(add(mul(means, alpha), k), beta))


@accepts_out
@traced
def normalize(input: Tensor, p: float = 2.0, dim: int = 1, eps: float = 1e-12) -> Tensor:
    """x / max(‖x‖ₚ, eps) along ``dim``.

    Raises:
        RuntimeError: integers or bools.
        IndexError: ``dim`` out of range.
    """
    return div(input, clamp_min(norm(input, p, dim, keepdim=True), eps))
