"""A recurrent layer step by step: a product of the state and the weight, and a kernel with what the cell computes.

A layer with a projection has one product more a step, of the cell's output; and in the gradients' pass a kernel that
keeps what goes into it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod

from lazygrad.ir.node import Node
from lazygrad.ir.primitives.recurrence import LSTM, layer_size, named_operands
from lazygrad.targets.cuda.dialect import CUDA
from lazygrad.targets.cuda.library.arrays import Array, contiguous, copy, each_element, operand, result, scratch_array
from lazygrad.targets.cuda.library.matmul import multiply
from lazygrad.targets.cuda.table import FillStep, Parameter
from lazygrad.targets.cuda.writer import Writer


@dataclass(frozen=True, slots=True)
class _Layer:
    """The operands of a call, row-major but for the weights.

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
    projection: Array | None
    lengths: Array | None

    @property
    def size(self) -> int:
        return layer_size(self.cell, self.weight.shape)

    @property
    def width(self) -> int:
        """Of the hidden state."""
        return self.hidden.shape[1]

    @property
    def batch(self) -> int:
        return self.hidden.shape[0]

    @property
    def gates(self) -> int:
        """How many numbers of a sequence a cell computes from the input and from the state."""
        return self.weight.shape[0]


@dataclass(frozen=True, slots=True)
class _State:
    """What a step begins with."""

    hidden: Array
    memory: Array | None


def _layer(writer: Writer, node: Node, nodes: Sequence[Node]) -> _Layer:
    named = named_operands(node["cell"], node["is_projected"], nodes)
    given = {name: operand(writer, each) for name, each in named.items()}
    weights = ("weight", "projection")
    rows = {name: array if name in weights else contiguous(writer, array) for name, array in given.items()}
    count = rows["inputs"].shape[0]
    order = range(count)[:: -1 if node["is_reversed"] else 1]
    optional = [rows.get(name) for name in ("cell", "bias", "projection", "lengths")]
    return _Layer(node["cell"], order, rows["inputs"], rows["hidden"], rows["weight"], *optional)


def _rows(array: Array, step: int, first: int = 0, width: int | None = None) -> Array:
    """One step of (steps, batch, columns), and of that some columns."""
    part = array.narrowed(0, step, step + 1)
    part = replace(part, shape=part.shape[1:], strides=part.strides[1:])
    return part.narrowed(1, first, part.shape[1] if width is None else first + width)


def _state(layer: _Layer, states: Array, step: int) -> _State:
    """What a step has left in the result."""
    memory = None if layer.memory is None else _rows(states, step, layer.width, layer.size)
    return _State(_rows(states, step, 0, layer.width), memory)


def _turned(array: Array) -> Array:
    return replace(array, shape=array.shape[::-1], strides=array.strides[::-1])


def _each_unit(
    writer: Writer,
    layer: _Layer,
    template: str,
    word: str,
    step: int,
    before: _State,
    arrays: Mapping[str, Array | None],
    columns: int,
) -> None:
    """Launch a kernel of one step, with a thread for each of ``columns`` of each sequence.

    Args:
        writer: of the plan.
        layer: the call.
        template, word: of the kernel.
        step: its number.
        before: the state that it begins with.
        arrays: what else the kernel reads and writes, by name; rows may be further apart than they are wide.
        columns: of the kernel.
    """
    kind = CUDA.memory_type(layer.inputs.dtype)
    named = {"hidden": before.hidden, "memory": before.memory, **arrays}
    given = {name: array for name, array in named.items() if array is not None}
    parameters: list[tuple[str, Parameter]] = [(f"{kind} *{name}", array.start) for name, array in given.items()]
    if layer.lengths is not None:
        parameters.append(("const i64 *lengths", layer.lengths.start))
    each_element(
        writer,
        template,
        word,
        (layer.batch, columns),
        [*parameters, ("i32 step", step)],
        cell=layer.cell,
        size=layer.size,
        width=layer.width,
        gates=layer.gates,
        kind=kind,
        strides={name: array.strides[0] for name, array in given.items()},
        is_projected=int(layer.projection is not None),
        has_lengths=int(layer.lengths is not None),
    )


def recur(writer: Writer, node: Node) -> None:
    """The states after each step, side by side with what the gradients need of it."""
    layer, out = _layer(writer, node, node.inputs), result(writer, node)
    if not prod(out.shape):
        return
    product = scratch_array(writer, node.dtype, (layer.batch, layer.gates))
    output = None if layer.projection is None else scratch_array(writer, node.dtype, (layer.batch, layer.size))
    before = _State(layer.hidden, layer.memory)
    for step in layer.order:
        multiply(writer, before.hidden, _turned(layer.weight), product)
        arrays = {"inputs": _rows(layer.inputs, step), "product": product, "bias": layer.bias, "output": output}
        after: dict[str, Array | None] = {"out": _rows(out, step)}
        _each_unit(writer, layer, "recur", f"{layer.cell}_step", step, before, arrays | after, layer.size)
        if layer.projection is not None and output is not None:
            multiply(writer, output, _turned(layer.projection), _rows(out, step, 0, layer.width))
            if layer.lengths is not None:
                _each_unit(writer, layer, "recur_ended", "keep_ended", step, before, after, layer.width)
        before = _state(layer, out, step)


def recur_gradients(writer: Writer, node: Node) -> None:
    """Backpropagation through time: the gates' gradients of each step, and behind them those of the first states."""
    known = 3 if node["cell"] == LSTM else 2
    layer, out = _layer(writer, node, node.inputs[known:]), result(writer, node)
    if not prod(out.shape):
        return
    cotangents = contiguous(writer, operand(writer, node.inputs[0]))
    states = contiguous(writer, operand(writer, node.inputs[known - 1]))
    into_hidden = scratch_array(writer, node.dtype, layer.hidden.shape)
    writer.add(FillStep(into_hidden.start, 0, prod(into_hidden.shape) * node.dtype.itemsize))
    into_memory = into_output = weighted = None
    if layer.memory is not None:
        into_memory = scratch_array(writer, node.dtype, (layer.batch, layer.size))
        copy(writer, operand(writer, node.inputs[1]), into_memory)
    if layer.projection is not None:
        into_output = scratch_array(writer, node.dtype, (layer.batch, layer.size))
    if layer.bias is not None:
        weighted = scratch_array(writer, node.dtype, (layer.batch, layer.gates))
    starts = [_State(layer.hidden, layer.memory), *[_state(layer, states, step) for step in layer.order[:-1]]]
    for step, before in zip(reversed(layer.order), reversed(starts), strict=True):
        own: dict[str, Array | None] = {
            "cotangents": _rows(cotangents, step),
            "into_hidden": into_hidden,
            "out": _rows(out, step),
        }
        if layer.projection is not None and into_output is not None:
            _each_unit(writer, layer, "recur_into_projection", "into_projection", step, before, own, layer.width)
            multiply(writer, _rows(out, step, layer.gates, layer.width), layer.projection, into_output)
        own |= {"states": _rows(states, step), "into_memory": into_memory}
        arrays = own | {"weighted": weighted, "into_output": into_output}
        _each_unit(writer, layer, "recur_gradients", f"{layer.cell}_step_gradients", step, before, arrays, layer.size)
        into_gates = _rows(out, step, 0, layer.gates) if weighted is None else weighted
        multiply(writer, into_gates, layer.weight, into_hidden, beta=1.0)
    last = _rows(out, len(layer.order))
    writer.add(FillStep(last.start, 0, prod(last.shape) * node.dtype.itemsize))
    copy(writer, into_hidden, last.narrowed(1, 0, layer.width))
    if into_memory is not None:
        copy(writer, into_memory, last.narrowed(1, layer.width, layer.width + layer.size))
