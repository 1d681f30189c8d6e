"""Tensors as sets: the distinct elements, and membership."""

from __future__ import annotations

from math import prod
from typing import Any, Literal, overload

import numpy as np

from lazygrad.ir.dtype import bool_
from lazygrad.ir.shape import normalize_axis
from lazygrad.ops.arguments.keywords import also_named
from lazygrad.ops.arguments.kinds import Operand
from lazygrad.ops.arguments.operands import promoted, tensor_argument
from lazygrad.ops.arguments.out import accepts_out
from lazygrad.ops.arguments.registering import method
from lazygrad.ops.arguments.tracing import traced
from lazygrad.ops.creation.filled import filled
from lazygrad.ops.indexing.gathering import take
from lazygrad.ops.pointwise.bitwise import logical_not
from lazygrad.ops.pointwise.relational import eq
from lazygrad.ops.pointwise.selection import clamp
from lazygrad.ops.reductions.sorting import searchsorted, sort
from lazygrad.ops.reductions.sums import any as any_
from lazygrad.ops.shapes.reshaping import reshape
from lazygrad.tensor import Tensor

__all__ = ["unique", "unique_consecutive", "isin"]

# Up to how many candidates each element is compared with all of them, rather than sorted and searched for: PyTorch's
# bound, which grows slowly with the number of elements.
_FEW_CANDIDATES, _GROWTH = 10, 0.145

# How many distinct elements there are depends on the values, so these are computed when called.


@overload
def unique(
    input: Tensor,
    sorted: bool = True,
    return_inverse: Literal[False] = False,
    return_counts: Literal[False] = False,
    dim: int | None = None,
) -> Tensor: ...
@overload
def unique(
    input: Tensor,
    sorted: bool = True,
    return_inverse: bool = False,
    return_counts: bool = False,
    dim: int | None = None,
) -> Any: ...
@method()
def unique(
    input: Tensor,
    sorted: bool = True,
    return_inverse: bool = False,
    return_counts: bool = False,
    dim: int | None = None,
) -> Any:
    """The distinct elements, or the distinct slices along ``dim``, in ascending order. Computes ``input`` now.

    Args:
        input: any shape and dtype; gradients do not flow through.
        sorted: accepted; the result is sorted in any case.
        return_inverse: also return, for every element or slice, its int64 position in the result.
        return_counts: also return how often each occurs, int64.
        dim: None for the distinct elements of the whole tensor.

    Returns:
        The distinct ones, or a tuple of them with the inverse and the counts that were asked for.

    Raises:
        IndexError: ``dim`` out of range.
        RuntimeError: slices along ``dim`` that have no elements.
    """
    array, axis = _operand("unique", input, dim)
    found = np.unique(array, return_inverse=True, return_counts=True, axis=axis, equal_nan=False)
    inverse = found[1].reshape(array.shape if axis is None else -1)
    return _results(input, found[0], inverse if return_inverse else None, found[2] if return_counts else None)


@overload
def unique_consecutive(
    input: Tensor,
    return_inverse: Literal[False] = False,
    return_counts: Literal[False] = False,
    dim: int | None = None,
) -> Tensor: ...
@overload
def unique_consecutive(
    input: Tensor, return_inverse: bool = False, return_counts: bool = False, dim: int | None = None
) -> Any: ...
@method()
def unique_consecutive(
    input: Tensor, return_inverse: bool = False, return_counts: bool = False, dim: int | None = None
) -> Any:
    """The elements, or the slices along ``dim``, without those that equal the one before. Computes ``input`` now.

    Args and what is returned: see `unique`.
    """
    array, axis = _operand("unique_consecutive", input, dim)
    rows = array.reshape(-1, 1) if axis is None else np.moveaxis(array, axis, 0)
    flat = rows.reshape(rows.shape[0], prod(rows.shape[1:]))
    begins = np.append(np.full(min(1, len(flat)), True), (flat[1:] != flat[:-1]).any(axis=1))
    starts = np.flatnonzero(begins)
    distinct = rows[starts].reshape(-1) if axis is None else np.moveaxis(rows[starts], 0, axis)
    inverse = (np.cumsum(begins) - 1).reshape(array.shape if axis is None else -1)
    counts = np.diff(np.append(starts, len(flat)))
    return _results(input, distinct, inverse if return_inverse else None, counts if return_counts else None)


def _operand(name: str, input: Tensor, dim: int | None) -> tuple[np.ndarray, int | None]:
    if tensor_argument(input, name).dtype.is_complex:
        raise NotImplementedError(
            f"{name} not implemented for '{input.dtype.scalar_type}': complex numbers have no order"
        )
    array = input.detach().array()
    axis = None if dim is None else normalize_axis(dim, input.ndim, name)
    if axis is not None and 0 in (*array.shape[:axis], *array.shape[axis + 1 :]):
        raise RuntimeError(f"There are 0 sized dimensions, and they aren't selected, so {name} cannot be applied")
    return array, axis


def _results(input: Tensor, distinct: np.ndarray, *further: np.ndarray | None) -> Any:
    parts = [distinct, *[part for part in further if part is not None]]
    results = [Tensor.from_array(np.array(part, order="C"), input.device, shared=False) for part in parts]
    return tuple(results) if len(results) > 1 else results[0]


# Membership.


@accepts_out
@also_named(element="elements", test_element="test_elements")
@traced
def isin(elements: Operand, test_elements: Operand, *, assume_unique: bool = False, invert: bool = False) -> Tensor:
    """Where ``elements`` are among ``test_elements``, as bool of the former's shape; a NaN is nowhere.

    Args:
        elements, test_elements: tensors; either, but not both, may be a number.
        assume_unique: accepted; it would only save time.
        invert: where they are not.

    Raises:
        TypeError: two numbers.
    """
    nodes = promoted("isin", elements, test_elements)
    values, candidates = (Tensor.from_node(node).detach() for node in nodes)
    size = candidates.shape.numel()
    if size == 0:
        return filled(values.shape, invert, bool_, values.device)
    if size < _FEW_CANDIDATES * values.shape.numel() ** _GROWTH:
        result = any_(eq(reshape(values, (*values.shape, 1)), reshape(candidates, -1)), -1)
    else:
        ordered = sort(reshape(candidates, -1)).values
        found = clamp(searchsorted(ordered, values), max=size - 1)
        result = eq(take(ordered, found), values)
    return logical_not(result) if invert else result
