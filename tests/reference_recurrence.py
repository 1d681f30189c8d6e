"""Evaluators of recurrent layers: the formulas, and their gradients by complex steps, which need no other formulas.

Squire and Trapp, "Using Complex Variables to Estimate Derivatives of Real Functions", SIAM Review 40(1), 1998.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from lazygrad.ir.node import Node
from lazygrad.ir.primitives.recurrence import GRU, LSTM, RELU, TANH, named_operands

Array = np.ndarray
_STEP = 1e-30


def _sigmoid(x: Array) -> Array:
    return 1 / (1 + np.exp(-x))


def _cell(
    kind: str, x: Array, product: Array, hidden: Array, memory: Any, given: Any
) -> tuple[Array, Any, list[Array]]:
    """The next states, and what is kept of the gates."""
    if kind in (TANH, RELU):
        gates = x + product
        return (np.tanh(gates) if kind == TANH else np.where(gates.real > 0, gates, 0)), None, []
    if kind == GRU:
        (a, b, c), (d, e, f) = np.split(x, 3, -1), np.split(product + given["bias"], 3, -1)
        r, z = _sigmoid(a + d), _sigmoid(b + e)
        n = np.tanh(c + r * f)
        return (1 - z) * n + z * hidden, None, [r, z, n, f]
    i, f, g, o = np.split(x + product, 4, -1)
    i, f, g, o = _sigmoid(i), _sigmoid(f), np.tanh(g), _sigmoid(o)
    memory = f * memory + i * g
    return o * np.tanh(memory), memory, [i, f, g, o]


def _rows(node: Node, given: dict[str, Any], bump: Any) -> Array:
    """All columns of the result; operands may have leading axes."""
    kind, x, hidden, memory = node["cell"], given["inputs"], given["hidden"], given.get("cell")
    steps = x.shape[-3]
    rows: dict[int, Array] = {}
    for t in reversed(range(steps)) if node["is_reversed"] else range(steps):
        old = hidden, memory
        product = np.einsum("...h,gh->...g", hidden, given["weight"])
        hidden, memory, kept = _cell(kind, x[..., t, :, :], product, hidden, memory, given)
        if node["is_projected"]:
            hidden = np.einsum("...h,ph->...p", hidden, given["projection"])
        hidden = hidden + bump[..., t, :, :]
        alive = (t < given["lengths"])[:, None] if "lengths" in given else np.bool_(True)
        hidden = np.where(alive, hidden, old[0])
        memory = None if kind != LSTM else np.where(alive, memory, old[1])
        parts = [hidden, *([] if memory is None else [memory]), *kept]
        lead = np.broadcast_shapes(*[part.shape[:-1] for part in parts])
        rows[t] = np.concatenate([np.broadcast_to(part, (*lead, part.shape[-1])) for part in parts], axis=-1)
    return np.stack([rows[t] for t in range(steps)], axis=-3)


def _recur(node: Node, *operands: Array) -> Array:
    given = named_operands(node["cell"], node["is_projected"], operands)
    return _rows(node, given, np.zeros((*given["inputs"].shape[:2], 1)))


def _recur_gradients(node: Node, *inputs: Array) -> Array:
    known = 3 if node["cell"] == LSTM else 2
    given = named_operands(node["cell"], node["is_projected"], inputs[known:])
    steps, batch = given["inputs"].shape[:2]
    width = given["hidden"].shape[1]
    last = 0 if node["is_reversed"] else steps - 1

    def loss(name: str, value: Array) -> Array:
        bump = value if name == "bump" else np.zeros((steps, batch, 1))
        rows = _rows(node, {**given, **({} if name == "bump" else {name: value})}, bump)
        total = (rows[..., :width] * inputs[0]).sum((-1, -2, -3))
        if node["cell"] == LSTM:
            size = given["cell"].shape[1]
            total = total + (rows[..., last, :, width : width + size] * inputs[1]).sum((-1, -2))
        return total

    def gradient(name: str, at: Array) -> Array:
        steps = np.eye(at.size).reshape(at.size, *at.shape) * (1j * _STEP)
        return (loss(name, at + steps).imag / _STEP).reshape(at.shape)

    result = np.zeros((steps + 1, batch, node.shape[2]))
    gates = given["inputs"].shape[2]
    result[:steps, :, :gates] = gradient("inputs", given["inputs"])
    if node["is_projected"]:
        result[:steps, :, gates:] = gradient("bump", np.zeros((steps, batch, width)))
    result[steps, :, :width] = gradient("hidden", given["hidden"])
    if node["cell"] == LSTM:
        memory = gradient("cell", given["cell"])
        result[steps, :, width : width + memory.shape[1]] = memory
    return result


EVALUATORS: dict[str, Callable[..., Any]] = {"recur": _recur, "recur_gradients": _recur_gradients}
