"""Composites that reduce rows or multiply matrices, for the interpreter: few calls, and the bits of their parts.

Each function does what the composite is spelled out as, but computes once what the parts have in common, writes over
what is read for the last time, and picks the target's class instead of comparing all classes with it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import numpy as np

from lazygrad.host import calls, numpy_support
from lazygrad.host.numpy_support import sum_by_levels
from lazygrad.ir.composites import gradients as gr
from lazygrad.ir.composites import normalization as nm
from lazygrad.ir.composites import softmax as sm
from lazygrad.ir.composites.linear import linear
from lazygrad.ir.composites.loss import cross_entropy
from lazygrad.ir.composites.moments import is_cut
from lazygrad.ir.composites.requirement import class_index, class_message, in_range
from lazygrad.ir.dtype import Category, float32, float64, int64
from lazygrad.ir.node import Node
from lazygrad.ir.op import Op
from lazygrad.targets.evaluator import Computation, Compute
from lazygrad.targets.numpy.ops import FEW

Axes = tuple[int, ...]


def rows_computation(node: Node) -> Computation | None:
    """What computes a composite of the table below in one go; None where its parts do."""
    found = _TABLE.get(node.op)
    if found is None:
        return None
    computation, serves = found
    return computation if serves(node) else None


# Softmax and cross entropy.


def _largest(x: np.ndarray, axis: int) -> np.ndarray:
    if x.shape[axis] >= FEW:
        largest: np.ndarray = np.maximum.reduce(x, axis=axis, keepdims=True)
        return largest
    out = np.empty((*x.shape[:axis], 1, *x.shape[axis + 1 :]), x.dtype)
    numpy_support.fold_few(np.maximum, x, axis, out)
    return out


def _softmax_into(out: np.ndarray, x: np.ndarray, axis: int) -> None:
    np.subtract(x, _largest(x, axis), out)
    np.exp(out, out)
    np.divide(out, sum_by_levels(out, axis=axis, keepdims=True), out)


def _softmax(node: Node, out: np.ndarray, operands: Sequence[Any]) -> None:
    _softmax_into(out, operands[0], node.attrs[0])


def _log_softmax(node: Node, out: np.ndarray, operands: Sequence[Any]) -> None:
    x, axis = operands[0], node.attrs[0]
    np.subtract(x, _largest(x, axis), out)
    total = sum_by_levels(np.exp(out), axis=axis, keepdims=True)
    np.subtract(out, np.log(total, total), out)


def _softmax_gradient(node: Node, out: np.ndarray, operands: Sequence[Any]) -> None:
    (g, y), axis = operands, node.attrs[0]
    np.multiply(g, y, out)
    np.subtract(out, y * sum_by_levels(out, axis=axis, keepdims=True), out)


def _log_softmax_gradient(node: Node, out: np.ndarray, operands: Sequence[Any]) -> None:
    (g, y), axis = operands, node.attrs[0]
    np.exp(y, out)
    np.multiply(out, sum_by_levels(g, axis=axis, keepdims=True), out)
    np.subtract(g, out, out)


def _cross_entropy(node: Node, out: np.ndarray, operands: Sequence[Any]) -> None:
    """The other classes count 0, so that the sum over classes is the target's part."""
    (logits, target), (axis, ignored, _) = operands, node.attrs
    places, counts = _places(target.reshape(out.shape), ignored)
    shifted = np.subtract(logits, _largest(logits, axis), order="C")
    picked = shifted[_indices(places, axis)]
    total = sum_by_levels(np.exp(shifted, shifted), axis=axis, keepdims=True)
    np.subtract(picked, np.log(total, total), picked)
    np.add(picked, picked.dtype.type(0), picked)  # a sum over classes has no -0
    np.negative(picked, out)
    if counts is not None:
        np.copyto(out, 0, where=np.logical_not(counts))


def _cross_entropy_gradient(node: Node, out: np.ndarray, operands: Sequence[Any]) -> None:
    (g, logits, target), (axis, ignored, _) = operands, node.attrs
    places, counts = _places(target.reshape((*out.shape[:axis], 1, *out.shape[axis + 1 :])), ignored)
    _softmax_into(out, logits, axis)
    share = out.dtype.type(1) if counts is None else counts.astype(out.dtype)
    out[_indices(places, axis)] -= share
    np.multiply(g if counts is None else np.where(counts, g, g.dtype.type(0)), out, out)


def _indices(places: np.ndarray, axis: int) -> tuple[np.ndarray, ...]:
    """What picks one element of each row along ``axis``."""
    if places.ndim == 2 and axis == 1:
        return np.arange(places.shape[0])[:, None], places
    grid = np.ogrid[tuple([slice(size) for size in places.shape])]
    return (*grid[:axis], places, *grid[axis + 1 :])


def _places(target: np.ndarray, ignored: int) -> tuple[np.ndarray, np.ndarray | None]:
    """The classes to look at, and which of them count; None for all."""
    counts = np.not_equal(target, ignored)
    return (target, None) if np.logical_and.reduce(counts, None) else (np.where(counts, target, 0), counts)


def _class_index(node: Node, out: np.ndarray, operands: Sequence[Any]) -> None:
    (target,), (name, _, classes, ignored) = operands, node.attrs
    if target.size and (np.minimum.reduce(target, None) < 0 or np.maximum.reduce(target, None) >= classes):
        allowed = ((target >= 0) & (target < classes)) | (target == ignored)
        numpy_support.require(allowed, target, "IndexError", class_message(name, classes, ignored))
    np.copyto(out, target)


def _in_range(node: Node, out: np.ndarray, operands: Sequence[Any]) -> None:
    (x,), (low, high, error, message) = operands, node.attrs
    if x.size and not (np.minimum.reduce(x, None) >= low and np.maximum.reduce(x, None) <= high):  # so too with NaN
        numpy_support.require((x >= low) & (x <= high), x, error, message)
    np.copyto(out, x)


# Statistics.


def _reciprocal_count(x: np.ndarray, axes: Axes) -> Any:
    return x.dtype.type(1.0 / prod([x.shape[axis] for axis in axes]))


def _mean(x: np.ndarray, axes: Axes) -> np.ndarray:
    total: np.ndarray = sum_by_levels(x, axis=axes, keepdims=True)
    return np.multiply(total, _reciprocal_count(x, axes), total)


def _from_first(x: np.ndarray, axes: Axes) -> tuple[np.ndarray, np.ndarray]:
    first = x[tuple([slice(1) if axis in axes else slice(None) for axis in range(x.ndim)])]
    return first, np.subtract(x, first, order="C")


def _moments(x: np.ndarray, axes: Axes) -> tuple[np.ndarray, np.ndarray]:
    """Mean and squared deviations; see `lazygrad.ir.composites.moments`."""
    first, apart = _from_first(x, axes)
    if x.dtype == np.float64:
        low = _mean(apart, axes)
        np.subtract(apart, low, apart)
        np.multiply(apart, apart, apart)
        return np.add(first, low, low), sum_by_levels(apart, axis=axes, keepdims=True)
    distance = apart.astype(np.float64)
    total = sum_by_levels(distance, axis=axes, keepdims=True)
    squares = sum_by_levels(np.multiply(distance, distance, distance), axis=axes, keepdims=True)
    mean_distance = total * _reciprocal_count(distance, axes)
    np.subtract(squares, np.multiply(total, mean_distance, total), squares)
    return np.add(first, mean_distance, mean_distance), np.maximum(squares, 0.0, out=squares)


def _standardized(x: np.ndarray, axes: Axes, eps: float) -> tuple[np.ndarray, np.ndarray]:
    _, apart = _from_first(x, axes)
    np.subtract(apart, _mean(apart, axes), apart)
    factor = sum_by_levels(apart * apart, axis=axes, keepdims=True)
    np.multiply(factor, _reciprocal_count(x, axes), factor)
    np.sqrt(np.add(factor, x.dtype.type(eps), factor), factor)
    np.divide(x.dtype.type(1), factor, factor)
    return np.multiply(apart, factor, apart), factor


def _average(node: Node, out: np.ndarray, operands: Sequence[Any]) -> None:
    np.copyto(out, _moments(operands[0], tuple(node.attrs[0]))[0])


def _variance(node: Node, out: np.ndarray, operands: Sequence[Any]) -> None:
    np.divide(_moments(operands[0], tuple(node.attrs[0]))[1], float(_degrees_of_freedom(node)), out)


def _variance_gradient(node: Node, out: np.ndarray, operands: Sequence[Any]) -> None:
    g, x = operands
    slope = g * 2.0 / float(_degrees_of_freedom(node))
    _centered(x, _moments(x, tuple(node.attrs[0]))[0], out)
    if slope.dtype != x.dtype:
        root = np.clip(np.sqrt(np.abs(slope)), 1e-38, 1e38).astype(x.dtype)
        np.multiply(out, root, out)
        slope = np.divide(slope, root).astype(x.dtype)
    np.multiply(out, slope, out)


def _centered(x: np.ndarray, center: np.ndarray, out: np.ndarray) -> None:
    if center.dtype == x.dtype:
        np.subtract(x, center, out)
        return
    first = x[tuple([slice(1) if size == 1 else slice(None) for size in center.shape])]
    np.subtract(x, first, out)
    np.subtract(out, np.subtract(center, first).astype(x.dtype), out)


def _scale_of(x: np.ndarray, variance: np.ndarray, eps: float) -> np.ndarray:
    root = np.sqrt(np.add(variance, variance.dtype.type(eps)))
    return np.divide(variance.dtype.type(1), root, out=root).astype(x.dtype, copy=False)


def _batch_norm(node: Node, out: np.ndarray, operands: Sequence[Any]) -> None:
    (x, average, variance, *affine), (eps, has_weight, has_bias) = operands, node.attrs
    _centered(x, average, out)
    np.multiply(out, _scale_of(x, variance, eps), out)
    if has_weight:
        np.multiply(out, affine[0], out)
    if has_bias:
        np.add(out, affine[-1], out)


def _batch_norm_weight_gradient(node: Node, out: np.ndarray, operands: Sequence[Any]) -> None:
    g, x, average, variance = operands
    _centered(x, average, out)
    np.multiply(out, _scale_of(x, variance, node.attrs[0]), out)
    np.multiply(g, out, out)


def _degrees_of_freedom(node: Node) -> float:
    return nm.degrees_of_freedom(node.inputs[-1], *node.attrs)


def _layer_norm(node: Node, out: np.ndarray, operands: Sequence[Any]) -> None:
    axes, eps, has_weight, has_bias = node.attrs
    normalized, _ = _standardized(operands[0], tuple(axes), eps)
    if has_weight:
        np.multiply(normalized, operands[1], normalized)
    if has_bias:
        np.add(normalized, operands[-1], out)
    else:
        np.copyto(out, normalized)


def _layer_norm_gradient(node: Node, out: np.ndarray, operands: Sequence[Any]) -> None:
    axes, eps = tuple(node.attrs[0]), node.attrs[1]
    g, x, *weight = operands
    normalized, factor = _standardized(x, axes, eps)
    inner = np.multiply(g, weight[0], order="C") if weight else g
    share = _mean(np.multiply(inner, normalized, out), axes)
    np.subtract(inner, _mean(inner, axes), out)
    np.subtract(out, np.multiply(normalized, share, normalized), out)
    np.multiply(factor, out, out)


def _layer_norm_weight_gradient(node: Node, out: np.ndarray, operands: Sequence[Any]) -> None:
    (g, x), (axes, eps, shape) = operands, node.attrs
    normalized, _ = _standardized(x, tuple(axes), eps)
    lead = tuple(range(x.ndim - len(shape)))
    sum_by_levels(np.multiply(g, normalized, normalized), axis=lead, out=out)


def _summed_to(node: Node, out: np.ndarray, operands: Sequence[Any]) -> None:
    x, shape = operands[0], out.shape
    lead = x.ndim - out.ndim
    axes = [lead + axis for axis, size in enumerate(shape) if size == 1 and x.shape[lead + axis] != 1]
    sum_by_levels(x, axis=(*range(lead), *axes), keepdims=True, out=out.reshape((1,) * lead + shape))


# Products.


_SMALL_PRODUCT = 1 << 20  # multiplications; larger ones are spread over threads


def _flat(x: np.ndarray) -> np.ndarray:
    return x if x.ndim == 2 else x.reshape(prod(x.shape[:-1]), x.shape[-1])


def _product(out: np.ndarray, a: np.ndarray, b: np.ndarray) -> None:
    """``out = a @ b``; a small product of floats in order needs nothing of what `calls.matmul` does beside."""
    is_small = out.size * a.shape[1] < _SMALL_PRODUCT
    if is_small and out.dtype.char in "fd" and a.flags.forc and b.flags.forc:
        np.matmul(a, b, out=out)
    else:
        calls.matmul(out, a, b)


def _linear(node: Node, out: np.ndarray, operands: Sequence[Any]) -> None:
    _product(_flat(out), _flat(operands[0]), operands[1].T)
    if len(operands) == 3:
        np.add(out, operands[2], out)


def _linear_input_gradient(node: Node, out: np.ndarray, operands: Sequence[Any]) -> None:
    _product(_flat(out), _flat(operands[0]), operands[1])


def _linear_weight_gradient(node: Node, out: np.ndarray, operands: Sequence[Any]) -> None:
    _product(out, _flat(operands[0]).T, _flat(operands[1]))


# Which nodes are served.

Serves = Callable[[Node], bool]


def _is_plain(node: Node) -> bool:
    """Whether all are of one real dtype of more than 16 bits, and there are elements."""
    return _are_plain(node, (node, *node.inputs))


def _are_plain(node: Node, values: Sequence[Node]) -> bool:
    dtype = node.inputs[-1].type.dtype
    if dtype is not float32 and dtype is not float64:
        return False
    return all([value.type.dtype is dtype and 0 not in value.type.shape for value in values])


def _has_statistics(position: int, others: slice = slice(None)) -> Serves:
    """Serves nodes whose statistics of this input are not cut into blocks; all but statistics are of its dtype."""

    def serves(node: Node) -> bool:
        if not _are_plain(node, (node, *node.inputs)[others]):
            return False
        x = node.inputs[position]
        is_one_pass = node.op in _ONE_PASS and x.type.dtype is float32
        return bool(node.attrs[0]) and (is_one_pass or not is_cut(x, node.attrs[0]))

    return serves


def _has_statistics_beside(position: int) -> Serves:
    """Serves nodes whose mean and variance follow this input, which has their rank; all others are of its dtype."""

    def serves(node: Node) -> bool:
        x, average, variance = node.inputs[position : position + 3]
        others = (node, *node.inputs[: position + 1], *node.inputs[position + 3 :])
        if x.type.dtype not in (float32, float64) or any([value.type.dtype is not x.type.dtype for value in others]):
            return False
        if any([0 in value.type.shape for value in node.inputs]) or len(average.type.shape) != len(x.type.shape):
            return False
        return all([statistic.type.dtype in (float32, float64) for statistic in (average, variance)])

    return serves


_ONE_PASS = frozenset([nm.average, nm.variance, gr.variance_gradient])


def _sums_all_but_the_last(node: Node) -> bool:
    """Whether the weight has the shape of the last axes."""
    shape = node.attrs[2]
    x = node.inputs[1].type.shape
    return tuple(shape) == x[len(x) - len(shape) :] and _has_statistics(1)(node)


def _is_unweighted(node: Node) -> bool:
    dtype = node.type.dtype
    if (dtype is not float32 and dtype is not float64) or node.attrs[2] != 0 or node.inputs[-1].type.dtype is not int64:
        return False
    return all([source.type.dtype is dtype and 0 not in source.type.shape for source in node.inputs[:-1]])


def _is_integer(node: Node) -> bool:
    return node.type.dtype.category is Category.INTEGER


def _is_integer_or_plain(node: Node) -> bool:
    return _is_integer(node) or _is_plain(node)


def _is_real_product(node: Node) -> bool:
    return not node.type.dtype.is_complex


def _always(node: Node) -> bool:
    return True


def _entry(compute: Compute, serves: Serves, refuses: bool = False) -> tuple[Computation, Serves]:
    return Computation(compute, refuses=refuses), serves


_TABLE: dict[Op, tuple[Computation, Serves]] = {
    sm.softmax: _entry(_softmax, _is_plain),
    sm.log_softmax: _entry(_log_softmax, _is_plain),
    gr.softmax_gradient: _entry(_softmax_gradient, _is_plain),
    gr.log_softmax_gradient: _entry(_log_softmax_gradient, _is_plain),
    cross_entropy: _entry(_cross_entropy, _is_unweighted),
    gr.cross_entropy_gradient: _entry(_cross_entropy_gradient, _is_unweighted),
    class_index: _entry(_class_index, _always, refuses=True),
    in_range: _entry(_in_range, _is_integer_or_plain, refuses=True),
    nm.average: _entry(_average, _has_statistics(0, slice(1, None))),
    nm.variance: _entry(_variance, _has_statistics(0, slice(1, None))),
    gr.variance_gradient: _entry(_variance_gradient, _has_statistics(1, slice(0, None, 2))),
    nm.batch_norm: _entry(_batch_norm, _has_statistics_beside(0)),
    gr.batch_norm_weight_gradient: _entry(_batch_norm_weight_gradient, _has_statistics_beside(1)),
    nm.layer_norm: _entry(_layer_norm, _has_statistics(0)),
    gr.layer_norm_gradient: _entry(_layer_norm_gradient, _has_statistics(1)),
    gr.layer_norm_weight_gradient: _entry(_layer_norm_weight_gradient, _sums_all_but_the_last),
    gr.summed_to: _entry(_summed_to, _is_plain),
    linear: _entry(_linear, _is_real_product),
    gr.linear_input_gradient: _entry(_linear_input_gradient, _is_real_product),
    gr.linear_weight_gradient: _entry(_linear_weight_gradient, _is_real_product),
}
