"""Functions defined by cases, elementwise: where, limits, signs, filling by masks, replacing NaN, interpolation."""

from __future__ import annotations

import builtins
from typing import Any, overload

from lazygrad.ir.composites import activation
from lazygrad.ir.device import Device
from lazygrad.ir.dtype import Category, DType, Scalar, bool_, float32, uint8
from lazygrad.ir.node import Node
from lazygrad.ir.primitives import elementwise as ew
from lazygrad.ir.user_warning import warn_user
from lazygrad.ops.arguments.dtypes import finfo
from lazygrad.ops.arguments.kinds import Operand
from lazygrad.ops.arguments.operands import (
    as_scalar,
    assigned_node,
    cast_node,
    common_dtype,
    is_scalar,
    promoted,
    scalar_node,
    tensor_argument,
)
from lazygrad.ops.arguments.out import accepts_out
from lazygrad.ops.arguments.registering import method
from lazygrad.ops.arguments.tracing import traced
from lazygrad.ops.indexing.masking import nonzero
from lazygrad.ops.pointwise.relational import eq, isnan
from lazygrad.tensor import Tensor
from lazygrad.tensor_base import record, record_node

__all__ = ["where", "sign", "clamp", "clip", "clamp_min", "clamp_max", "masked_fill", "nan_to_num", "lerp"]


@overload
def where(condition: Tensor) -> tuple[Tensor, ...]: ...
@overload
def where(condition: Tensor, input: Operand, other: Operand) -> Tensor: ...
@accepts_out
def where(condition: Tensor, input: Operand | None = None, other: Operand | None = None) -> Any:
    """``input`` where the condition holds, ``other`` elsewhere; all three broadcast.

    With the condition alone, the positions at which it holds, as `nonzero` with ``as_tuple``.

    Raises:
        RuntimeError: the condition is neither bool nor, which is deprecated, uint8.
        TypeError: one of ``input`` and ``other`` is missing.
    """
    tensor_argument(condition, "where", "condition")
    if input is None and other is None:
        return nonzero(condition, as_tuple=True)
    if input is None or other is None:
        raise TypeError("where() takes a condition, alone or with both input and other")
    if condition.dtype is uint8:
        warn_user(
            "where received a uint8 condition tensor. This behavior is deprecated and will be removed in a future "
            "version of PyTorch. Use a boolean condition instead."
        )
        condition = condition.to(bool_)
    return _chosen(condition, input, other)


@traced
def _chosen(condition: Tensor, input: Operand, other: Operand) -> Tensor:
    if condition.dtype is not bool_:
        raise RuntimeError(f"where expected condition to be a boolean tensor, but got a tensor with dtype "
                           f"{condition.dtype.name}")  # fmt: skip
    if is_scalar(input) or is_scalar(other):
        dtype = common_dtype(input, other)
        chosen, otherwise = [_case(value, dtype, condition.device) for value in (input, other)]
    else:
        chosen, otherwise = promoted("where", input, other)
    return record(ew.where, (condition.node(), chosen, otherwise))


def _case(value: Any, dtype: DType, device: Device) -> Node:
    if isinstance(value, Tensor):
        return cast_node(value.node(), dtype)
    return assigned_node(as_scalar(value, "where"), dtype, device)


@method("where")
def _where_method(input: Tensor, condition: Tensor, other: Operand) -> Tensor:
    """``self`` where the condition holds, ``other`` elsewhere."""
    return where(condition, input, other)


@accepts_out
@method(inplace=True)
def sign(input: Tensor) -> Tensor:
    """−1, 0 or 1, elementwise; 0 for NaN."""
    node = tensor_argument(input, "sign").node()
    if node.dtype.is_complex:
        raise NotImplementedError("sign does not support complex tensors; sgn(x) is x/|x|")
    if node.dtype.category is not Category.FLOAT:
        return input.clone() if node.dtype is bool_ else record(ew.sign, (node,))
    return where(isnan(input), 0.0, record(ew.sign, (node,)))


# Limits.


@accepts_out
@method("clip", inplace=True)
@traced
def clamp(input: Tensor, min: Operand | None = None, max: Operand | None = None) -> Tensor:
    """``input`` limited to [min, max]; each bound a number, a tensor or None.

    Raises:
        RuntimeError: both bounds are None, or one is a number that the result's dtype cannot hold.
    """
    if min is None and max is None:
        raise RuntimeError("clamp: At least one of 'min' or 'max' must not be None")
    bounds: list[Any] = [bound for bound in (min, max) if bound is not None]
    if len({isinstance(bound, Tensor) for bound in bounds}) == 2:
        bounds = _as_numbers(input, bounds)
    nodes = promoted("clamp", input, *bounds, tensors=1)
    for bound in bounds:
        if is_scalar(bound):
            scalar_node(bound, nodes[0].dtype)  # which refuses what the dtype cannot hold
    result = nodes[0]
    if min is not None:
        result = record_node(activation.clamp_min, (result, nodes[1]))
    if max is not None:
        result = record_node(activation.clamp_max, (result, nodes[-1]))
    return Tensor.from_node(result)


clip = clamp


def _as_numbers(input: Tensor, bounds: list[Any]) -> list[Any]:
    """The limits of `clamp`, of which one is a tensor: beside a number it counts as one, which has a dtype by category.

    Raises:
        TypeError: the tensor has dimensions, or requires gradients.
    """
    (tensor,) = [bound for bound in bounds if isinstance(bound, Tensor)]
    if tensor.ndim or tensor.requires_grad:
        raise TypeError("clamp(): min and max must both be tensors or both be numbers; a 0-dim tensor without gradient "
                        "counts as a number")  # fmt: skip
    numbers = [_ZERO[tensor.dtype.category] if bound is tensor else bound for bound in bounds]
    dtype = common_dtype(input, *numbers)
    return [Tensor.from_node(cast_node(bound.node(), dtype)) if bound is tensor else bound for bound in bounds]


_ZERO: dict[Category, Scalar] = {Category.BOOL: False, Category.INTEGER: 0, Category.FLOAT: 0.0, Category.COMPLEX: 0j}


@accepts_out
@method(inplace=True)
def clamp_min(input: Tensor, min: Operand) -> Tensor:
    """max(input, min), elementwise."""
    return clamp(input, min=min)


@accepts_out
@method(inplace=True)
def clamp_max(input: Tensor, max: Operand) -> Tensor:
    """min(input, max), elementwise."""
    return clamp(input, max=max)


# Replacing elements.


@method(inplace=True)
@traced
def masked_fill(input: Tensor, mask: Tensor, value: Operand) -> Tensor:
    """``input`` with ``value`` (a number or 0-dim tensor) where the mask holds; the dtype stays.

    Raises:
        RuntimeError: the mask is not bool; ``value`` has dimensions.
    """
    if mask.dtype is not bool_:
        raise RuntimeError(f"masked_fill_ only supports boolean masks, but got mask with dtype {mask.dtype.name}")
    if isinstance(value, Tensor):
        if value.ndim:
            raise RuntimeError(f"masked_fill_ only supports a 0-dimensional value tensor, but got tensor with "
                               f"{value.ndim} dimension(s).")  # fmt: skip
        if value.dtype.is_complex and not input.dtype.is_complex:
            raise RuntimeError(f"value cannot be converted to type {input.dtype.name} without overflow: it is complex")
        filler = cast_node(value.node(), input.dtype)
    else:
        filler = scalar_node(as_scalar(value, "masked_fill"), input.dtype, input.device)
    return record(ew.where, (mask.node(), filler, input.node()))


@accepts_out
@method(inplace=True)
@traced
def nan_to_num(
    input: Tensor, nan: float | None = None, posinf: float | None = None, neginf: float | None = None
) -> Tensor:
    """``input`` with NaN and the infinities replaced by numbers; integers stay as they are.

    Args:
        input: any dtype.
        nan: replaces NaN; 0 for None.
        posinf, neginf: replace +∞ and −∞; the dtype's largest and smallest number for None.
    """
    if tensor_argument(input, "nan_to_num").dtype.is_complex:
        parts = [record(part, (input.node(),)) for part in (ew.real, ew.imag)]
        real, imag = [nan_to_num(part, nan, posinf, neginf) for part in parts]
        return record(ew.complex_, (real.node(), imag.node()))
    if input.dtype.category is not Category.FLOAT:
        return input.clone()
    limits = finfo(input.dtype)
    result = masked_fill(input, isnan(input), 0.0 if nan is None else nan)
    result = masked_fill(result, eq(input, float("inf")), limits.max if posinf is None else posinf)
    return masked_fill(result, eq(input, float("-inf")), limits.min if neginf is None else neginf)


# Interpolation.


@accepts_out
@method(inplace=True)
def lerp(input: Tensor, end: Tensor, weight: Tensor | Scalar) -> Tensor:
    """input + weight·(end − input), evaluated from the nearer end for accuracy (as PyTorch does).

    Raises:
        RuntimeError: ``end``, or a tensor of weights, has another dtype than ``input``.
        NotImplementedError: integers or bools.
    """
    for name, operand in (("end", end), ("weight", weight)):
        if isinstance(operand, Tensor) and operand.dtype is not input.dtype:
            raise RuntimeError(f"expected dtype {input.dtype.c_type} for `{name}` but got dtype {operand.dtype.c_type}")
    if input.dtype.category < Category.FLOAT:
        raise NotImplementedError(f"lerp is not implemented for {input.dtype.name}; cast the operands first")
    if isinstance(weight, Tensor):
        return record(activation.lerp, (input.node(), end.node(), weight.node()), (None,))
    share = scalar_node(weight, float32 if input.dtype.is_half else input.dtype, input.device)
    return record(activation.lerp, (input.node(), end.node(), share), (builtins.abs(weight) < 0.5,))
