"""One primitive at a time with numpy: what computes a program that is too new to be worth a plan."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from operator import gt
from typing import Any

import numpy as np

from lazygrad.host import calls, numpy_support
from lazygrad.host.dtypes import to_numpy
from lazygrad.host.strides import strided
from lazygrad.ir.dtype import bool_, float16
from lazygrad.ir.node import Node
from lazygrad.ir.op import Kind, Op, Refusal
from lazygrad.ir.primitives import elementwise as ew
from lazygrad.ir.primitives import movement as mv
from lazygrad.ir.shape import numel
from lazygrad.targets.compiled_calls import taken_over
from lazygrad.targets.evaluator import Computation, Compute, Evaluator, Fold
from lazygrad.targets.numpy.evaluate_pointwise import pointwise_computation
from lazygrad.targets.numpy.evaluate_rows import rows_computation
from lazygrad.targets.numpy.ops import (
    COPIES,
    FEW,
    PARTS,
    SELECT,
    UFUNCS,
    is_summed_by_levels,
    reduction_ufunc,
    ufunc_named,
)
from lazygrad.targets.numpy.pieces import on_threads

_FILLED = 1 << 12  # bytes of a padding: to write some twice takes less time than to find out where the others lie
_CHOICES = frozenset([ew.maximum, ew.minimum])
_FEW_ROWS = 64  # up to which numpy's own loop over rows takes less time than a call for each of their elements


class NumpyEvaluator(Evaluator):
    """One call of numpy, or of a function in `lazygrad.host.calls`, for each primitive; few for a common composite."""

    def number(self, node: Node) -> Any:
        return to_numpy(node.dtype).type(node.attrs[0])

    def number_type(self, node: Node) -> Callable[[Any], Any]:
        made: Callable[[Any], Any] = to_numpy(node.dtype).type
        return made

    def moved(self, node: Node, x: Any) -> np.ndarray:
        return _MOVEMENTS[node.op](node, np.asarray(x))

    def computation(self, node: Node) -> Computation | None:
        op = node.op
        found = _computations.get(op)
        if found is None:
            if op.kind is Kind.COMPOSITE:  # to name a member of an Enum takes as long as to look the op up
                return rows_computation(node) or pointwise_computation(node)
            found = _computations[op] = Computation(_compute(op), _over(op), op.starts_from_first)
        return found

    def bound(self, node: Node) -> Callable[..., Any] | None:
        op = node.op
        if op.kind is Kind.LIBRARY:
            return _bound_call(node) if not (op.number_inputs or any([*map(_is_number, node.inputs)])) else None
        if op.refuses is not None or (op in _CHOICES and node.dtype is float16):
            return None
        if op in COPIES:
            return _copied_to if _is_copy_of_array(node) else None
        function = ufunc_named(UFUNCS[op]) if op in UFUNCS else None
        return function if isinstance(function, np.ufunc) else None

    def fold(self, node: Node) -> Fold | None:
        op = node.op
        if op.folding is None:
            return None
        (source,), axes = node.inputs, node["axes"]
        if op.is_exact and _are_few(source.shape, axes) and _is_better_folded(numel(node.shape), to_numpy(node.dtype)):
            return None
        if is_summed_by_levels(op, node.dtype) and numpy_support.needs_levels(source.shape, axes):
            return numpy_support.sum_by_levels
        return ufunc_named(reduction_ufunc(op)).reduce  # type: ignore[attr-defined]


def _is_copy_of_array(node: Node) -> bool:
    """Whether assigning to all elements does the same as a copy, whose casts are unsafe."""
    (source, *others) = node.inputs
    return not others and not _is_number(source) and (node.dtype.is_complex or not source.dtype.is_complex)


def _is_number(node: Node) -> bool:
    return node.value is None and not node.inputs


def _copied_to(x: Any, out: np.ndarray) -> None:
    out[...] = x


def _over(op: Op) -> tuple[int, ...]:
    return (0, 1) if op in UFUNCS else (0,) if op.starts_from_first else ()


def _compute(op: Op) -> Compute:
    if op.kind is Kind.LIBRARY:
        return _library_call(op)
    if op.kind is Kind.PADDING:
        return _pad
    if op.folding is not None:
        return _reduction(op)
    if op in PARTS:
        return _part(PARTS[op])
    return _SPECIAL.get(op) or _ufunc(op)


def _ufunc(op: Op) -> Compute:
    function = ufunc_named(UFUNCS[op])
    if op.refuses is Refusal.ZERO_DIVISOR:

        def divide(node: Node, out: np.ndarray, operands: Sequence[Any]) -> None:
            if op.may_refuse(node.attrs, node.dtype):
                numpy_support.refuse_zero(operands[1])
            function(*operands, out=out)

        return divide
    if op in _CHOICES:

        def choose(node: Node, out: np.ndarray, operands: Sequence[Any]) -> None:
            # Of two zeros numpy takes the second, but of float16 the first.
            function(*(operands[::-1] if node.dtype is float16 else operands), out=out)

        return choose

    def apply(node: Node, out: np.ndarray, operands: Sequence[Any]) -> None:
        function(*operands, out=out)

    return on_threads(apply)


def _reduction(op: Op) -> Compute:
    fold = ufunc_named(reduction_ufunc(op))
    assert isinstance(fold, np.ufunc)

    def reduce(node: Node, out: np.ndarray, operands: Sequence[Any]) -> None:
        (x,), (axes,) = operands, node.attrs
        if op.is_exact and _are_few(x.shape, axes) and _is_better_folded(out.size, x.dtype):
            numpy_support.fold_few(fold, x, axes, out)
        elif is_summed_by_levels(op, node.dtype) and numpy_support.needs_levels(x.shape, axes):
            numpy_support.sum_by_levels(x, axes, out=out, keepdims=True)
        else:
            fold.reduce(x, axis=axes, keepdims=True, out=out)

    return reduce


def _are_few(shape: Sequence[int], axes: Sequence[int]) -> bool:
    """Whether a result is folded of so few elements that numpy's own loop over them is not the fastest."""
    return 1 <= prod([shape[axis] for axis in axes]) < FEW


def _is_better_folded(results: int, dtype: np.dtype) -> bool:
    """Whether there are rows enough to fold them side by side; of floats, numpy's own loop may find another zero."""
    return results > _FEW_ROWS or dtype.kind not in "biu"


def _library_call(op: Op) -> Compute:
    function = taken_over(op.name, getattr(calls, op.name))
    names, numbers, array = op.attr_names, op.number_inputs, np.asarray

    def call(node: Node, out: np.ndarray, operands: Sequence[Any]) -> None:
        if numbers:
            given = [operand if i in numbers else array(operand) for i, operand in enumerate(operands)]
        else:
            given = [*map(array, operands)]
        function(out, *given, **dict(zip(names, node.attrs, strict=True)))

    return call


def _bound_call(node: Node) -> Callable[..., Any]:
    function = taken_over(node.op.name, getattr(calls, node.op.name))
    attributes = dict(zip(node.op.attr_names, node.attrs, strict=True))

    def call(*operands: np.ndarray, out: np.ndarray) -> None:
        function(out, *operands, **attributes)

    return call


def _pad(node: Node, out: np.ndarray, operands: Sequence[Any]) -> None:
    x, value = np.asarray(operands[0]), operands[1]
    before = node["before"]
    ends = [begin + size for begin, size in zip(before, x.shape, strict=True)]
    if out.nbytes > _FILLED or min(before, default=0) < 0 or any([*map(gt, ends, out.shape)]):
        numpy_support.pad(out, x, value, (0,) * out.ndim, before)
        return
    out[...] = value
    out[tuple([*map(slice, before, ends)])] = x


def _part(name: str) -> Compute:
    def part(node: Node, out: np.ndarray, operands: Sequence[Any]) -> None:
        np.copyto(out, getattr(operands[0], name))

    return part


def _copy(node: Node, out: np.ndarray, operands: Sequence[Any]) -> None:
    np.copyto(out, operands[-1], casting="unsafe")


def _cast(node: Node, out: np.ndarray, operands: Sequence[Any]) -> None:
    (x,) = operands
    drops_imaginary_part = node.inputs[0].dtype.is_complex and not (node.dtype.is_complex or node.dtype is bool_)
    np.copyto(out, x.real if drops_imaginary_part else x, casting="unsafe")


def _require(node: Node, out: np.ndarray, operands: Sequence[Any]) -> None:
    numpy_support.require(*operands, *node.attrs)
    np.copyto(out, operands[-1])


def _select(node: Node, out: np.ndarray, operands: Sequence[Any]) -> None:
    numpy_support.select(out, *operands)


_SPECIAL: dict[Op, Compute] = {**dict.fromkeys(COPIES, _copy), ew.cast: _cast, ew.require: _require, SELECT: _select}
_computations: dict[Op, Computation] = {}


def _expanded(node: Node, x: np.ndarray) -> np.ndarray:
    shape = node.type.shape
    if x.size == 1:
        return strided(x, shape, (0,) * len(shape), 0)
    if not x.flags.c_contiguous:
        return np.broadcast_to(x, shape)
    steps = [0 if size == 1 else step for size, step in zip(x.shape, x.strides, strict=True)]
    return strided(x, shape, (*(0,) * (len(shape) - x.ndim), *steps), 0)


def _sliced(node: Node, x: np.ndarray) -> np.ndarray:
    return x[tuple([*map(slice, *node.attrs)])]


def _flipped(node: Node, x: np.ndarray) -> np.ndarray:
    axes = node.attrs[0]
    return x[tuple([slice(None, None, -1) if axis in axes else slice(None) for axis in range(x.ndim)])]


_MOVEMENTS: dict[Op, Callable[[Node, np.ndarray], np.ndarray]] = {
    mv.reshape: lambda node, x: x.reshape(node.shape),
    mv.permute: lambda node, x: x.transpose(node.attrs[0]),
    mv.expand: _expanded,
    mv.slice_: _sliced,
    mv.flip: _flipped,
    mv.windows: lambda node, x: numpy_support.windows(x, *node.attrs),
    mv.diagonal: lambda node, x: np.diagonal(x, *node.attrs),
}
