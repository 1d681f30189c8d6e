"""Tensors as Python values: item, tolist, truth, numbers, membership, format strings."""

from __future__ import annotations

from typing import Any

from lazygrad.ir.dtype import Category, bfloat16
from lazygrad.ir.shape import numel
from lazygrad.ops.arguments.kinds import Operand
from lazygrad.ops.arguments.operands import is_scalar
from lazygrad.ops.arguments.python_data import warn_of_gradient
from lazygrad.ops.arguments.registering import method
from lazygrad.ops.pointwise.relational import eq
from lazygrad.tensor import Tensor

_NUMBERS = (float, int, bool, complex)  # others come of bfloat16, which is ml_dtypes' own


@method()
def tolist(input: Tensor) -> Any:
    """The value as nested lists of Python numbers; a number for a 0-dim tensor."""
    array = input.array()
    return array.astype("float32").tolist() if input.dtype is bfloat16 or input.dtype.is_float8 else array.tolist()


@method()
def item(input: Tensor) -> Any:
    """The value of a tensor of one element, whatever its number of dimensions.

    Raises:
        RuntimeError: the tensor has another number of elements.
    """
    count = numel(input._sizes())
    if count != 1:
        raise RuntimeError(f"a Tensor with {count} elements cannot be converted to Scalar; use tolist() or numpy()")
    number = input.only_element()
    return number if type(number) in _NUMBERS else float(number)


def _number(input: Tensor) -> Any:
    number = input.only_element()
    return number if type(number) in _NUMBERS else float(number)


def _real_element(input: Tensor, kind: str) -> float:
    value = _only_element(input)
    if isinstance(value, complex):
        if value.imag != 0:
            raise RuntimeError(f"value cannot be converted to type {kind} without overflow: {value}")
        return value.real
    return value


def _only_element(input: Tensor) -> Any:
    if numel(input._sizes()) != 1:
        raise ValueError(
            f"only one element tensors can be converted to Python scalars, and this one has shape {tuple(input.shape)}"
        )
    return _number(input)


@method()
def __bool__(input: Tensor) -> bool:
    """Whether the one element is nonzero.

    Raises:
        RuntimeError: the tensor has another number of elements.
    """
    count = numel(input._sizes())
    if count != 1:
        several = "more than one value" if count else "no values"
        raise RuntimeError(f"Boolean value of Tensor with {several} is ambiguous; use .any() or .all()")
    return bool(_number(input))


@method()
def __float__(input: Tensor) -> float:
    """The one element as a float; ValueError for several."""
    warn_of_gradient(input)
    return float(_real_element(input, "double"))


@method()
def __int__(input: Tensor) -> int:
    """The one element as an int, rounded towards zero; ValueError for several."""
    return int(_real_element(input, "int64_t"))


@method()
def __complex__(input: Tensor) -> complex:
    """The one element as a complex number; ValueError for several."""
    warn_of_gradient(input)
    return complex(_only_element(input))


@method()
def __index__(input: Tensor) -> int:
    """The one integer as a list index.

    Raises:
        TypeError: not an integer dtype, or several elements.
    """
    if input.dtype.category > Category.INTEGER or numel(input._sizes()) != 1:
        raise TypeError("only integer tensors of a single element can be converted to an index")
    return int(item(input).real)


@method()
def __contains__(input: Tensor, element: Operand) -> bool:
    """Whether an element equals a number, or an element of a tensor that broadcasts.

    Raises:
        RuntimeError: ``element`` is neither a tensor nor a number.
    """
    if not isinstance(element, Tensor) and not is_scalar(element):
        raise RuntimeError(f"Tensor.__contains__ only supports Tensor or scalar, but you passed in a {type(element)}.")
    return bool(eq(input, element).array().any())


@method()
def __format__(input: Tensor, format_spec: str) -> str:
    """A 0-dim tensor formats as its number, others as their ``str``."""
    if input.ndim == 0 and type(input) is Tensor:
        return format(item(input), format_spec)
    return object.__format__(input, format_spec)
