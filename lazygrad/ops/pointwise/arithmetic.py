"""Arithmetic of tensors and numbers, elementwise: sums and products."""

from __future__ import annotations

from typing import Any, cast

from lazygrad.ir.dtype import Category, DType, Scalar, bool_, float8_e8m0fnu, float32
from lazygrad.ir.node import Node, next_serial
from lazygrad.ir.op import Op
from lazygrad.ir.primitives import elementwise as ew
from lazygrad.ops.arguments.elsewhere import FAILED, answered_elsewhere
from lazygrad.ops.arguments.kinds import Operand
from lazygrad.ops.arguments.old_order import in_new_order, with_factor_between
from lazygrad.ops.arguments.operands import (
    alike,
    as_scalar,
    cast_node,
    in_float32,
    promoted,
    promoted_pair,
    scalar_node,
    tensor_argument,
)
from lazygrad.ops.arguments.out import accepts_out
from lazygrad.ops.arguments.reducing import widened
from lazygrad.ops.arguments.registering import method, write
from lazygrad.tensor import Tensor
from lazygrad.tensor_base import record, record_node

# fmt: off
__all__ = [
    "abs", "neg", "positive", "reciprocal", "add", "sub", "rsub", "mul", "addcmul", "addcdiv", "absolute", "negative",
    "subtract", "multiply",
]
# fmt: on

# Of one tensor.


@accepts_out
@method("absolute", "__abs__")
def abs(input: Tensor) -> Tensor:
    """|x|, elementwise; the dtype stays.

    Raises:
        NotImplementedError: a bool tensor.
    """
    dtype = tensor_argument(input, "abs").dtype
    if dtype is bool_:
        raise NotImplementedError("abs not implemented for 'Bool'; cast with .int()")
    if dtype.is_float8 and dtype is not float8_e8m0fnu:
        return _rounded(record_node(ew.abs_, (cast_node(input.node(), float32),)), dtype)
    return record(ew.abs_, (input.node(),))


@method("abs_", "absolute_")
def _abs_in_place(input: Tensor) -> Tensor:
    """In-place version of `abs`. RuntimeError for complex tensors, whose magnitudes are real."""
    if input.dtype.is_complex:
        raise RuntimeError("In-place abs is not supported for complex tensors.")
    since = next_serial()
    return write(input, abs(input), "abs_", since)


@accepts_out
@method("negative", "__neg__", inplace=True)
def neg(input: Tensor) -> Tensor:
    """−x, elementwise.

    Raises:
        RuntimeError: a bool tensor.
    """
    if tensor_argument(input, "neg").dtype is bool_:
        raise RuntimeError("Negation, the `-` operator, on a bool tensor is not supported. If you are trying to invert "
                           "a mask, use the `~` or `logical_not()` operator instead.")  # fmt: skip
    return record(ew.neg, (input.node(),))


@method("__pos__")
def positive(input: Tensor) -> Tensor:
    """``input`` itself.

    Raises:
        RuntimeError: a bool tensor.
    """
    if tensor_argument(input, "positive").dtype is bool_:
        raise RuntimeError("The `+` operator, on a bool tensor is not supported.")
    return input


@accepts_out
@method(inplace=True)
def reciprocal(input: Tensor) -> Tensor:
    """1/x, elementwise."""
    return record(ew.div, promoted("reciprocal", 1.0, input, to_float=True))


# Sums and products.


def _rounded(node: Node, dtype: DType) -> Tensor:
    return Tensor.from_node(cast_node(node, dtype))


def _scaled_arithmetic(op: Op, name: str, input: Operand, other: Operand, alpha: Scalar) -> Tensor:
    """``op`` of input and alpha·other, multiplied in the promoted dtype.

    Raises:
        RuntimeError: ``alpha`` is a float where the result is an integer, or a bool where it is not one.
    """
    if type(alpha) is int and alpha == 1:
        return record(op, promoted_pair(name, input, other))
    x, y = promoted(name, input, other)
    if isinstance(alpha, bool) and x.dtype is not bool_:
        raise RuntimeError("Boolean alpha only supported for Boolean results.")
    if isinstance(alpha, (float, complex)) and x.dtype.category < Category.FLOAT:
        raise RuntimeError("For integral input tensors, argument alpha must not be a floating point number.")
    if isinstance(alpha, complex) and not x.dtype.is_complex:
        raise RuntimeError("For non-complex input tensors, argument alpha must not be a complex number.")
    factor, dtype = scalar_node(as_scalar(alpha, name), x.dtype, x.device), x.dtype
    if not dtype.is_half:
        return record(op, (x, record_node(ew.mul, (y, factor))))
    x, y, factor = widened(x), widened(y), widened(factor)
    return _rounded(record_node(op, (x, record_node(ew.mul, (y, factor)))), dtype)


@accepts_out
@method("__add__", inplace=True)
def add(input: Operand, other: Operand, *old: Any, alpha: Scalar = 1) -> Tensor:
    """input + alpha·other, broadcast, in the promoted dtype.

    Raises:
        RuntimeError: ``alpha`` does not fit the promoted dtype.
    """
    if old:
        return with_factor_between(add, input, other, old, {} if alpha == 1 else {"alpha": alpha})
    try:
        return _scaled_arithmetic(ew.add, "add", input, other, alpha)
    except FAILED:
        return cast(Tensor, answered_elsewhere(Tensor.add, (input, other), {} if alpha == 1 else {"alpha": alpha}))


def _is_bool(operand: Any) -> bool:
    return operand.dtype is bool_ if isinstance(operand, Tensor) else isinstance(operand, bool)


@accepts_out
@method("subtract", "__sub__", inplace=True)
def sub(input: Operand, other: Operand, *old: Any, alpha: Scalar = 1) -> Tensor:
    """input − alpha·other, broadcast, in the promoted dtype.

    Raises:
        RuntimeError: a bool operand; ``alpha`` does not fit the promoted dtype.
    """
    if old:
        return with_factor_between(sub, input, other, old, {} if alpha == 1 else {"alpha": alpha})
    if _is_bool(input) or _is_bool(other):
        masks = "two bool tensors" if _is_bool(input) and _is_bool(other) else "a bool tensor"
        raise RuntimeError(f"Subtraction, the `-` operator, with {masks} is not supported. Use the `^` or "
                           f"`logical_xor()` operator for two masks, or `~` to invert one.")  # fmt: skip
    try:
        return _scaled_arithmetic(ew.sub, "sub", input, other, alpha)
    except FAILED:
        return cast(Tensor, answered_elsewhere(Tensor.sub, (input, other), {} if alpha == 1 else {"alpha": alpha}))


@method("__rsub__")
def rsub(input: Tensor, other: Operand, *, alpha: Scalar = 1) -> Tensor:
    """other − alpha·input, broadcast, in the promoted dtype.

    Raises:
        RuntimeError: see `sub`.
    """
    return sub(other, tensor_argument(input, "rsub"), alpha=alpha)


@accepts_out
@method("multiply", "__mul__", inplace=True)
def mul(input: Operand, other: Operand) -> Tensor:
    """input · other, broadcast, in the promoted dtype.

    Raises:
        OverflowError: an integer of more than 64 bits.
    """
    try:
        nodes = alike(input, other)
        if nodes is not None:
            return record(ew.mul, nodes)
        if isinstance(input, Tensor) and input.dtype.itemsize == 2:
            wide = in_float32(input, other)
            if wide is not None:
                return _rounded(record_node(ew.mul, wide), input.dtype)
        elif isinstance(input, Tensor) and input.dtype.is_float8 and isinstance(other, Tensor):
            x, y = promoted("mul", input, other)
            return _rounded(record_node(ew.mul, (cast_node(x, float32), cast_node(y, float32))), x.dtype)
        return record(ew.mul, promoted_pair("mul", input, other))
    except FAILED:
        return cast(Tensor, answered_elsewhere(Tensor.mul, (input, other), {}))


@accepts_out
@method(inplace=True)
def addcmul(input: Tensor, tensor1: Tensor, tensor2: Tensor, *old: Any, value: Scalar = 1) -> Tensor:
    """input + value·tensor1·tensor2."""
    if old:
        return in_new_order(addcmul, (input, tensor1, tensor2, *old), "value")
    return _three_operands("addcmul", ew.mul, input, tensor1, tensor2, value)


@accepts_out
@method(inplace=True)
def addcdiv(input: Tensor, tensor1: Tensor, tensor2: Tensor, *old: Any, value: Scalar = 1) -> Tensor:
    """input + value·tensor1/tensor2.

    Raises:
        RuntimeError: integers; divide them with `div` and its ``rounding_mode`` first.
    """
    if old:
        return in_new_order(addcdiv, (input, tensor1, tensor2, *old), "value")
    return _three_operands("addcdiv", ew.div, input, tensor1, tensor2, value)


def _three_operands(name: str, op: Op, input: Tensor, tensor1: Tensor, tensor2: Tensor, value: Scalar) -> Tensor:
    """input + value·op(tensor1, tensor2), rounded once for 16-bit floats."""
    base, first, second = promoted(name, input, tensor1, tensor2, tensors=3)
    dtype = base.type.dtype
    if op is ew.div and dtype.category < Category.FLOAT:
        raise RuntimeError(f"{name}: integer division is not supported; use div with rounding_mode, then add")
    base, first, second = widened(base), widened(first), widened(second)
    if value != 1:
        if isinstance(value, float) and dtype.category < Category.FLOAT:
            raise RuntimeError(f"{name}: for integer tensors, value={value} must not be a floating point number")
        first = record_node(ew.mul, (first, scalar_node(value, first.type.dtype, first.type.device)))
    return _rounded(record_node(ew.add, (base, record_node(op, (first, second)))), dtype)


# With the tensor on the right of the operator.


@method("__radd__")
def _reverse_add(input: Tensor, other: Operand) -> Tensor:
    return add(input, other)


@method("__rmul__")
def _reverse_mul(input: Tensor, other: Operand) -> Tensor:
    return mul(input, other)


# PyTorch's second names.
absolute, negative = abs, neg
subtract, multiply = sub, mul
