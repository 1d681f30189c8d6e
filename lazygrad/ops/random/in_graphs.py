"""Random numbers drawn inside graphs: those of dropout and its kin, where they are not drawn as PyTorch draws them.

Seed and counter are runtime arguments, so a program is compiled once for all draws. Where the stream stands is kept
here; `lazygrad.host.philox` says how its numbers are made.
"""

from __future__ import annotations

import secrets
import threading

from lazygrad.host.forks import unlocked_in_child
from lazygrad.host.philox import blocks_used
from lazygrad.ir.build import expand
from lazygrad.ir.composites.random import philox_uniform
from lazygrad.ir.device import Device
from lazygrad.ir.dtype import int64
from lazygrad.ir.node import Node
from lazygrad.ir.primitives.leaf import runtime_number
from lazygrad.ir.shape import numel
from lazygrad.levels import examples_to_draw, stacking_levels
from lazygrad.ops.arguments.drawing import draws_inside_graphs
from lazygrad.runtime.listening import listening
from lazygrad.tensor import Tensor, record

_WORD = 2**64


def drawn_inside(device: Device) -> bool:
    """Whether layers of this device draw inside the graph."""
    return draws_inside_graphs() or device.type != "cpu"


class _PhiloxState:
    """Where the counter-based generator stands. Until a seed is set, every process draws its own."""

    def __init__(self) -> None:
        self._lock = unlocked_in_child(threading.Lock())
        self._seed = secrets.randbits(64)
        self._counter = 0

    def set(self, seed: int, counter: int) -> None:
        with self._lock:
            self._seed, self._counter = seed % _WORD, counter

    def get(self) -> tuple[int, int]:
        with self._lock:
            return self._seed, self._counter

    def take(self, blocks: int) -> tuple[int, int]:
        with self._lock:
            counter = self._counter
            self._counter = (counter + blocks) % _WORD
            return self._seed, counter


_state = _PhiloxState()


def graph_random_state() -> tuple[int, int]:
    """Seed and counter of the stream, for `set_graph_random_state`."""
    return _state.get()


def set_graph_random_state(seed: int, counter: int = 0) -> None:
    """Start the stream of ``seed``, which counts modulo 2**64, at its beginning or where it stood at ``counter``."""
    _state.set(seed, counter)


def philox_source(count: int, device: Device) -> tuple[Node, Node]:
    """Seed and counter nodes for ``count`` random numbers that no other draw uses.

    Inside `vmap` with ``randomness="different"`` the counter stands for one per example; all of them are where the
    numbers of the whole stack begin.

    Raises:
        RuntimeError: inside `vmap` with ``randomness="error"``.
    """
    blocks = blocks_used(count * examples_to_draw())
    seed, counter = (runtime_number(signed_word(word), int64, device) for word in take_blocks(blocks))
    if listening.listener is not None:
        listening.listener.on_draw(seed, counter, blocks)
    for level in stacking_levels():
        counter = level.one_of(expand(counter, (level.copies, *counter.shape)))
    return seed, counter


def take_blocks(blocks: int) -> tuple[int, int]:
    """Seed, and the counter at the first of ``blocks`` blocks that no other draw uses."""
    return _state.take(blocks)


def signed_word(word: int) -> int:
    """The int64 number with the same bits."""
    return word - _WORD if word >= _WORD // 2 else word


def uniform_like(input: Tensor) -> Tensor:
    """Numbers in [0, 1) of the input's shape and floating dtype, drawn when the graph runs."""
    node = input.node()
    shape = node.type.shape
    return record(philox_uniform, philox_source(numel(shape), node.device), (shape, node.dtype.name))
