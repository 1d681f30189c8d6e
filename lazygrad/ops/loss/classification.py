"""Losses of class indices, or of probabilities of classes.

The class axis is the second one of a batch, (N, C, …), or the only one, (C,).
"""

from __future__ import annotations

import numpy as np

from lazygrad.host.buffer import host_view, is_seen_by_host
from lazygrad.ir.composites import loss as composite
from lazygrad.ir.composites import softmax as softmax_composite
from lazygrad.ir.composites.requirement import class_index, class_message
from lazygrad.ir.dtype import float32, int64, uint8
from lazygrad.ir.node import Node, next_serial
from lazygrad.ir.primitives import elementwise as ew
from lazygrad.ir.primitives import indexing
from lazygrad.ir.shape import Shape, numel
from lazygrad.ops.arguments.one_step import as_one_step
from lazygrad.ops.arguments.operands import cast_node, tensor_argument
from lazygrad.ops.arguments.precision import single_precision
from lazygrad.ops.arguments.reducing import reshaped
from lazygrad.ops.arguments.tracing import traced
from lazygrad.ops.layers.smooth_activations import float_argument
from lazygrad.ops.loss.reducing import chosen_reduction, reduced
from lazygrad.ops.pointwise.arithmetic import add, mul, neg
from lazygrad.ops.pointwise.division import div
from lazygrad.ops.pointwise.relational import ne
from lazygrad.ops.pointwise.selection import where
from lazygrad.ops.reductions.sums import sum
from lazygrad.tensor import Tensor
from lazygrad.tensor_base import record_node


def _class_axis(shape: Shape) -> int:
    return 0 if len(shape) == 1 else 1


def _index_node(name: str, input: Tensor, target: Tensor, ignore_index: int) -> Node:
    """The target as int64, of the input's shape without the class axis.

    Raises:
        ValueError: another batch size.
        RuntimeError: another shape, or not integers.
    """
    node = tensor_argument(target, name, "target").node()
    shape, given = tuple(input.shape), node.type.shape
    if not shape:
        raise ValueError(f"{name}: Expected 1 or more dimensions (got 0)")
    if len(shape) > 1 and given[:1] != shape[:1] and len(given) == len(shape) - 1:
        raise ValueError(f"{name}: Expected input batch_size ({shape[0]}) to match target batch_size ({given[0]}).")
    if len(shape) == 1 and given == (1,):
        node, given = reshaped(node, ()), ()
    expected = shape[: _class_axis(shape)] + shape[_class_axis(shape) + 1 :]
    if given != expected:
        raise RuntimeError(f"{name}: Expected target size {list(expected)} for class indices, got {list(given)}")
    if node.dtype not in (int64, uint8):
        raise RuntimeError(f"{name}: expected target dtype to be Long or Byte, but got {node.dtype.scalar_type}")
    axis = _class_axis(shape)
    return record_node(class_index, (cast_node(node, int64),), (name, axis, shape[axis], ignore_index))


def _weight_node(name: str, input: Tensor, weight: Tensor) -> Node:
    node = tensor_argument(weight, name, "weight").node()
    classes = input.shape[_class_axis(tuple(input.shape))]
    if node.type.shape != (classes,):
        raise RuntimeError(f"{name}: weight tensor should be defined either for all {classes} classes or no classes "
                           f"but got weight tensor of shape: {list(node.type.shape)}")  # fmt: skip
    if node.dtype is not input.dtype:
        raise RuntimeError(f"{name}: expected a weight of dtype {input.dtype.name} but found {node.dtype.name}")
    return node


def _counted(target: Node, ignore_index: int) -> Tensor:
    """Which targets count."""
    return ne(Tensor.from_node(target), ignore_index)


def _without_ignored(target: Node, counted: Tensor) -> Node:
    """The target with class 0 where it does not count, so that it can address classes."""
    return where(counted, Tensor.from_node(target), 0).node()


def _weighted_mean(values: Tensor, target: Node, weight: Node | None, ignore_index: int) -> Tensor:
    """The sum of the values, divided by how many targets count, each with the weight of its class.

    Both sums run over one shape, in float32 or wider, so that they are one kernel and 16-bit counts do not overflow.
    """
    index = reshaped(target, tuple(values.shape))
    counted = _counted(index, ignore_index)
    dtype = float32 if values.dtype.is_half else values.dtype
    if weight is None:
        shares = cast_node(counted.node(), dtype)
    else:
        of_class = Tensor.from_node(record_node(indexing.take, (weight, _without_ignored(index, counted))))
        shares = where(counted, of_class, 0.0).node()
    mean = div(sum(values, dtype=dtype), sum(Tensor.from_node(shares), dtype=dtype))
    return Tensor.from_node(cast_node(mean.node(), values.dtype))


@single_precision
def cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    ignore_index: int = -100,
    reduce: bool | None = None,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Tensor:
    """−Σ q·log_softmax(input) over the classes, where q is 1 for the target class and 0 elsewhere.

    Args:
        input: logits, (N, C, …) or (C,), floating.
        target: class indices, int64, (N, …) or (); or probabilities, floating, of the input's shape.
        weight: (C,), a factor for each class; the mean is then weighted too.
        size_average, reduce: PyTorch's former words for ``reduction``.
        ignore_index: targets that cost nothing and do not count in the mean.
        reduction: ``"mean"``, ``"sum"`` or ``"none"``.
        label_smoothing: in [0, 1], the share of q that is spread evenly over the classes.

    Returns:
        0-dim, or the shape of the class indices for ``"none"``.

    Raises:
        IndexError: a class index is out of range; where it is not computed yet, when the loss or a gradient is.
        ValueError: batch sizes differ, or an unknown reduction.
        RuntimeError: shapes or dtypes that do not fit together, or a smoothing out of range.
        NotImplementedError: logits of integers or bools.
    """
    reduction = chosen_reduction(reduction, size_average, reduce)
    loss = _cross_entropy(input, target, weight, ignore_index, reduction, label_smoothing)
    _check_known_classes("cross_entropy", input, target, ignore_index)
    return loss


@traced
def _cross_entropy(
    input: Tensor, target: Tensor, weight: Tensor | None, ignore_index: int, reduction: str, label_smoothing: float
) -> Tensor:
    tensor_argument(target, "cross_entropy", "target")
    if not 0 <= label_smoothing <= 1:
        raise RuntimeError(f"label_smoothing must be between 0.0 and 1.0. Got: {label_smoothing}")
    if tuple(tensor_argument(input, "cross_entropy").shape) == tuple(target.shape):
        return _of_probabilities(input, target, weight, ignore_index, reduction, label_smoothing)
    logits = float_argument(input, "cross_entropy").node()
    index = _index_node("cross_entropy", input, target, int(ignore_index))
    weights = None if weight is None else _weight_node("cross_entropy", input, weight)
    attrs = (_class_axis(logits.type.shape), int(ignore_index), float(label_smoothing))
    inputs = (logits, index) if weights is None else (logits, index, weights)
    since = next_serial()
    values = Tensor.from_node(record_node(composite.cross_entropy, inputs, attrs))
    if reduction == "mean":
        loss = _weighted_mean(values, index, weights, int(ignore_index))
    else:
        loss = sum(values) if reduction == "sum" else Tensor.from_node(reshaped(values.node(), index.type.shape))
    return as_one_step(loss, _step_of_rank(input), since)


def _step_of_rank(input: Tensor) -> str:
    return "NllLoss" if input.ndim < 3 else "NllLoss2D"


def _of_probabilities(
    input: Tensor, target: Tensor, weight: Tensor | None, ignore_index: int, reduction: str, label_smoothing: float
) -> Tensor:
    if not target.dtype.is_floating_point:
        raise RuntimeError(f"cross_entropy: Expected floating point type for target with class probabilities, got "
                           f"{target.dtype.name}")  # fmt: skip
    if ignore_index >= 0:
        raise RuntimeError("cross_entropy: ignore_index is not supported for floating point target")
    logits = float_argument(input, "cross_entropy").node()
    shape = logits.type.shape
    axis = _class_axis(shape)
    log_probability = Tensor.from_node(record_node(softmax_composite.log_softmax, (logits,), (axis,)))
    share = target if label_smoothing == 0 else add(mul(target, 1 - label_smoothing), label_smoothing / shape[axis])
    if weight is not None:
        along = (shape[axis], *(1,) * (len(shape) - axis - 1))
        share = mul(share, Tensor.from_node(reshaped(_weight_node("cross_entropy", input, weight), along)))
    values = neg(sum(mul(log_probability, share), axis))
    if reduction == "mean":
        rows = numel(shape[:axis] + shape[axis + 1 :])
        return div(sum(values), rows) if rows else reduced(values, "mean")
    return reduced(values, reduction)


@single_precision
def nll_loss(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    ignore_index: int = -100,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """−weight·input at the target class, for an input of log probabilities.

    Args:
        input: (N, C, …) or (C,), floating.
        target: class indices, int64, (N, …) or ().
        weight, size_average, ignore_index, reduce, reduction: see `cross_entropy`.

    Raises:
        ValueError: batch sizes differ, or an unknown reduction.
        RuntimeError: shapes or dtypes that do not fit together.
        IndexError: a target that is no class; where it is not computed yet, when the loss or a gradient is.
        NotImplementedError: an input of integers or bools.
    """
    reduction = chosen_reduction(reduction, size_average, reduce)
    loss = _nll_loss(input, target, weight, ignore_index, reduction)
    _check_known_classes("nll_loss", input, target, ignore_index)
    return loss


@traced
def _nll_loss(input: Tensor, target: Tensor, weight: Tensor | None, ignore_index: int, reduction: str) -> Tensor:
    since = next_serial()
    source = float_argument(input, "nll_loss").node()
    index = _index_node("nll_loss", input, target, ignore_index)
    weights = None if weight is None else _weight_node("nll_loss", input, weight)
    counted = _counted(index, ignore_index)
    chosen = _at_class(source, _without_ignored(index, counted))
    if weights is not None:
        chosen = record_node(ew.mul, (chosen, record_node(indexing.take, (weights, _without_ignored(index, counted)))))
    values = where(counted, neg(Tensor.from_node(chosen)), 0.0)
    if reduction == "mean":
        loss = _weighted_mean(values, index, weights, ignore_index)
    else:
        loss = sum(values) if reduction == "sum" else Tensor.from_node(reshaped(values.node(), index.type.shape))
    return as_one_step(loss, _step_of_rank(input), since)


def _check_known_classes(name: str, input: Tensor, target: Tensor, ignore_index: int) -> None:
    """Targets that are computed already, as labels are, can be looked at now.

    Raises:
        IndexError: one is no class.
    """
    value = target.node().value
    if value is None or target.dtype.is_floating_point or not is_seen_by_host(value):
        return
    shape = input.node().type.shape
    classes = shape[_class_axis(shape)]
    given = host_view(value)
    if given.dtype == np.int64 and not (given.view(np.uint64) >= classes).any():
        return  # one comparison for both limits: a negative number is a large one without its sign
    outside = given[(given != ignore_index) & ((given < 0) | (given >= classes))]
    if outside.size:
        raise IndexError(class_message(name, classes, ignore_index).replace("{}", str(outside[0])))


def _at_class(source: Node, index: Node) -> Node:
    """Of every row the element at its class."""
    shape = source.type.shape
    axis = _class_axis(shape)
    kept = (*shape[:axis], 1, *shape[axis + 1 :])
    return reshaped(record_node(indexing.gather, (source, reshaped(index, kept)), (axis, False)), index.type.shape)
