"""Powers of tensors and numbers, elementwise."""

from __future__ import annotations

from typing import cast

from lazygrad.ir.dtype import Category, DType, Scalar, complex128, float64
from lazygrad.ir.node import next_serial
from lazygrad.ir.primitives import elementwise as ew
from lazygrad.ops.arguments.elsewhere import FAILED, answered_elsewhere
from lazygrad.ops.arguments.kinds import Operand
from lazygrad.ops.arguments.operands import (
    as_scalar,
    cast_node,
    common_dtype,
    is_scalar,
    promoted,
    promoted_pair,
    scalar_node,
)
from lazygrad.ops.arguments.out import accepts_out
from lazygrad.ops.arguments.registering import method, write
from lazygrad.tensor import Tensor
from lazygrad.tensor_base import record

__all__ = ["float_power", "pow", "square"]


@accepts_out
@method("__pow__", inplace=True)
def pow(input: Operand, exponent: Operand) -> Tensor:
    """input^exponent, broadcast, in the promoted dtype.

    Raises:
        RuntimeError: integers to a negative integer power; an exponent that the dtype cannot hold.
        OverflowError: an integer of more than 64 bits.
    """
    try:
        negative = isinstance(exponent, int) and exponent < 0
        if negative and isinstance(input, Tensor) and input.dtype.category <= Category.INTEGER:
            raise RuntimeError("Integers to negative integer powers are not allowed.")
        if isinstance(exponent, (int, float)) and not -128 < exponent < 128 and isinstance(input, Tensor):
            _refuse_unheld(exponent, common_dtype(input, exponent))
        return record(ew.pow_, promoted_pair("pow", input, exponent))
    except FAILED:
        return cast(Tensor, answered_elsewhere(Tensor.pow, (input, exponent), {}))


def _refuse_unheld(exponent: Scalar, dtype: DType) -> None:
    """Integers and 16-bit floats must hold an exponent; that of a wider float may become infinite."""
    if dtype.category is Category.INTEGER or dtype.is_half:
        scalar_node(exponent, dtype)


@accepts_out
@method()
def float_power(input: Operand, exponent: Operand) -> Tensor:
    """input^exponent, broadcast, computed in float64, or complex128 where an operand is complex."""
    operands = [o if isinstance(o, Tensor) or is_scalar(o) else as_scalar(o, "float_power") for o in (input, exponent)]
    dtype = complex128 if common_dtype(*operands).is_complex else float64
    wide = [Tensor.from_node(cast_node(o.node(), dtype)) if isinstance(o, Tensor) else o for o in operands]
    return record(ew.pow_, promoted("float_power", *wide))


@method()
def float_power_(input: Tensor, exponent: Operand) -> Tensor:
    """In-place version of `float_power`.

    Raises:
        RuntimeError: the tensor is not of the double precision that the result has.
    """
    since = next_serial()
    result = float_power(input, exponent)
    if result.dtype is not input.dtype:
        raise RuntimeError(f"the base given to float_power_ has dtype {input.dtype.name} but the operation's result "
                           f"requires dtype {result.dtype.name}")  # fmt: skip
    return write(input, result, "float_power_", since)


@method("__rpow__")
def _reverse_pow(input: Tensor, other: Operand) -> Tensor:
    return pow(other, input)


@accepts_out
@method(inplace=True)
def square(input: Tensor) -> Tensor:
    """x², elementwise; bool becomes int64."""
    return pow(input, 2)
