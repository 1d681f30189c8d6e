"""Random numbers drawn inside graphs: those of dropout and its kin, where they are not drawn as PyTorch draws them.

Seed and counter are runtime arguments, so a program is compiled once for all draws. Where the stream of each device
stands is kept in `lazygrad.runtime.device_streams`; `lazygrad.host.philox` says how its numbers are made.
"""

from __future__ import annotations

from lazygrad.host.philox import blocks_used
from lazygrad.ir.build import expand
from lazygrad.ir.composites.random import philox_uniform
from lazygrad.ir.device import CPU, Device
from lazygrad.ir.dtype import int64
from lazygrad.ir.node import Node
from lazygrad.ir.primitives.leaf import runtime_number
from lazygrad.ir.shape import numel
from lazygrad.levels import examples_to_draw, stacking_levels
from lazygrad.ops.arguments.drawing import draws_inside_graphs
from lazygrad.runtime.device_streams import counted_of
from lazygrad.runtime.listening import listening
from lazygrad.tensor import Tensor
from lazygrad.tensor_base import record

_WORD = 2**64


def drawn_inside(device: Device) -> bool:
    """Whether layers of this device draw inside the graph."""
    return draws_inside_graphs() or device.type != "cpu"


def graph_random_state(device: Device = CPU) -> tuple[int, int]:
    """Seed and counter of a device's stream, for `set_graph_random_state`."""
    return counted_of(device).get()


def set_graph_random_state(seed: int, counter: int = 0, device: Device = CPU) -> None:
    """Start the stream of ``seed``, which counts modulo 2**64, at its beginning or where it stood at ``counter``."""
    counted_of(device).set(seed, counter)


def philox_source(count: int, device: Device) -> tuple[Node, Node]:
    """Seed and counter nodes for ``count`` random numbers that no other draw uses.

    Inside `vmap` with ``randomness="different"`` the counter stands for one per example; all of them are where the
    numbers of the whole stack begin.

    Raises:
        RuntimeError: inside `vmap` with ``randomness="error"``.
    """
    blocks = blocks_used(count * examples_to_draw())
    seed, counter = (runtime_number(signed_word(word), int64, device) for word in take_blocks(blocks, device))
    if listening.listener is not None:
        listening.listener.on_draw(seed, counter, blocks)
    for level in stacking_levels():
        counter = level.one_of(expand(counter, (level.copies, *counter.shape)))
    return seed, counter


def take_blocks(blocks: int, device: Device = CPU) -> tuple[int, int]:
    """Seed, and the counter at the first of ``blocks`` blocks of a device's stream that no other draw uses."""
    return counted_of(device).take(blocks)


def signed_word(word: int) -> int:
    """The int64 number with the same bits."""
    return word - _WORD if word >= _WORD // 2 else word


def uniform_like(input: Tensor) -> Tensor:
    """Numbers in [0, 1) of the input's shape and floating dtype, drawn when the graph runs."""
    node = input.node()
    shape = node.type.shape
    return record(philox_uniform, philox_source(numel(shape), node.device), (shape, node.dtype.name))
