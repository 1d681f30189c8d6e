"""Quotients and remainders of tensors and numbers, elementwise."""

from __future__ import annotations

from typing import Any, cast

from lazygrad.ir.composites.quotient import truncated_quotient
from lazygrad.ir.dtype import Category
from lazygrad.ir.node import Node
from lazygrad.ir.op import Op
from lazygrad.ir.primitives import elementwise as ew
from lazygrad.ir.primitives.leaf import constant
from lazygrad.ops.arguments.elsewhere import FAILED, answered_elsewhere
from lazygrad.ops.arguments.kinds import Operand
from lazygrad.ops.arguments.operands import alike, cast_node, in_float32, promoted, promoted_pair
from lazygrad.ops.arguments.out import accepts_out
from lazygrad.ops.arguments.registering import method
from lazygrad.ops.pointwise.arithmetic import mul, reciprocal
from lazygrad.tensor import Tensor
from lazygrad.tensor_base import record, record_node

__all__ = ["div", "floor_divide", "remainder", "fmod", "divide", "true_divide"]


def _refuse_integer_zero(dividend: Node, divisor: Node) -> None:
    """Integers have no quotient by 0. A number 0 is refused here, one in a tensor when the result is computed."""
    is_zero = divisor.op is constant and divisor["value"] == 0
    if is_zero and divisor.dtype.category < Category.FLOAT and 0 not in dividend.shape:
        raise RuntimeError("ZeroDivisionError: an integer tensor cannot be divided by 0")


def _quotient(op: Op, name: str, input: Any, other: Any) -> Tensor:
    """``op`` of two operands promoted to a common dtype; of 16 bits divided by a number it is rounded once."""
    wide = in_float32(input, other)
    if wide is not None:
        return Tensor.from_node(cast_node(record_node(op, wide), input.dtype))
    x, y = promoted(name, input, other)
    _refuse_integer_zero(x, y)
    return record(op, (x, y))


@accepts_out
@method("divide", "true_divide", "__truediv__", inplace=True)
def div(input: Operand, other: Operand, *, rounding_mode: str | None = None) -> Tensor:
    """input / other, broadcast.

    Args:
        input, other: tensors or numbers.
        rounding_mode: None for true division (integers give floats), ``"trunc"`` or ``"floor"``.

    Raises:
        RuntimeError: another rounding mode; integers divided by 0 with rounding.
        OverflowError: an integer of more than 64 bits.
    """
    if rounding_mode is None:
        try:
            nodes = alike(input, other)
            if nodes is not None and nodes[0].type.dtype.differentiable:
                return record(ew.div, nodes)
            wide = in_float32(input, other)
            if wide is not None:
                assert isinstance(input, Tensor)
                return Tensor.from_node(cast_node(record_node(ew.div, wide), input.dtype))
            return record(ew.div, promoted_pair("div", input, other, True))
        except FAILED:
            return cast(Tensor, answered_elsewhere(Tensor.div, (input, other), {}))
    if rounding_mode == "floor":
        return floor_divide(input, other)
    if rounding_mode != "trunc":
        raise RuntimeError(
            f"div expected rounding_mode to be one of None, 'trunc', or 'floor' but found {rounding_mode!r}"
        )
    return _quotient(truncated_quotient, "div", input, other)


@accepts_out
@method("__floordiv__", inplace=True)
def floor_divide(input: Operand, other: Operand) -> Tensor:
    """⌊input / other⌋, broadcast, in the promoted dtype.

    Raises:
        RuntimeError: integers divided by 0; for a 0 inside a tensor when the result is computed.
        OverflowError: an integer of more than 64 bits.
    """
    return _quotient(ew.floor_div, "floor_divide", input, other)


def _rest(op: Op, name: str, input: Operand, other: Operand, tensors: int = 0) -> Tensor:
    x, y = promoted(name, input, other, tensors=tensors)
    _refuse_integer_zero(x, y)
    return record(op, (x, y))


@accepts_out
@method("__mod__", inplace=True)
def remainder(input: Operand, other: Operand) -> Tensor:
    """input − other·⌊input / other⌋: the sign of the divisor, but a zero has the sign of the dividend.

    Raises:
        RuntimeError, OverflowError: see `floor_divide`.
    """
    return _rest(ew.remainder, "remainder", input, other)


@accepts_out
@method(inplace=True)
def fmod(input: Operand, other: Operand) -> Tensor:
    """input − other·trunc(input / other): the sign of the dividend.

    Raises:
        RuntimeError, OverflowError: see `floor_divide`.
    """
    return _rest(ew.fmod, "fmod", input, other, tensors=1)


# With the tensor on the right of the operator.


@method("__rtruediv__", "__rdiv__")
def _reverse_div(input: Tensor, other: Operand) -> Tensor:
    if input.dtype.is_half:  # as PyTorch: a number too large for 16 bits may have a quotient that is not
        return mul(reciprocal(input), other)
    return div(other, input)


@method("__rfloordiv__")
def _reverse_floor_divide(input: Tensor, other: Operand) -> Tensor:
    return floor_divide(other, input)


@method("__rmod__")
def _reverse_remainder(input: Tensor, other: Operand) -> Tensor:
    return remainder(other, input)


# PyTorch's second names.
divide = true_divide = div
