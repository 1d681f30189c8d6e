"""A recurrent layer spelled out step by step, for what differentiates its gradients."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lazygrad.ir.build import expand, reshape, swap_last
from lazygrad.ir.composites.activation import relu, sigmoid
from lazygrad.ir.node import Node
from lazygrad.ir.primitives import elementwise as ew
from lazygrad.ir.primitives.contraction import matmul
from lazygrad.ir.primitives.indexing import concat
from lazygrad.ir.primitives.movement import slice_
from lazygrad.ir.primitives.recurrence import GRU, TANH, layer_size, named_operands


def between(x: Node, axis: int, start: int, stop: int) -> Node:
    """The elements of an axis from ``start`` up to ``stop``."""
    starts = tuple([start if a == axis else 0 for a in range(x.rank)])
    stops = tuple([stop if a == axis else size for a, size in enumerate(x.shape)])
    return slice_(x, start=starts, stop=stops, step=(1,) * x.rank)


def at(x: Node, index: int) -> Node:
    """One element of the first axis."""
    return reshape(between(x, 0, index, index + 1), x.shape[1:])


@dataclass(frozen=True, slots=True)
class Steps:
    """A layer spelled out.

    Attributes:
        result: what `recur` gives.
        computed: the hidden state of each step for all sequences, those that are over included.
    """

    result: Node
    computed: tuple[Node, ...]


def spelled_out_recurrence(operands: Sequence[Node], *, cell: str, is_reversed: bool, is_projected: bool) -> Steps:
    """What `recur` computes, by operations that have derivatives."""
    given = named_operands(cell, is_projected, operands)
    inputs, hidden, memory = given["inputs"], given["hidden"], given.get("cell")
    count = inputs.shape[0]
    rows, computed = [hidden] * count, [hidden] * count
    for step in reversed(range(count)) if is_reversed else range(count):
        new = _step(cell, given, at(inputs, step), hidden, memory)
        computed[step] = new.hidden
        alive = ew.gt(given["lengths"], given["lengths"].like(step)) if "lengths" in given else None
        hidden = _where(alive, new.hidden, hidden)
        memory = None if new.memory is None or memory is None else _where(alive, new.memory, memory)
        row = joined([hidden, *([] if memory is None else [memory]), *new.gates], 1)
        rows[step] = reshape(row, (1, *row.shape))
    return Steps(joined(rows, 0), tuple(computed))


def joined(parts: Sequence[Node], axis: int) -> Node:
    """Their concatenation."""
    return parts[0] if len(parts) == 1 else concat(*parts, axis=axis)


def _where(alive: Node | None, yes: Node, no: Node) -> Node:
    return yes if alive is None else ew.where(expand(reshape(alive, (*alive.shape, 1)), yes.shape), yes, no)


@dataclass(frozen=True, slots=True)
class _Step:
    hidden: Node
    memory: Node | None = None
    gates: tuple[Node, ...] = ()


def _step(cell: str, given: dict[str, Node], inputs: Node, hidden: Node, memory: Node | None) -> _Step:
    size = layer_size(cell, given["weight"].shape)
    product = matmul(hidden, swap_last(given["weight"]))
    if cell == GRU:
        return _gru(inputs, product + given["bias"], hidden, size)
    gates = inputs + product
    if memory is None:
        return _Step(ew.tanh(gates) if cell == TANH else relu(gates))
    i, f, g, o = _parts(gates, 4, size)
    i, f, g, o = sigmoid(i), sigmoid(f), ew.tanh(g), sigmoid(o)
    memory = f * memory + i * g
    hidden = o * ew.tanh(memory)
    if "projection" in given:
        hidden = matmul(hidden, swap_last(given["projection"]))
    return _Step(hidden, memory, (i, f, g, o))


def _gru(inputs: Node, product: Node, hidden: Node, size: int) -> _Step:
    (ir, iz, new), (hr, hz, own) = _parts(inputs, 3, size), _parts(product, 3, size)
    r, z = sigmoid(ir + hr), sigmoid(iz + hz)
    n = ew.tanh(new + r * own)
    return _Step(n + z * (hidden - n), None, (r, z, n, own))


def _parts(x: Node, count: int, size: int) -> list[Node]:
    return [between(x, 1, k * size, (k + 1) * size) for k in range(count)]
