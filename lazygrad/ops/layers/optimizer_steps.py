"""The parts of optimizer updates that are recorded as one node each, so that a training step's graph reads like one."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from lazygrad.host.buffer import buffer_of
from lazygrad.host.dtypes import to_numpy
from lazygrad.ir.callable_op import Composite
from lazygrad.ir.composites import optimizer as composite
from lazygrad.ir.device import Device
from lazygrad.ir.dtype import DType
from lazygrad.ir.node import Node, TensorType, tensor_type
from lazygrad.ir.primitives.elementwise import after
from lazygrad.ir.primitives.leaf import buffer, leaf_node
from lazygrad.ops.arguments.operands import scalar_node
from lazygrad.tensor import Tensor, record


def zero_state(like: Tensor) -> Tensor:
    """Zeros that are in memory at once: a first step that made them would be another program than those that follow."""
    type = like.node().type
    return _in_memory(np.zeros(type.shape, to_numpy(type.dtype)), type)


def filled_state(shape: tuple[int, ...], value: complex, dtype: DType, device: Device) -> Tensor:
    """Equal numbers that are in memory at once, see `zero_state`."""
    return _in_memory(np.full(shape, value, to_numpy(dtype)), tensor_type(shape, dtype, device))


def _in_memory(array: np.ndarray, type: TensorType) -> Tensor:
    node = leaf_node(buffer, (None,), type)
    node.value = buffer_of(array, type.device)
    return Tensor.from_node(node)


def apply_rule(rule: Composite, *operands: Tensor, attrs: tuple[Any, ...] = ()) -> Tensor:
    """One node of an update rule; the result has the shape and dtype of the first operand."""
    return record(rule, tuple([operand.node() for operand in operands]), attrs)


def replaced(old: Tensor, number: Tensor) -> Tensor:
    """A number that takes the place of ``old``; what replaces several tensors is then several values, not one."""
    return record(after, (old.node(), number.node()))


def adam_first_moment(moment: Tensor, grad: Tensor, weight: float) -> Tensor:
    """moment + weight·(grad − moment): the running mean of the gradient."""
    return record(composite.adam_first_moment, (moment.node(), grad.node(), _number(weight, moment)))


def adam_second_moment(moment: Tensor, grad: Tensor, beta: float) -> Tensor:
    """beta·moment + (1 − beta)·grad²: the running mean of the squared gradient."""
    numbers = (_number(beta, moment), _number(1 - beta, moment))
    return record(composite.adam_second_moment, (moment.node(), grad.node(), *numbers))


def adam_update(
    parameter: Tensor,
    first: Tensor,
    second: Tensor,
    *,
    root_correction: Tensor,
    eps: float,
    negative_step_size: Tensor,
) -> Tensor:
    """parameter + negative_step_size · first / (√second / root_correction + eps).

    Args:
        parameter, first, second: of one shape.
        root_correction: √(1 − beta₂ᵗ), which undoes the bias of the second moment towards 0.
        eps: added to the denominator.
        negative_step_size: the learning rate with its sign turned, divided by 1 − beta₁ᵗ.
    """
    numbers = (root_correction.node(), _number(eps, parameter), negative_step_size.node())
    return record(composite.adam_update, (parameter.node(), first.node(), second.node(), *numbers))


def _number(value: float, like: Tensor) -> Node:
    return _shared_number(value, like.dtype, like.device)


@lru_cache(maxsize=256)
def _shared_number(value: float, dtype: DType, device: Device) -> Node:
    """One scalar for all parameters of an optimizer: they share their betas."""
    return scalar_node(value, dtype, device)
