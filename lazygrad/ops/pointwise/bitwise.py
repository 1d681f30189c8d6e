"""Logic, elementwise: of the bits of integers, and of truth values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lazygrad.ir.dtype import Category, DType, bool_
from lazygrad.ir.op import Op
from lazygrad.ir.primitives import elementwise as ew
from lazygrad.ops.arguments.kinds import Operand
from lazygrad.ops.arguments.operands import promoted, tensor_argument
from lazygrad.ops.arguments.out import accepts_out
from lazygrad.ops.arguments.registering import method
from lazygrad.ops.pointwise.relational import ne
from lazygrad.tensor import Tensor
from lazygrad.tensor_base import record

# fmt: off
__all__ = [
    "bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_left_shift", "bitwise_right_shift", "bitwise_not",
    "logical_not", "logical_and", "logical_or", "logical_xor",
]
# fmt: on

# Bits.


def _require_bits(name: str, dtype: DType) -> None:
    if dtype.category >= Category.FLOAT:
        raise NotImplementedError(f"{name} not implemented for '{dtype.scalar_type}'; cast to an integer or bool dtype")


def _of_bits(name: str, op: Op, doc: str, *names: str) -> Callable[[Any, Any], Tensor]:
    def function(input: Operand, other: Operand) -> Tensor:
        nodes = promoted(name, input, other)
        _require_bits(name, nodes[0].dtype)
        return record(op, nodes)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"{doc}, broadcast. NotImplementedError for floating dtypes."
    return accepts_out(method(*names, inplace=True)(function))


bitwise_and = _of_bits("bitwise_and", ew.bitwise_and, "input & other", "__and__", "__rand__")
bitwise_or = _of_bits("bitwise_or", ew.bitwise_or, "input | other", "__or__", "__ror__")
bitwise_xor = _of_bits("bitwise_xor", ew.bitwise_xor, "input ^ other", "__xor__", "__rxor__")


def _shift(name: str, op: Op, doc: str, *names: str) -> Callable[[Any, Any], Tensor]:
    def function(input: Operand, other: Operand) -> Tensor:
        nodes = promoted(name, input, other)
        if nodes[0].dtype.category is not Category.INTEGER:
            raise NotImplementedError(
                f"{name} not implemented for '{nodes[0].dtype.scalar_type}'; cast to an integer dtype"
            )
        return record(op, nodes)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"{doc}, broadcast. NotImplementedError for dtypes other than integers."
    return accepts_out(method(*names, inplace=True)(function))


bitwise_left_shift = _shift("bitwise_left_shift", ew.shift_left, "input << other", "__lshift__")
bitwise_right_shift = _shift("bitwise_right_shift", ew.shift_right, "input >> other", "__rshift__")


@method("__rlshift__")
def _reverse_left_shift(input: Tensor, other: Operand) -> Tensor:
    return bitwise_left_shift(other, input)


@method("__rrshift__")
def _reverse_right_shift(input: Tensor, other: Operand) -> Tensor:
    return bitwise_right_shift(other, input)


@accepts_out
@method(inplace=True)
def bitwise_not(input: Tensor) -> Tensor:
    """~x; logical not for bool tensors.

    Raises:
        NotImplementedError: a floating dtype.
    """
    _require_bits("bitwise_not", tensor_argument(input, "bitwise_not").dtype)
    return record(ew.invert, (input.node(),))


@method("__invert__")
def _invert(input: Tensor) -> Tensor:
    if input.dtype.category >= Category.FLOAT:
        raise TypeError("~ (operator.invert) is only implemented on integer and Boolean-type tensors")
    return bitwise_not(input)


# Truth values.


def _truth(input: Tensor, name: str) -> Tensor:
    return input if tensor_argument(input, name).dtype is bool_ else ne(input, 0)


@accepts_out
@method(inplace=True)
def logical_not(input: Tensor) -> Tensor:
    """True where an element is zero."""
    return record(ew.invert, (_truth(input, "logical_not").node(),))


def _logical(name: str, op: Op, doc: str) -> Callable[[Tensor, Tensor], Tensor]:
    def function(input: Tensor, other: Tensor) -> Tensor:
        return record(op, (_truth(input, name).node(), _truth(other, name).node()))

    function.__name__ = function.__qualname__ = name
    function.__doc__ = doc
    return accepts_out(method(inplace=True)(function))


logical_and = _logical("logical_and", ew.bitwise_and, "True where both are nonzero.")
logical_or = _logical("logical_or", ew.bitwise_or, "True where either is nonzero.")
logical_xor = _logical("logical_xor", ew.bitwise_xor, "True where exactly one is nonzero.")
