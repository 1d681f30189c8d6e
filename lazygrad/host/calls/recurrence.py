"""A recurrent layer and its gradients, one product a step."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from lazygrad.host.calls.recurrent_cells import CELLS
from lazygrad.ir.primitives.recurrence import LSTM, layer_size, named_operands

Array = np.ndarray


def recur(out: Array, *operands: Array, cell: str, is_reversed: bool, is_projected: bool) -> None:
    """The states after each step, side by side with what the gradients need of it; see the op."""
    layer = _layer(operands, cell, is_reversed, is_projected)
    state, rows = [layer.hidden, layer.memory], layer.columns(out)
    for step, alive in layer.steps():
        kept = rows.kept[step]
        product = state[0] @ layer.weight.T
        before, state = state, list(CELLS[cell].forward(kept, layer.inputs[step], product, *state, layer.bias))
        if layer.projection is not None:
            state[0] = state[0] @ layer.projection.T
        if alive is not None:
            state = [np.where(alive, new, old) for new, old in zip(state, before, strict=True)]
            kept[~alive[:, 0]] = 0
        rows.hidden[step], rows.memory[step] = state


def recur_gradients(out: Array, *operands: Array, cell: str, is_reversed: bool, is_projected: bool) -> None:
    """Backpropagation through time; see the op for what lies where."""
    known = 3 if cell == LSTM else 2
    layer = _layer(operands[known:], cell, is_reversed, is_projected)
    rows, gates = layer.columns(operands[known - 1]), layer.weight.shape[0]
    into_hidden = np.zeros_like(layer.hidden)
    into_memory = operands[1] if cell == LSTM else layer.memory
    order = list(layer.steps())
    before = [(layer.hidden, layer.memory), *[(rows.hidden[step], rows.memory[step]) for step, _ in order[:-1]]]
    for (step, alive), states in zip(reversed(order), reversed(before), strict=True):
        g = operands[0][step] + into_hidden
        into_output = g if layer.projection is None else g @ layer.projection
        into_gates, into_weighted, direct, passed = CELLS[cell].backward(
            rows.kept[step], into_output, into_memory, rows.hidden[step], rows.memory[step], *states
        )
        found = direct + into_weighted @ layer.weight
        out[step, :, :gates] = into_gates
        if layer.projection is not None:
            out[step, :, gates:] = g
        if alive is None:
            into_hidden, into_memory = found, passed
        else:
            out[step][~alive[:, 0]] = 0
            into_hidden, into_memory = np.where(alive, found, g), np.where(alive, passed, into_memory)
    last = out[len(order)]
    last[...] = 0
    last[:, : layer.width] = into_hidden
    if cell == LSTM:
        last[:, layer.width : layer.width + layer.size] = into_memory


@dataclass(frozen=True, slots=True)
class _Columns:
    """The columns of a layer's result."""

    hidden: Array
    memory: Array
    kept: Array


@dataclass(frozen=True, slots=True)
class _Layer:
    """The operands of a call. Without a cell state, ``memory`` has no columns."""

    is_reversed: bool
    inputs: Array
    hidden: Array
    weight: Array
    memory: Array
    bias: Array | None
    projection: Array | None
    lengths: Array | None
    size: int

    @property
    def width(self) -> int:
        return self.hidden.shape[1]

    def columns(self, result: Array) -> _Columns:
        end = self.width + self.memory.shape[1]
        return _Columns(result[..., : self.width], result[..., self.width : end], result[..., end:])

    def steps(self) -> Iterator[tuple[int, Array | None]]:
        """The steps in order, and which rows of the batch take part in each: None for all."""
        count = len(self.inputs)
        for step in reversed(range(count)) if self.is_reversed else range(count):
            yield step, None if self.lengths is None else (step < self.lengths)[:, None]


def _layer(operands: tuple[Array, ...], cell: str, is_reversed: bool, is_projected: bool) -> _Layer:
    given = named_operands(cell, is_projected, operands)
    inputs, hidden, weight = given["inputs"], given["hidden"], given["weight"]
    memory = given.get("cell", np.empty((len(hidden), 0), hidden.dtype))
    bias, projection, lengths = (given.get(name) for name in ("bias", "projection", "lengths"))
    size = layer_size(cell, weight.shape)
    return _Layer(is_reversed, inputs, hidden, weight, memory, bias, projection, lengths, size)
