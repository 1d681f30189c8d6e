"""Random numbers inside graphs. Seed and counter are runtime arguments, so a program is compiled once for all draws."""

from __future__ import annotations

from lazygrad.ir.composites.random import philox_uniform
from lazygrad.ir.device import Device
from lazygrad.ir.dtype import int64
from lazygrad.ir.node import Node
from lazygrad.ir.primitives.leaf import runtime_number
from lazygrad.ir.shape import numel
from lazygrad.ops.random_state import next_philox
from lazygrad.runtime.philox import blocks_used
from lazygrad.tensor import Tensor, record


def philox_source(count: int, device: Device) -> tuple[Node, Node]:
    """Seed and counter nodes for ``count`` random numbers that no other draw uses."""
    seed, counter = next_philox(blocks_used(count))
    return runtime_number(seed, int64, device), runtime_number(counter, int64, device)


def uniform_like(input: Tensor) -> Tensor:
    """Numbers in [0, 1) of the input's shape and floating dtype, drawn when the graph runs."""
    node = input.node()
    shape = node.type.shape
    return record(philox_uniform, philox_source(numel(shape), node.device), (shape, node.dtype.name))
