"""What one step of a recurrent layer computes from its gates, and the gradients of that."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from lazygrad.ir.primitives.recurrence import GRU, LSTM, RELU, TANH

Array = np.ndarray


@dataclass(frozen=True, slots=True)
class Cell:
    """One kind of cell.

    Attributes:
        forward: from the columns that are kept for the gradients (it fills them), the step's inputs, the product of
            the hidden state and the weight, the hidden and the cell state, and the bias: the next two states.
        backward: from the columns that were kept, the cotangents of the next states, these states, and those before:
            the gradients in the inputs, in the product, in the hidden state where it is read directly, and in the cell
            state.
    """

    forward: Callable[..., tuple[Array, Array]]
    backward: Callable[..., tuple[Array, Array, Any, Array]]


def _parts(rows: Array, count: int) -> list[Array]:
    return np.split(rows, count, axis=-1)


def _sigmoid(x: Array) -> Array:
    with np.errstate(over="ignore"):
        result: Array = 1 / (1 + np.exp(-x))
    return result


def _lstm(kept: Array, inputs: Array, product: Array, _: Array, memory: Array, __: None) -> tuple[Array, Array]:
    """Hochreiter and Schmidhuber, "Long Short-Term Memory", 1997, with the forget gate of Gers et al., 2000."""
    kept[...] = inputs + product
    i, f, g, o = _parts(kept, 4)
    for gate in (i, f, o):
        gate[...] = _sigmoid(gate)
    np.tanh(g, out=g)
    memory = f * memory + i * g
    return o * np.tanh(memory), memory


def _lstm_gradients(
    kept: Array, into_hidden: Array, into_memory: Array, _: Array, memory: Array, __: Array, before: Array
) -> tuple[Array, Array, Any, Array]:
    i, f, g, o = _parts(kept, 4)
    squashed = np.tanh(memory)
    total = into_memory + into_hidden * o * (1 - squashed * squashed)
    gates = np.concatenate(
        [total * g * i * (1 - i), total * before * f * (1 - f), total * i * (1 - g * g),
         into_hidden * squashed * o * (1 - o)], axis=-1
    )  # fmt: skip
    return gates, gates, 0, total * f


def _gru(kept: Array, inputs: Array, product: Array, hidden: Array, memory: Array, bias: Array) -> tuple[Array, Array]:
    """Cho et al., arXiv:1406.1078, 2014, with the state multiplied by its weight before it is reset."""
    r, z, n, from_hidden = _parts(kept, 4)
    product = product + bias
    (ir, iz, new), (hr, hz, own) = _parts(inputs, 3), _parts(product, 3)
    r[...], z[...], from_hidden[...] = _sigmoid(ir + hr), _sigmoid(iz + hz), own
    n[...] = np.tanh(new + r * own)
    return n + z * (hidden - n), memory


def _gru_gradients(
    kept: Array, into_hidden: Array, into_memory: Array, _: Array, __: Array, before: Array, ___: Array
) -> tuple[Array, Array, Any, Array]:
    r, z, n, from_hidden = _parts(kept, 4)
    into_new = into_hidden * (1 - z) * (1 - n * n)
    into_reset = into_new * from_hidden * r * (1 - r)
    into_update = into_hidden * (before - n) * z * (1 - z)
    gates = np.concatenate([into_reset, into_update, into_new], axis=-1)
    return gates, np.concatenate([into_reset, into_update, into_new * r], axis=-1), into_hidden * z, into_memory


def _tanh(_: Array, inputs: Array, product: Array, __: Array, memory: Array, ___: None) -> tuple[Array, Array]:
    return np.tanh(inputs + product), memory


def _relu(_: Array, inputs: Array, product: Array, __: Array, memory: Array, ___: None) -> tuple[Array, Array]:
    return np.maximum(inputs + product, 0), memory


def _tanh_gradients(
    _: Array, g: Array, into_memory: Array, hidden: Array, *__: Array
) -> tuple[Array, Array, Any, Array]:
    gates = g * (1 - hidden * hidden)
    return gates, gates, 0, into_memory


def _relu_gradients(
    _: Array, g: Array, into_memory: Array, hidden: Array, *__: Array
) -> tuple[Array, Array, Any, Array]:
    gates = np.where(hidden > 0, g, 0)
    return gates, gates, 0, into_memory


CELLS = {
    LSTM: Cell(_lstm, _lstm_gradients),
    GRU: Cell(_gru, _gru_gradients),
    TANH: Cell(_tanh, _tanh_gradients),
    RELU: Cell(_relu, _relu_gradients),
}
