"""Orders of memory for the weights of convolutions: accepted, since parameters have one order.

A leaf's elements lie row-major here, and plans copy a weight into the order that their product reads fastest. So
another order of a weight would change no value and save no time.
"""

from __future__ import annotations

from typing import TypeVar

from lazygrad.ir.memory_format import MemoryFormat
from lazygrad.nn.core.module import Module

__all__ = ["convert_conv2d_weight_memory_format", "convert_conv3d_weight_memory_format"]

AnyModule = TypeVar("AnyModule", bound=Module)


def convert_conv2d_weight_memory_format(module: AnyModule, memory_format: MemoryFormat) -> AnyModule:
    """Returns the module, whose weights stay row-major.

    Raises:
        TypeError: ``memory_format`` is none.
    """
    return _accepted(module, memory_format)


def convert_conv3d_weight_memory_format(module: AnyModule, memory_format: MemoryFormat) -> AnyModule:
    """See `convert_conv2d_weight_memory_format`."""
    return _accepted(module, memory_format)


def _accepted(module: AnyModule, memory_format: MemoryFormat) -> AnyModule:
    if not isinstance(memory_format, MemoryFormat):
        raise TypeError(f"memory_format must be a memory_format, but got {type(memory_format).__name__}")
    return module
