"""Cross entropy with class indices, and of probabilities of two classes.

With class indices the target is compared with 0…C-1 instead of being used to gather, so that the loss and its
gradient each stay one row kernel. That all classes exist, and all probabilities lie in [0, 1], is a requirement of its
own (see `requirement`), which the frontend records before. Source of the formulas: PyTorch's documentation of
``CrossEntropyLoss`` and ``BCELoss``.
"""

from __future__ import annotations

from typing import Any

from lazygrad.ir.build import iota, reduce_sum, reshape
from lazygrad.ir.composites.define import Result, check_float, composite, float_like_first
from lazygrad.ir.composites.softmax import log_softmax
from lazygrad.ir.dtype import int64
from lazygrad.ir.node import Node, TensorType
from lazygrad.ir.primitives import elementwise as ew
from lazygrad.ir.shape import Shape, ShapeError


def _without(shape: Shape, axis: int) -> Shape:
    return shape[:axis] + shape[axis + 1 :]


def _kept(shape: Shape, axis: int) -> Shape:
    return (*shape[:axis], 1, *shape[axis + 1 :])


def class_shape(logits: Node, axis: int) -> Shape:
    """The shape in which a vector of one number per class broadcasts against the logits."""
    return tuple(size if a == axis else 1 for a, size in enumerate(logits.shape))


def aligned_target(logits: Node, target: Node, axis: int) -> Node:
    """The target with a class axis of size 1."""
    return reshape(target, _kept(logits.shape, axis))


def is_target_class(logits: Node, target: Node, axis: int) -> Node:
    """Of the logits' shape: whether this class is the one an `aligned_target` names."""
    classes = iota(logits.shape[axis], int64, logits.device)
    return ew.eq(reshape(classes, class_shape(logits, axis)), target)


def class_coefficients(logits: Node, is_target: Node, weight: Node | None, axis: int, label_smoothing: float) -> Node:
    """q in ``loss = -Σ q·log_softmax``: ``((1 - ε)·[class = target] + ε/C) · weight``."""
    spread = label_smoothing / logits.shape[axis]
    share = ew.where(is_target, logits.like(1 - label_smoothing + spread), logits.like(spread))
    return share if weight is None else share * reshape(weight, class_shape(logits, axis))


def _cross_entropy(
    logits: Node, target: Node, weight: Node | None = None, *, axis: int, ignore_index: int, label_smoothing: float
) -> Node:
    wanted = aligned_target(logits, target, axis)
    is_target = is_target_class(logits, wanted, axis)
    log_probability = log_softmax(logits, axis=axis)
    weighted = log_probability * class_coefficients(logits, is_target, weight, axis, label_smoothing)
    if label_smoothing == 0:
        # 0 · -inf is NaN: a class that is impossible and not the target must not count.
        weighted = ew.where(is_target, weighted, logits.like(0))
    loss = -reduce_sum(weighted, (axis,))
    return ew.where(ew.ne(wanted, wanted.like(ignore_index)), loss, logits.like(0))


def _infer(attrs: tuple[Any, ...], logits: TensorType, target: TensorType, weight: TensorType | None = None) -> Result:
    axis = attrs[0]
    check_float("cross_entropy", logits)
    if target.dtype is not int64:
        raise RuntimeError(f"cross_entropy: class indices must be int64, not {target.dtype.name}")
    if len(logits.shape) == 2 and len(target.shape) == 1 and target.shape[0] != logits.shape[0]:
        raise ValueError(
            f"cross_entropy: expected input batch_size ({logits.shape[0]}) to match target batch_size "
            f"({target.shape[0]})"
        )
    expected = _without(logits.shape, axis)
    if target.shape != expected:
        raise ShapeError(f"cross_entropy: expected target size {list(expected)}, got {list(target.shape)}")
    if weight is not None and (weight.shape != (logits.shape[axis],) or weight.dtype is not logits.dtype):
        raise RuntimeError(
            f"cross_entropy: weight tensor should be defined either for all {logits.shape[axis]} "
            f"classes or no classes, in {logits.dtype.name}, but got {weight}"
        )
    return _kept(logits.shape, axis), logits.dtype


cross_entropy = composite(
    "cross_entropy",
    _cross_entropy,
    _infer,
    ("axis", "ignore_index", "label_smoothing"),
    "-log_softmax(logits)[target] per row, the class axis kept; 0 where ignored",
    unsaved_input=0,
)


_LOWEST_LOG = -100.0  # a certain answer that is wrong costs much, but not infinitely much


def _binary_cross_entropy(x: Node, target: Node) -> Node:
    log_hit = ew.maximum(ew.log(x), x.like(_LOWEST_LOG))
    log_miss = ew.maximum(ew.log1p(-x), x.like(_LOWEST_LOG))
    return (target - 1) * log_miss - target * log_hit


binary_cross_entropy = composite(
    "binary_cross_entropy",
    _binary_cross_entropy,
    float_like_first("binary_cross_entropy"),
    doc="-(t·log x + (1 - t)·log(1 - x)), the logarithms at least -100",
)
