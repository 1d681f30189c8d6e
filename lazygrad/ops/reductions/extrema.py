"""Largest and smallest elements, and where they are.

Along one dimension (`max`, `min`) the gradient goes to the selected element; over several dimensions, or
over all elements, those that tie share it evenly. NaN is both the largest and the smallest number.
"""

from __future__ import annotations

from typing import Any, overload

from lazygrad.ir.dtype import bool_
from lazygrad.ir.node import Node
from lazygrad.ir.op import Op
from lazygrad.ir.primitives import reduction as rd
from lazygrad.ir.shape import normalize_axes
from lazygrad.ops import return_types
from lazygrad.ops.arguments.keywords import numpy_keywords
from lazygrad.ops.arguments.kinds import Dim
from lazygrad.ops.arguments.operands import tensor_argument
from lazygrad.ops.arguments.out import accepts_out, accepts_out_of_its_dtype
from lazygrad.ops.arguments.reducing import (
    axis_operand,
    check_nonempty,
    extent,
    reduced,
    reshaped,
    selected,
    selection_shape,
    without_axes,
)
from lazygrad.ops.arguments.registering import method
from lazygrad.ops.arguments.tracing import traced
from lazygrad.ops.pointwise import relational
from lazygrad.tensor import Tensor
from lazygrad.tensor_base import record_node

__all__ = ["amax", "amin", "aminmax", "max", "min", "argmax", "argmin"]


def _check_all_nonempty(name: str, node: Node, axes: tuple[int, ...], of_all: bool) -> None:
    if extent(node.type.shape, axes) > 0:
        return
    if of_all:
        raise RuntimeError(f"{name}(): Expected reduction dim to be specified for input.numel() == 0. Specify the "
                           f"reduction dim with the 'dim' argument.")  # fmt: skip
    for axis in axes:
        check_nonempty(name, node.type.shape, axis)


def _extremum(name: str, op: Op, input: Tensor, dim: Dim, keepdim: bool) -> Tensor:
    """The largest or smallest element over dimensions."""
    node = tensor_argument(input, name).node()
    if node.dtype.is_complex:
        raise NotImplementedError(
            f"{name} not implemented for '{node.dtype.scalar_type}': complex numbers have no order"
        )
    axes = normalize_axes(dim, node.rank, name)
    _check_all_nonempty(name, node, axes, of_all=len(axes) == node.rank and not isinstance(dim, int))
    return without_axes(reduced(op, node, axes), axes, keepdim)


@accepts_out
@method()
@traced
@numpy_keywords
def amax(input: Tensor, dim: Dim = (), keepdim: bool = False) -> Tensor:
    """The largest element over ``dim`` (all dimensions when empty); ties share the gradient.

    Raises:
        RuntimeError, IndexError: nothing to choose from; a dimension out of range or given twice.
    """
    return _extremum("amax", rd.reduce_max, input, dim, keepdim)


@accepts_out
@method()
@traced
@numpy_keywords
def amin(input: Tensor, dim: Dim = (), keepdim: bool = False) -> Tensor:
    """The smallest element over ``dim`` (all dimensions when empty); ties share the gradient.

    Raises:
        RuntimeError, IndexError: nothing to choose from; a dimension out of range or given twice.
    """
    return _extremum("amin", rd.reduce_min, input, dim, keepdim)


@accepts_out_of_its_dtype
@method()
@traced
@numpy_keywords
def aminmax(input: Tensor, *, dim: int | None = None, keepdim: bool = False) -> return_types.aminmax:
    """The smallest and the largest element, of all or along one ``dim``, as a named pair (min, max).

    Raises:
        RuntimeError, IndexError: nothing to choose from; a dimension out of range.
    """
    return return_types.aminmax(
        _extremum("aminmax", rd.reduce_min, input, dim, keepdim),
        _extremum("aminmax", rd.reduce_max, input, dim, keepdim),
    )


def _indexed(name: str, op: Op, input: Tensor, dim: Any, keepdim: bool) -> tuple[Tensor, Tensor]:
    """The elements that ``op`` finds along ``dim``, and their indices."""
    node, axis = axis_operand(name, input, dim)
    check_nonempty(name, node.type.shape, axis)
    index = record_node(op, (node,), (axis,))
    return selected(node, index, axis, selection_shape(input, axis, keepdim))


def _form(name: str, dim: Any, keepdim: bool | None, other: Tensor | None) -> tuple[Any, Tensor | None]:
    """Tells the three forms of `max` and `min` apart: the dimension, the other tensor, or neither."""
    if isinstance(dim, Tensor):
        if other is not None:
            raise TypeError(f"{name}() takes one other tensor, but got two")
        dim, other = None, dim
    if dim is None and keepdim is not None:
        raise TypeError(f"{name}() takes keepdim only together with an int dim; use a{name}() to reduce all dimensions")
    if dim is not None and other is not None:
        raise TypeError(f"{name}() takes either a dim or another tensor, but got both")
    return dim, other


@overload
def max(input: Tensor) -> Tensor: ...
@overload
def max(input: Tensor, dim: int, keepdim: bool = False) -> return_types.max: ...
@overload
def max(input: Tensor, other: Tensor, /) -> Tensor: ...
@overload
def max(input: Tensor, *, other: Tensor) -> Tensor: ...
@accepts_out
@method()
@traced
@numpy_keywords
def max(input: Tensor, dim: Any = None, keepdim: bool | None = None, *, other: Tensor | None = None) -> Any:
    """The largest element, in one of three forms.

    ``max(input)`` is the largest of all, 0-dim. ``max(input, dim, keepdim=False)`` gives a named pair
    (values, indices) along one dimension, the first index on ties. ``max(input, other)`` compares two tensors
    elementwise, as `maximum`.

    Raises:
        RuntimeError, IndexError: nothing to choose from; a dimension out of range.
        TypeError: several dimensions (use `amax`), or arguments of two forms.
    """
    dim, other = _form("max", dim, keepdim, other)
    if other is not None:
        return relational.maximum(input, other)
    if dim is None:
        return _extremum("max", rd.reduce_max, input, None, False)
    return return_types.max(*_indexed("max", rd.argmax, input, dim, bool(keepdim)))


@overload
def min(input: Tensor) -> Tensor: ...
@overload
def min(input: Tensor, dim: int, keepdim: bool = False) -> return_types.min: ...
@overload
def min(input: Tensor, other: Tensor, /) -> Tensor: ...
@overload
def min(input: Tensor, *, other: Tensor) -> Tensor: ...
@accepts_out
@method()
@traced
@numpy_keywords
def min(input: Tensor, dim: Any = None, keepdim: bool | None = None, *, other: Tensor | None = None) -> Any:
    """The smallest element, in one of three forms; see `max`.

    Raises:
        RuntimeError, IndexError: nothing to choose from; a dimension out of range.
        TypeError: several dimensions (use `amin`), or arguments of two forms.
    """
    dim, other = _form("min", dim, keepdim, other)
    if other is not None:
        return relational.minimum(input, other)
    if dim is None:
        return _extremum("min", rd.reduce_min, input, None, False)
    return return_types.min(*_indexed("min", rd.argmin, input, dim, bool(keepdim)))


def _position(name: str, op: Op, input: Tensor, dim: int | None, keepdim: bool) -> Tensor:
    if tensor_argument(input, name).dtype is bool_:
        raise RuntimeError(f"{name}(): does not support bool input; cast with .int()")
    if dim is not None:
        node, axis = axis_operand(name, input, dim)
        check_nonempty(name, node.type.shape, axis)
        shape = selection_shape(input, axis, keepdim)
    else:
        node, axis = reshaped(input.node(), (extent(input.shape, tuple(range(input.ndim))),)), 0
        if node.type.shape == (0,):
            raise IndexError(f"{name}(): Expected reduction dim to be specified for input.numel() == 0.")
        shape = (1,) * input.ndim if keepdim else ()
    return Tensor.from_node(reshaped(record_node(op, (node,), (axis,)), shape))


@accepts_out
@method()
@traced
@numpy_keywords
def argmax(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor:
    """The int64 index of the first largest element along ``dim``, or among all elements in row-major order.

    Raises:
        IndexError: nothing to choose from; a dimension out of range.
        RuntimeError: a bool tensor.
    """
    return _position("argmax", rd.argmax, input, dim, keepdim)


@accepts_out
@method()
@traced
@numpy_keywords
def argmin(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor:
    """The int64 index of the first smallest element along ``dim``, or among all elements in row-major order.

    Raises:
        IndexError: nothing to choose from; a dimension out of range.
        RuntimeError: a bool tensor.
    """
    return _position("argmin", rd.argmin, input, dim, keepdim)
