"""The parts of optimizer updates that are recorded as one node each, so that a training step's graph reads like one."""

from __future__ import annotations

from typing import Any

import numpy as np

from lazygrad.host.buffer import buffer_of
from lazygrad.host.dtypes import to_numpy
from lazygrad.ir.callable_op import Composite
from lazygrad.ir.device import Device
from lazygrad.ir.dtype import DType
from lazygrad.ir.node import TensorType, tensor_type
from lazygrad.ir.primitives.elementwise import after
from lazygrad.ir.primitives.leaf import buffer, leaf_node
from lazygrad.tensor import Tensor
from lazygrad.tensor_base import record


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
