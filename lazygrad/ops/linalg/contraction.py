"""Contractions: products of tensors summed over named dimensions.

Operands are contracted two at a time, in the order that opt_einsum finds cheapest; each step is one matrix product,
or an elementwise one where nothing is summed.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

from lazygrad.ir.dtype import DType
from lazygrad.ir.primitives import contraction, movement
from lazygrad.ir.shape import Shape, normalize_axis
from lazygrad.ops.arguments.operands import cast_node, tensor_argument
from lazygrad.ops.arguments.out import accepts_out
from lazygrad.ops.arguments.precision import lower_precision
from lazygrad.ops.arguments.tracing import traced
from lazygrad.ops.pointwise import arithmetic
from lazygrad.ops.reductions.sums import sum as sum_
from lazygrad.tensor import Tensor
from lazygrad.tensor_base import record

__all__ = ["tensordot"]

Sizes = dict[str, int]


class Term(NamedTuple):
    """An operand and one character per dimension: dimensions of one name are multiplied elementwise."""

    tensor: Tensor
    labels: str


def contract(terms: list[Term], output: str) -> Tensor:
    """The sum over all labels that ``output`` lacks of the product of ``terms``, dimensions in ``output``'s order.

    Raises:
        RuntimeError: dimensions of one label that do not broadcast; different dtypes in a matrix product.
    """
    terms = [_diagonals(term) for term in terms]
    sizes = _sizes(terms)
    terms = [_without_broadcast_axes(term, sizes) for term in terms]
    for pair in _order(terms, output):
        chosen = [terms[position] for position in pair]
        terms = [term for position, term in enumerate(terms) if position not in pair]
        kept = set(output).union(*(term.labels for term in terms))
        terms.append(_contract_pair(chosen[0], chosen[1], kept, sizes) if len(chosen) == 2 else chosen[0])
    (result,) = terms
    return _arranged(_summed(result, output), output)


def _order(terms: list[Term], output: str) -> Sequence[tuple[int, ...]]:
    """Which operands to contract at each step: positions in the list, the result being appended to it."""
    if len(terms) < 3:
        return [(0, 1)] if len(terms) == 2 else []
    equation = ",".join([term.labels for term in terms]) + "->" + output
    return _cheapest_order(equation, tuple([tuple(term.tensor.shape) for term in terms]))


@lru_cache(maxsize=1024)
def _cheapest_order(equation: str, shapes: tuple[Shape, ...]) -> Sequence[tuple[int, ...]]:
    # Loaded on first use: only contractions of three and more operands need it.
    from opt_einsum import contract_path

    path: list[tuple[int, ...]] = contract_path(equation, *shapes, shapes=True)[0]
    return path


def _diagonals(term: Term) -> Term:
    """Each label once: dimensions of one label are read along their diagonal."""
    tensor, labels = term
    while len(set(labels)) < len(labels):
        first = next(axis for axis, label in enumerate(labels) if label in labels[axis + 1 :])
        label = labels[first]
        second = labels.index(label, first + 1)
        if tensor.shape[first] != tensor.shape[second]:
            raise RuntimeError(f"einsum(): subscript {label} is repeated in one operand but the sizes don't match, "
                               f"{tensor.shape[first]} != {tensor.shape[second]}")  # fmt: skip
        tensor = tensor.moved(movement.diagonal, (0, first, second))
        labels = labels[:first] + labels[first + 1 : second] + labels[second + 1 :] + label
    return Term(tensor, labels)


def _sizes(terms: list[Term]) -> Sizes:
    """The size of every label; dimensions of size 1 broadcast."""
    sizes: Sizes = {}
    for position, term in enumerate(terms):
        for label, size in zip(term.labels, term.tensor.shape, strict=True):
            known = sizes.setdefault(label, size)
            if known == 1:
                sizes[label] = size
            elif size not in (1, known):
                raise RuntimeError(f"einsum(): dimension {label!r} has size {size} for operand {position}, which does "
                                   f"not broadcast with previously seen size {known}")  # fmt: skip
    return sizes


def _shape(labels: str, sizes: Sizes) -> Shape:
    return tuple([sizes[label] for label in labels])


def _without_broadcast_axes(term: Term, sizes: Sizes) -> Term:
    """Without the dimensions of size 1 that broadcast: a product broadcasts over what a factor lacks."""
    shape = term.tensor.shape
    kept = "".join([label for label, size in zip(term.labels, shape, strict=True) if size == sizes[label]])
    return Term(_reshaped(term.tensor, _shape(kept, sizes)), kept)


def _contract_pair(a: Term, b: Term, kept: set[str], sizes: Sizes) -> Term:
    """The product of two terms, summed over the labels that nothing else needs."""
    shared = [label for label in a.labels if label in b.labels]
    batch = "".join([label for label in shared if label in kept])
    contracted = "".join([label for label in shared if label not in kept])
    # As in PyTorch, a sum of integers alone is int64; the factors of a matrix product keep their dtype.
    dtype = a.tensor.dtype if contracted else None
    a, b = _summed(a, kept.union(b.labels), dtype), _summed(b, kept.union(a.labels), dtype)
    rows = "".join([label for label in a.labels if label not in shared])
    columns = "".join([label for label in b.labels if label not in shared])
    labels = batch + rows + columns
    if not contracted:
        return Term(arithmetic.mul(_spread(a, labels, sizes), _spread(b, labels, sizes)), labels)
    left, right = _matrices(a, batch, rows, contracted, sizes), _matrices(b, batch, contracted, columns, sizes)
    product = record(contraction.matmul, (left.node(), right.node()))
    return Term(_reshaped(product, _shape(labels, sizes)), labels)


def _summed(term: Term, kept: Iterable[str], dtype: DType | None = None) -> Term:
    """Summed over the labels that are not kept, in ``dtype`` or that of `sum`."""
    axes = tuple([axis for axis, label in enumerate(term.labels) if label not in kept])
    if not axes:
        return term
    labels = "".join([label for axis, label in enumerate(term.labels) if axis not in axes])
    return Term(sum_(term.tensor, axes, dtype=dtype), labels)


def _arranged(term: Term, labels: str) -> Tensor:
    """The tensor with its dimensions in the order of ``labels``, of which it may lack some."""
    axes = tuple([term.labels.index(label) for label in labels if label in term.labels])
    return term.tensor if axes == tuple(range(len(axes))) else term.tensor.moved(movement.permute, (axes,))


def _spread(term: Term, labels: str, sizes: Sizes) -> Tensor:
    """One dimension per label, of size 1 where the term lacks it."""
    shape = tuple([sizes[label] if label in term.labels else 1 for label in labels])
    return _reshaped(_arranged(term, labels), shape)


def _matrices(term: Term, batch: str, rows: str, columns: str, sizes: Sizes) -> Tensor:
    """A batch of matrices: dimensions of one kind are joined into one."""
    joined = [math.prod(_shape(group, sizes)) for group in (rows, columns)]
    return _reshaped(_arranged(term, batch + rows + columns), (*_shape(batch, sizes), *joined))


def _reshaped(tensor: Tensor, shape: Shape) -> Tensor:
    return tensor if tensor.shape == shape else tensor.moved(movement.reshape, (shape,))


@accepts_out
@traced
@lower_precision
def tensordot(a: Tensor, b: Tensor, dims: int | Sequence[Sequence[int]] = 2) -> Tensor:
    """The sum of products over pairs of dimensions.

    Args:
        a, b: tensors of one dtype.
        dims: how many of the last dimensions of ``a`` to pair with the first of ``b``; or two lists, the dimensions
            of ``a`` and those of ``b`` they pair with. Of a pair, one size may be 1.

    Returns:
        The other dimensions of ``a``, then those of ``b``.

    Raises:
        RuntimeError: sizes, dtypes or counts of dimensions that do not fit.
        IndexError: a dimension out of range.
    """
    a, b = tensor_argument(a, "tensordot", "a"), tensor_argument(b, "tensordot", "b")
    if a.dtype is not b.dtype:
        raise RuntimeError(f"tensordot: both inputs should have same dtype, but got {a.dtype.name} and {b.dtype.name}")
    of_a, of_b = _paired_dims(dims, a.shape, b.shape)
    labels_a = [chr(axis) for axis in range(a.ndim)]
    labels_b = [chr(a.ndim + axis) for axis in range(b.ndim)]
    for mine, theirs in zip(of_a, of_b, strict=True):
        labels_b[theirs] = labels_a[mine]
    summed = {labels_a[axis] for axis in of_a}
    output = "".join(label for label in (*labels_a, *labels_b) if label not in summed)
    product = contract([Term(a, "".join(labels_a)), Term(b, "".join(labels_b))], output)
    return Tensor.from_node(cast_node(product.node(), a.dtype))  # of integers, sums of one operand alone are int64


def _paired_dims(dims: int | Sequence[Sequence[int]], a: Shape, b: Shape) -> tuple[list[int], list[int]]:
    if isinstance(dims, int):
        if not 0 <= dims <= min(len(a), len(b)):
            raise RuntimeError(f"tensordot expects 0 <= dims <= the ranks {len(a)} and {len(b)}, but got dims={dims}")
        dims = (range(len(a) - dims, len(a)), range(dims))
    of_a = [normalize_axis(axis, len(a), "tensordot") for axis in dims[0]]
    of_b = [normalize_axis(axis, len(b), "tensordot") for axis in dims[1]]
    if len(of_a) != len(of_b):
        raise RuntimeError(f"tensordot: both dimension lists should have same length, but got {dims[0]} and {dims[1]}")
    if len({*of_a}) != len(of_a) or len({*of_b}) != len(of_b):
        raise RuntimeError(f"tensordot: a dim appears multiple times in {dims[0]} or {dims[1]}")
    for mine, theirs in zip(of_a, of_b, strict=True):
        if a[mine] != b[theirs] and 1 not in (a[mine], b[theirs]):
            raise RuntimeError(f"tensordot: contracted dimensions need to match, but first has size {a[mine]} in dim "
                               f"{mine} and second has size {b[theirs]} in dim {theirs}")  # fmt: skip
    return of_a, of_b
