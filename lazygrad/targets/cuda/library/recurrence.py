"""A recurrent layer step by step: a product of the state and the weight, and a kernel with what the cell computes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod

from lazygrad.ir.node import Node
from lazygrad.ir.primitives.recurrence import LSTM, layer_size, named_operands
from lazygrad.targets.cuda.dialect import CUDA, NoCudaForm
from lazygrad.targets.cuda.library.arrays import Array, contiguous, copy, each_element, operand, result, scratch_array
from lazygrad.targets.cuda.library.matmul import multiply
from lazygrad.targets.cuda.table import FillStep, Parameter
from lazygrad.targets.cuda.writer import Writer


@dataclass(frozen=True, slots=True)
class _Layer:
    """The operands of a call, row-major but for the weight.

    Attributes:
        cell: the kind.
        order: of the steps.
    """

    cell: str
    order: Sequence[int]
    inputs: Array
    hidden: Array
    weight: Array
    memory: Array | None
    bias: Array | None
    lengths: Array | None

    @property
    def size(self) -> int:
        return layer_size(self.cell, self.weight.shape)

    def values(self) -> dict[str, object]:
        """What both templates are given."""
        return {"cell": self.cell, "size": self.size, "gates": self.weight.shape[0], "kind": self.inputs.dtype.short}

    def lengths_parameter(self) -> list[tuple[str, Parameter]]:
        return [] if self.lengths is None else [("const i64 *lengths", self.lengths.start)]


def _layer(writer: Writer, node: Node, nodes: Sequence[Node]) -> _Layer:
    if node["is_projected"]:
        raise NoCudaForm(f"{node.op.name} with a projection has no CUDA form yet; compute it on the CPU")
    given = {name: operand(writer, each) for name, each in named_operands(node["cell"], False, nodes).items()}
    rows = {name: array if name == "weight" else contiguous(writer, array) for name, array in given.items()}
    count = rows["inputs"].shape[0]
    order = range(count)[:: -1 if node["is_reversed"] else 1]
    return _Layer(
        node["cell"],
        order,
        rows["inputs"],
        rows["hidden"],
        rows["weight"],
        rows.get("cell"),
        rows.get("bias"),
        rows.get("lengths"),
    )


def _rows(array: Array, step: int, first: int = 0, width: int | None = None) -> Array:
    """One step of (steps, batch, columns), and of that some columns."""
    part = array.narrowed(0, step, step + 1)
    part = replace(part, shape=part.shape[1:], strides=part.strides[1:])
    return part.narrowed(1, first, part.shape[1] if width is None else first + width)


def _turned(array: Array) -> Array:
    return replace(array, shape=array.shape[::-1], strides=array.strides[::-1])


def recur(writer: Writer, node: Node) -> None:
    """The states after each step, side by side with what the gradients need of it."""
    layer, out = _layer(writer, node, node.inputs), result(writer, node)
    if not prod(out.shape):
        return
    kind, size = CUDA.memory_type(node.dtype), layer.size
    product = scratch_array(writer, node.dtype, (layer.hidden.shape[0], layer.weight.shape[0]))
    hidden, memory = layer.hidden, layer.memory
    for step in layer.order:
        multiply(writer, hidden, _turned(layer.weight), product)
        own = _rows(out, step)
        parameters: list[tuple[str, Parameter]] = [
            (f"const {kind} *inputs", _rows(layer.inputs, step).start),
            (f"const {kind} *product", product.start),
            (f"const {kind} *hidden", hidden.start),
            (f"{kind} *out", own.start),
            *([(f"const {kind} *memory", memory.start)] if memory is not None else []),
            *([(f"const {kind} *bias", layer.bias.start)] if layer.bias is not None else []),
            *layer.lengths_parameter(),
            ("i32 step", step),
        ]
        each_element(
            writer,
            "recur",
            f"{layer.cell}_step",
            (layer.hidden.shape[0], size),
            parameters,
            **layer.values(),
            hidden_stride=hidden.strides[0],
            memory_stride=memory.strides[0] if memory is not None else 0,
            out_stride=own.strides[0],
            has_lengths=int(layer.lengths is not None),
        )
        hidden = _rows(out, step, 0, size)
        memory = _rows(out, step, size, size) if memory is not None else None


def recur_gradients(writer: Writer, node: Node) -> None:
    """Backpropagation through time: the gates' gradients of each step, and behind them those of the first states."""
    known = 3 if node["cell"] == LSTM else 2
    layer, out = _layer(writer, node, node.inputs[known:]), result(writer, node)
    if not prod(out.shape):
        return
    cotangents, states = contiguous(writer, operand(writer, node.inputs[0])), operand(writer, node.inputs[known - 1])
    states, kind, size = contiguous(writer, states), CUDA.memory_type(node.dtype), layer.size
    into_hidden = scratch_array(writer, node.dtype, layer.hidden.shape)
    writer.add(FillStep(into_hidden.start, 0, prod(into_hidden.shape) * node.dtype.itemsize))
    into_memory = scratch_array(writer, node.dtype, (layer.hidden.shape[0], size))
    if layer.memory is not None:
        copy(writer, operand(writer, node.inputs[1]), into_memory)
    is_gru = layer.bias is not None
    weighted = scratch_array(writer, node.dtype, (layer.hidden.shape[0], layer.weight.shape[0])) if is_gru else None
    before = [None, *layer.order[:-1]]
    for step, previous in zip(reversed(layer.order), reversed(before), strict=True):
        hidden = layer.hidden if previous is None else _rows(states, previous, 0, size)
        memory = layer.memory
        if memory is not None and previous is not None:
            memory = _rows(states, previous, size, size)
        own = _rows(out, step)
        parameters: list[tuple[str, Parameter]] = [
            (f"const {kind} *cotangents", _rows(cotangents, step).start),
            (f"const {kind} *states", _rows(states, step).start),
            (f"const {kind} *hidden", hidden.start),
            (f"{kind} *into_hidden", into_hidden.start),
            (f"{kind} *into_memory", into_memory.start),
            (f"{kind} *out", own.start),
            *([(f"const {kind} *memory", memory.start)] if memory is not None else []),
            *([(f"{kind} *weighted", weighted.start)] if weighted is not None else []),
            *layer.lengths_parameter(),
            ("i32 step", step),
        ]
        each_element(
            writer,
            "recur_gradients",
            f"{layer.cell}_step_gradients",
            (layer.hidden.shape[0], size),
            parameters,
            **layer.values(),
            hidden_stride=hidden.strides[0],
            memory_stride=memory.strides[0] if memory is not None else 0,
            state_stride=states.strides[1],
            out_stride=own.strides[0],
            has_lengths=int(layer.lengths is not None),
        )
        multiply(writer, own if weighted is None else weighted, layer.weight, into_hidden, beta=1.0)
    last = _rows(out, len(layer.order))
    writer.add(FillStep(last.start, 0, prod(last.shape) * node.dtype.itemsize))
    copy(writer, into_hidden, last.narrowed(1, 0, size))
    if layer.memory is not None:
        copy(writer, into_memory, last.narrowed(1, size, 2 * size))
