"""Powers of tensors and numbers, elementwise."""

from __future__ import annotations

from typing import Any

from lazygrad.ir.dtype import Category, complex128, float64
from lazygrad.ir.node import next_serial
from lazygrad.ir.primitives import elementwise as ew
from lazygrad.ops.arguments.operands import cast_node, promoted
from lazygrad.ops.arguments.out import accepts_out
from lazygrad.ops.arguments.registering import method, write
from lazygrad.ops.pointwise.arithmetic import of_promoted
from lazygrad.tensor import Tensor, record

__all__ = ["float_power", "pow", "square"]


@accepts_out
@method("__pow__", inplace=True)
def pow(input: Any, exponent: Any) -> Tensor:
    """input^exponent, broadcast, in the promoted dtype.

    Raises:
        RuntimeError: integers to a negative integer power.
    """
    negative = isinstance(exponent, int) and exponent < 0
    if negative and isinstance(input, Tensor) and input.dtype.category <= Category.INTEGER:
        raise RuntimeError("Integers to negative integer powers are not allowed.")
    return of_promoted(ew.pow_, "pow", input, exponent)


@accepts_out
@method()
def float_power(input: Any, exponent: Any) -> Tensor:
    """input^exponent, broadcast, computed in float64, or complex128 where an operand is complex."""
    x, y = promoted("float_power", input, exponent)
    dtype = complex128 if x.dtype.is_complex else float64
    return record(ew.pow_, (cast_node(x, dtype), cast_node(y, dtype)))


@method()
def float_power_(input: Tensor, exponent: Any) -> Tensor:
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
def _reverse_pow(input: Tensor, other: Any) -> Tensor:
    return pow(other, input)


@accepts_out
@method(inplace=True)
def square(input: Tensor) -> Tensor:
    """x², elementwise; bool becomes int64."""
    return pow(input, 2)
