"""Rounding, elementwise."""

from __future__ import annotations

import builtins
from collections.abc import Callable

from lazygrad.ir.dtype import Category, bool_
from lazygrad.ir.op import Op
from lazygrad.ir.primitives import elementwise as ew
from lazygrad.ops.arguments.operands import tensor_argument
from lazygrad.ops.arguments.out import accepts_out
from lazygrad.ops.arguments.registering import method
from lazygrad.ops.pointwise.arithmetic import mul, sub
from lazygrad.ops.pointwise.division import div
from lazygrad.tensor import Tensor
from lazygrad.tensor_base import record

__all__ = ["floor", "ceil", "trunc", "fix", "round", "frac"]


def _rounded(name: str, op: Op, input: Tensor) -> Tensor:
    node = tensor_argument(input, name).node()
    if node.dtype is bool_:
        raise NotImplementedError(f"{name} not implemented for 'Bool'; cast with .float() or .int()")
    return record(op, (node,)) if node.dtype.category >= Category.FLOAT else input.clone()


def _rounding(name: str, op: Op, formula: str, *names: str) -> Callable[[Tensor], Tensor]:
    def function(input: Tensor) -> Tensor:
        return _rounded(name, op, input)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"{formula}, elementwise; integers stay as they are."
    return accepts_out(method(*names, inplace=True)(function))


floor = _rounding("floor", ew.floor, "The largest integer not above x")
ceil = _rounding("ceil", ew.ceil, "The smallest integer not below x")
trunc = _rounding("trunc", ew.trunc, "x rounded towards zero", "fix")
fix = trunc


@accepts_out
@method(inplace=True)
def round(input: Tensor, *, decimals: int = 0) -> Tensor:
    """The nearest multiple of 10^−decimals, ties to even; integers stay as they are.

    Raises:
        RuntimeError: a bool tensor.
    """
    if decimals == 0:
        return _rounded("round", ew.round_, input)
    factor = 10.0 ** builtins.abs(decimals)
    if decimals > 0:
        return div(_rounded("round", ew.round_, mul(input, factor)), factor)
    return mul(_rounded("round", ew.round_, div(input, factor)), factor)


@accepts_out
@method(inplace=True)
def frac(input: Tensor) -> Tensor:
    """x − trunc(x), elementwise.

    Raises:
        NotImplementedError: integers and bools, which have no fractions.
    """
    if tensor_argument(input, "frac").dtype.category is not Category.FLOAT:
        raise NotImplementedError(f"frac not implemented for '{input.dtype.scalar_type}'; cast to a floating dtype")
    return sub(input, trunc(input))
