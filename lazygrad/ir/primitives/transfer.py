"""The primitive that carries a value from one device to another."""

from __future__ import annotations

from typing import Any

from lazygrad.ir.callable_op import CallableOp
from lazygrad.ir.device import Device
from lazygrad.ir.dtype import DType
from lazygrad.ir.node import Node, TensorType
from lazygrad.ir.op import Kind
from lazygrad.ir.shape import Shape


def _infer(attrs: tuple[Any, ...], x: TensorType) -> tuple[Shape, DType]:
    if x.device.computes:
        return x.shape, x.dtype
    raise NotImplementedError(f"Cannot copy out of {x.device.type} tensor; no data!")


copy = CallableOp("copy", Kind.TRANSFER, _infer, ("device",), doc="the same value on another device")


def copy_to(device: Device, x: Node) -> Node:
    """``x`` on ``device``; itself where it is there.

    Raises:
        NotImplementedError: ``x`` is on a device that has no values.
    """
    return x if x.device is device else copy(x, device=str(device))
