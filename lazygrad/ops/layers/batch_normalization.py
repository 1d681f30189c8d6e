"""Normalization per channel: by the batch's statistics in training, by running ones in evaluation."""

from __future__ import annotations

from lazygrad.grad_mode import no_grad
from lazygrad.ir.composites import normalization as composite
from lazygrad.ir.node import Node
from lazygrad.ir.shape import Shape, numel
from lazygrad.ops.arguments.operands import cast_node, tensor_argument
from lazygrad.ops.arguments.reducing import extent, reshaped
from lazygrad.ops.arguments.registering import write
from lazygrad.ops.arguments.tracing import traced
from lazygrad.ops.creation.filled import zeros
from lazygrad.ops.layers.smooth_activations import float_argument
from lazygrad.ops.pointwise.arithmetic import add, mul
from lazygrad.ops.reductions.sums import mean
from lazygrad.size import Size
from lazygrad.tensor import Tensor
from lazygrad.tensor_base import record_node

Axes = tuple[int, ...]


def _check_channels(name: str, channels: int, **operands: Tensor | None) -> None:
    """Raises RuntimeError for an operand that does not have one element per channel."""
    for role, operand in operands.items():
        if operand is not None and numel(tuple(tensor_argument(operand, name, role).shape)) != channels:
            raise RuntimeError(f"{name}: {role} should contain {channels} elements not {numel(tuple(operand.shape))}")


def _check_running(name: str, running_mean: Tensor | None, running_var: Tensor | None) -> None:
    if (running_mean is None) is not (running_var is None):
        raise ValueError(f"{name}: running_mean and running_var must either both be None or neither be None")
    for statistic in (running_mean, running_var):
        if statistic is not None and statistic.requires_grad:
            raise RuntimeError(f"{name} is not differentiable with respect to its running statistics. They cannot have "
                               f"requires_grad True; pass them detached")  # fmt: skip


def _statistics(source: Node, axes: Axes) -> tuple[Node, Node]:
    """Mean and biased variance over ``axes``, which they keep, in float64."""
    average = record_node(composite.average, (source,), (axes,))
    return average, record_node(composite.variance, (source,), (axes, 0))


def _no_statistics(source: Node, along: Shape) -> tuple[Node, Node]:
    nothing = zeros(along, dtype=source.type.dtype, device=source.type.device).node()
    return nothing, nothing


def _apply(source: Node, average: Node, variance: Node, weight: Tensor | None, bias: Tensor | None,
           along: Shape, eps: float) -> Tensor:  # fmt: skip
    """(x − average) / √(variance + eps) · weight + bias, all but x reshaped to ``along``."""
    operands = [reshaped(operand.node(), along) for operand in (weight, bias) if operand is not None]
    attrs = (float(eps), weight is not None, bias is not None)
    inputs = (source, reshaped(average, along), reshaped(variance, along), *operands)
    return Tensor.from_node(record_node(composite.batch_norm, inputs, attrs))


@traced
def _in_training(
    input: Tensor,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    weight: Tensor | None,
    bias: Tensor | None,
    momentum: float,
    eps: float,
) -> tuple[Tensor | None, ...]:
    """The input normalized by its own statistics, and the running ones moved towards them, or None without any."""
    source, axes, along = _source(input, running_mean, running_var, weight, bias)
    count = extent(source.type.shape, axes)
    if count == 1:
        raise ValueError(f"Expected more than 1 value per channel when training, got input size {input.shape}")
    # No values have no statistics, and need none.
    average, variance = _statistics(source, axes) if count else _no_statistics(source, along)
    normalized = _apply(source, average, variance, weight, bias, along, eps)
    if running_mean is None or running_var is None or not count:
        return normalized, None, None
    batch = Tensor.from_node(average), Tensor.from_node(variance)
    return normalized, *_moved(running_mean, running_var, *batch, count, momentum)


@traced
def _in_evaluation(
    input: Tensor,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    weight: Tensor | None,
    bias: Tensor | None,
    eps: float,
) -> Tensor:
    source, _, along = _source(input, running_mean, running_var, weight, bias)
    if running_mean is None or running_var is None:
        raise RuntimeError(f"{_NAME}: running_mean and running_var must be defined in evaluation mode")
    return _apply(source, running_mean.node(), running_var.node(), weight, bias, along, eps)


def _source(
    input: Tensor, running_mean: Tensor | None, running_var: Tensor | None, weight: Tensor | None, bias: Tensor | None
) -> tuple[Node, Axes, Shape]:
    """What is normalized, the axes of one channel, and the shape of a number a channel; checks all of it."""
    source = float_argument(input, _NAME).node()
    shape = source.type.shape
    channels = shape[1] if len(shape) > 1 else 0
    _check_channels(_NAME, channels, running_mean=running_mean, running_var=running_var, weight=weight, bias=bias)
    _check_running(_NAME, running_mean, running_var)
    return source, (0, *range(2, len(shape))), (1, channels, *(1,) * (len(shape) - 2))[-len(shape) :]


_NAME = "batch_norm"


@no_grad()
def _moved(
    running_mean: Tensor, running_var: Tensor, average: Tensor, variance: Tensor, count: int, momentum: float
) -> tuple[Tensor, Tensor]:
    """Running statistics moved towards a batch's, as (1 − momentum)·running + momentum·batch; the variance of
    ``count`` values is made unbiased first."""
    towards = mul(_shaped(variance, running_var), count / (count - 1))
    return (
        add(mul(running_mean, 1 - momentum), mul(_shaped(average, running_mean), momentum)),
        add(mul(running_var, 1 - momentum), mul(towards, momentum)),
    )


def _shaped(statistic: Tensor, running: Tensor) -> Tensor:
    return Tensor.from_node(reshaped(cast_node(statistic.detach().node(), running.dtype), tuple(running.shape)))


def batch_norm(
    input: Tensor,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Tensor:
    """(x − mean) / √(var + eps) · weight + bias per channel. Source: Ioffe and Szegedy, 2015.

    In training mean and (biased) variance are the batch's, and the running ones move towards it in place:
    running ← (1 − momentum)·running + momentum·batch, with the unbiased variance.

    Args:
        input: (N, C, …), floating.
        running_mean, running_var: (C,); None in training to keep none.
        weight, bias: (C,); the input's dtype, or float32 beside a 16-bit input.
        training: normalize with the batch's statistics.
        momentum: share of a batch in the running statistics.
        eps: added to the variance.

    Raises:
        RuntimeError: no statistics in evaluation, or sizes and dtypes that do not fit together.
        ValueError: one value per channel in training, or only one of the running statistics.
        NotImplementedError: integers or bools.
    """
    if not training:
        return _in_evaluation(input, running_mean, running_var, weight, bias, eps)
    normalized, *moved = _in_training(input, running_mean, running_var, weight, bias, momentum, eps)
    assert normalized is not None
    for running, values in zip((running_mean, running_var), moved, strict=True):
        if running is not None and values is not None:
            write(running, values, _NAME)
    return normalized


def instance_norm(
    input: Tensor,
    running_mean: Tensor | None = None,
    running_var: Tensor | None = None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    use_input_stats: bool = True,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Tensor:
    """Batch normalization with the statistics of every single instance. Source: Ulyanov, Vedaldi and Lempitsky, 2016.

    Args:
        input: (N, C, …), floating.
        running_mean, running_var: (C,), moved towards the mean over the instances; or None.
        weight, bias: (C,).
        use_input_stats: False to normalize with the running statistics.
        momentum, eps: see `batch_norm`.

    Raises:
        RuntimeError: no statistics to use, or sizes and dtypes that do not fit together.
        ValueError: one element per instance and channel.
        NotImplementedError: integers or bools.
    """
    name = "instance_norm"
    if not use_input_stats:
        if running_mean is None or running_var is None:
            raise RuntimeError("Expected running_mean and running_var to be defined when use_input_stats is false")
        return batch_norm(input, running_mean, running_var, weight, bias, False, momentum, eps)
    source = float_argument(input, name).node()
    shape = source.type.shape
    if extent(shape, tuple(range(2, len(shape)))) == 1:
        raise ValueError(f"Expected more than 1 spatial element when training, got input size {Size(shape)}")
    _check_channels(name, shape[1], running_mean=running_mean, running_var=running_var, weight=weight, bias=bias)
    _check_running(name, running_mean, running_var)
    if running_mean is not None and running_var is not None:
        axes = tuple(range(2, len(shape)))
        average, variance = _statistics(source, axes)
        of_batch = [mean(Tensor.from_node(statistic), 0, keepdim=True) for statistic in (average, variance)]
        moved = _moved(running_mean, running_var, of_batch[0], of_batch[1], extent(shape, axes), momentum)
        for running, values in zip((running_mean, running_var), moved, strict=True):
            write(running, values, name)
    return _each_normalized(input, weight, bias, eps)


@traced
def _each_normalized(input: Tensor, weight: Tensor | None, bias: Tensor | None, eps: float) -> Tensor:
    """Each instance and channel by its own statistics, then scaled by channel."""
    source = input.node()
    shape = source.type.shape
    axes = tuple(range(2, len(shape)))
    along = (shape[1], *(1,) * len(axes))
    operands = [reshaped(operand.node(), along) for operand in (weight, bias) if operand is not None]
    attrs = (axes, float(eps), weight is not None, bias is not None)
    return Tensor.from_node(record_node(composite.layer_norm, (source, *operands), attrs))
