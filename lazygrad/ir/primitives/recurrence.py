"""A recurrent layer over all its steps as one call, and its gradients as another.

What a step reads of the layer's input has been multiplied by the input weights before: one product for all steps.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

from lazygrad.ir.callable_op import CallableOp
from lazygrad.ir.dtype import DType, float32, float64, int64
from lazygrad.ir.node import TensorType
from lazygrad.ir.op import Kind
from lazygrad.ir.shape import Shape, ShapeError

LSTM, GRU, TANH, RELU = "lstm", "gru", "tanh", "relu"

GATES = {LSTM: 4, GRU: 3, TANH: 1, RELU: 1}
"""How many vectors of the layer's size a cell computes from the input and from the state."""

_KEPT = {LSTM: 5, GRU: 4, TANH: 0, RELU: 0}  # behind the hidden state: the cell state and the gates
_ATTRS = ("cell", "is_reversed", "is_projected")

Operand = TypeVar("Operand")


def named_operands(cell: str, is_projected: bool, operands: Sequence[Operand]) -> dict[str, Operand]:
    """The inputs of `recur` by name: ``inputs``, ``hidden``, ``weight`` and what this kind of layer has beside them."""
    names = ["inputs", "hidden", "weight", *{LSTM: ["cell"], GRU: ["bias"]}.get(cell, [])]
    names += ["projection"] if is_projected else []
    if len(operands) == len(names) + 1:
        names.append("lengths")
    return dict(zip(names, operands, strict=True))


def layer_size(cell: str, weight: Shape) -> int:
    """The number of units of a layer, from the shape of its recurrent weight."""
    return weight[0] // GATES[cell]


def _recur(attrs: tuple[Any, ...], *operands: TensorType) -> tuple[Shape, DType]:
    cell, _, is_projected = attrs
    given = named_operands(cell, is_projected, operands)
    inputs, weight = given["inputs"], given["weight"]
    if len(inputs.shape) != 3 or len(weight.shape) != 2:
        raise ShapeError(
            f"recur: expected inputs (T, B, gates) and a weight (gates, hidden), but got {inputs}, {weight}"
        )
    if inputs.dtype not in (float32, float64):
        raise RuntimeError(f"recur: expected f32 or f64, but got {inputs}")
    steps, batch, gates = inputs.shape
    size, width = layer_size(cell, weight.shape), weight.shape[1]
    if steps == 0:
        raise RuntimeError("Expected sequence length to be larger than 0 in RNN")
    expected: dict[str, Shape] = {
        "inputs": (steps, batch, GATES[cell] * size),
        "hidden": (batch, width),
        "weight": (gates, width if is_projected else size),
        "cell": (batch, size),
        "bias": (gates,),
        "projection": (width, size),
        "lengths": (batch,),
    }
    for name, operand in given.items():
        if operand.shape != expected[name]:
            raise ShapeError(f"recur: expected {name} of shape {expected[name]}, but got {operand}")
        if operand.dtype is not (int64 if name == "lengths" else inputs.dtype):
            raise RuntimeError(f"recur: {name} {operand} does not fit inputs {inputs}")
    return (steps, batch, width + _KEPT[cell] * size), inputs.dtype


def _recur_gradients(attrs: tuple[Any, ...], *operands: TensorType) -> tuple[Shape, DType]:
    cotangents = 2 if attrs[0] == LSTM else 1
    result, *layer = operands[cotangents:]
    shape, dtype = _recur(attrs, *layer)
    if result.shape != shape or result.dtype is not dtype:
        raise ShapeError(f"recur_gradients: {result} is no result of shape {shape}")
    given = named_operands(attrs[0], attrs[2], layer)
    steps, batch, gates = given["inputs"].shape
    width = given["weight"].shape[1]
    wanted = ((steps, batch, width), *([given["cell"].shape] if cotangents == 2 else []))
    for cotangent, own in zip(operands, wanted, strict=False):
        if cotangent.shape != own or cotangent.dtype is not dtype:
            raise ShapeError(f"recur_gradients: {cotangent} does not fit a result of shape {own}")
    return (steps + 1, batch, gates + (width if attrs[2] else 0)), dtype


recur = CallableOp(
    "recur",
    Kind.LIBRARY,
    _recur,
    _ATTRS,
    doc="a recurrent layer over all steps: hidden states, and beside them cell states and gates",
)
recur_gradients = CallableOp(
    "recur_gradients",
    Kind.LIBRARY,
    _recur_gradients,
    _ATTRS,
    doc="gradients of recur in its inputs, and behind them in the first states, from cotangents of all hidden and the "
    "last cell states, its result and its inputs",
)
