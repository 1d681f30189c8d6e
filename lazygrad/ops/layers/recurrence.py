"""Recurrent layers, and single steps of them.

All steps of a layer in one direction are one node. What a layer's input contributes to its gates is one product.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from lazygrad.ir.dtype import float32
from lazygrad.ir.primitives import recurrence as rc
from lazygrad.ops.arguments.operands import tensor_argument
from lazygrad.ops.arguments.tracing import traced
from lazygrad.ops.creation.filled import zeros
from lazygrad.ops.creation.from_data import tensor
from lazygrad.ops.layers.dropout import dropout as dropout_of
from lazygrad.ops.layers.packing import filled_up, lengths_of, pack, unpack
from lazygrad.ops.layers.smooth_activations import relu
from lazygrad.ops.linalg.products import linear
from lazygrad.ops.pointwise.elementary import sigmoid, tanh
from lazygrad.ops.shapes.joining import cat, stack
from lazygrad.ops.shapes.layout import clone
from lazygrad.ops.shapes.parts import between, chunk, select
from lazygrad.ops.shapes.permuting import transpose
from lazygrad.tensor import Tensor
from lazygrad.tensor_base import record

__all__ = [
    "lstm",
    "gru",
    "rnn_tanh",
    "rnn_relu",
    "lstm_cell",
    "gru_cell",
    "rnn_tanh_cell",
    "rnn_relu_cell",
]

States = tuple[Tensor, ...]


def run_layers(
    cell: str,
    input: Tensor,
    first: States | None,
    params: Sequence[Tensor],
    has_biases: bool,
    num_layers: int,
    dropout: float,
    train: bool,
    bidirectional: bool,
    batch_sizes: np.ndarray | None = None,
) -> tuple[Tensor, ...]:
    """Layers of recurrent cells, one above the other.

    Args:
        cell: a word of `lazygrad.ir.primitives.recurrence`.
        input: (T, B, features).
        first: the states before the first step, each (layers · directions, B, width): hidden states, and the cell
            states of an LSTM; None for zeros.
        params: of each layer and direction its weights of input and state, their biases, and a projection.
        has_biases: whether there are biases.
        num_layers: how many layers there are.
        dropout: the probability of an output to be dropped on its way to the next layer.
        train: whether any is.
        bidirectional: whether each layer also runs from the last step to the first.
        batch_sizes: for sequences of several lengths, sorted from the longest on, how many reach each step.

    Returns:
        The last layer's hidden states (T, B, directions · width), and the states after the last step.
    """
    if input.dtype.is_half:
        wide = None if first is None else tuple([x.to(float32) for x in first])
        narrow, input = input.dtype, input.to(float32)
        params = [x.to(float32) for x in params]
        found = run_layers(
            cell, input, wide, params, has_biases, num_layers, dropout, train, bidirectional, batch_sizes
        )
        return tuple([x.to(narrow) for x in found])
    directions = 2 if bidirectional else 1
    lengths = None
    if batch_sizes is not None:
        lengths = tensor(lengths_of(batch_sizes)).to(input.device)
        input = filled_up(input, lengths, 0, 0)
    before = None
    if first is not None:
        before = [tuple([select(state, 0, i) for state in first]) for i in range(num_layers * directions)]
    if not (dropout and train):
        return _layers(cell, input, before, params, has_biases, directions, num_layers, lengths)
    own = len(params) // num_layers
    after: list[States] = []
    for layer in range(num_layers):
        weights = params[layer * own : (layer + 1) * own]
        states = None if before is None else before[layer * directions : (layer + 1) * directions]
        if layer:
            input = _dropped(input, dropout, batch_sizes)
        input, *last = _layers(cell, input, states, weights, has_biases, directions, 1, lengths)
        after.append(tuple(last))
    return (input, *[cat(states, 0) for states in zip(*after, strict=True)])


@traced
def _layers(
    cell: str,
    input: Tensor,
    first: Sequence[States] | None,
    params: Sequence[Tensor],
    has_biases: bool,
    directions: int,
    num_layers: int,
    lengths: Tensor | None,
) -> tuple[Tensor, ...]:
    """Layers with nothing between them: the hidden states of the last one, and the states after the last step."""
    count = num_layers * directions
    own = len(params) // count
    after: list[States] = []
    for layer in range(num_layers):
        outputs = []
        for number in range(layer * directions, (layer + 1) * directions):
            weights = params[number * own : (number + 1) * own]
            before = _zeros(cell, input, weights[1]) if first is None else first[number]
            output, *states = _run(cell, input, before, weights, has_biases, number % directions == 1, lengths)
            outputs.append(output)
            after.append(tuple(states))
        input = outputs[0] if directions == 1 else cat(outputs, 2)
    # Not views, of which a layer cannot be traced, and which would keep the gates as long as the hidden states.
    return tuple([Tensor.from_node(x.node()) for x in (input, *[stack(each, 0) for each in zip(*after, strict=True)])])


def _zeros(cell: str, input: Tensor, weight: Tensor) -> States:
    """The states before the first step where none are given."""
    widths = [weight.shape[1], *([rc.layer_size(cell, weight.shape)] if cell == rc.LSTM else [])]
    return tuple([zeros((input.shape[1], width), dtype=weight.dtype, device=input.device) for width in widths])


def _dropped(input: Tensor, p: float, batch_sizes: np.ndarray | None) -> Tensor:
    """Dropout between layers, which draws nothing for padding."""
    if batch_sizes is None:
        return dropout_of(input, p)
    return unpack(dropout_of(pack(input, batch_sizes), p), batch_sizes)


def _run(
    cell: str,
    input: Tensor,
    first: States,
    params: Sequence[Tensor],
    has_biases: bool,
    is_reversed: bool,
    lengths: Tensor | None,
) -> tuple[Tensor, ...]:
    """One layer in one direction: its hidden states, and the states after its last step."""
    weight_ih, weight_hh, *others = params
    biases, projection = (others[:2], others[2:]) if has_biases else ([], others)
    bias = None
    if biases:
        # The gradients of the two biases are equal. With memory for each, a replay can put each where it belongs.
        bias = biases[0] if cell == rc.GRU else biases[0] + clone(biases[1])
    # Autocast may compute the product in 16 bits; the states stay as wide as the weight.
    operands = [linear(input, weight_ih, bias).to(weight_hh.dtype), first[0], weight_hh, *first[1:]]
    if cell == rc.GRU:
        gates = weight_hh.shape[:1]
        operands.append(biases[1] if biases else zeros(gates, dtype=weight_hh.dtype, device=weight_hh.device))
    operands += projection
    if lengths is not None:
        operands.append(lengths)
    result = record(rc.recur, tuple([x.node() for x in operands]), (cell, is_reversed, bool(projection)))
    width, last = weight_hh.shape[1], 0 if is_reversed else input.shape[0] - 1
    hidden = between(result, 2, 0, width)
    states = [hidden]
    if cell == rc.LSTM:
        states.append(between(result, 2, width, width + first[1].shape[1]))
    return hidden, *[select(state, 0, last) for state in states]


# PyTorch's functions: padded input first, or packed data with its batch sizes.

_PADDED = ("input", "hx", "params", "has_biases", "num_layers", "dropout", "train", "bidirectional", "batch_first")
_PACKED = ("data", "batch_sizes", *_PADDED[1:-1])


def _called(name: str, cell: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Tensor, ...]:
    is_packed = "batch_sizes" in kwargs or (len(args) > 3 and not isinstance(args[3], (bool, int)))
    names = _PACKED if is_packed else _PADDED
    given = dict(zip(names, args, strict=False)) | kwargs
    if len(args) > len(names) or set(given) != set(names):
        raise TypeError(f"{name}() takes ({', '.join(_PADDED)}) or ({', '.join(_PACKED)})")
    input = tensor_argument(given.pop("data" if is_packed else "input"), name)
    batch_first = given.pop("batch_first", False)
    sizes = given.pop("batch_sizes").numpy() if is_packed else None
    first = given.pop("hx")
    first = (first,) if isinstance(first, Tensor) else tuple(first)
    if sizes is not None:
        input = unpack(input, sizes)
    elif batch_first:
        input = transpose(input, 0, 1)
    output, *states = run_layers(cell, input, first, batch_sizes=sizes, **given)
    if sizes is not None:
        output = pack(output, sizes)
    return (transpose(output, 0, 1) if batch_first else output), *states


def lstm(*args: Any, **kwargs: Any) -> tuple[Tensor, Tensor, Tensor]:
    """Layers of long short-term memory. Source: Hochreiter and Schmidhuber, 1997.

    Called as ``lstm(input, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first)``, input
    (T, B, features), or (B, T, features) for ``batch_first``; or with ``data`` and ``batch_sizes`` of a
    `PackedSequence` in place of ``input``, and without ``batch_first``. ``hx`` are the first hidden and cell states.

    Returns:
        The hidden states of the last layer, and the last hidden and cell states.

    Raises:
        RuntimeError: sequences of no steps, shapes and dtypes that do not fit.
        TypeError: other arguments.
    """
    output, hidden, memory = _called("lstm", rc.LSTM, args, kwargs)
    return output, hidden, memory


def gru(*args: Any, **kwargs: Any) -> tuple[Tensor, Tensor]:
    """Layers of gated recurrent units, called as `lstm`; ``hx`` is one tensor. Source: Cho et al., 2014."""
    output, hidden = _called("gru", rc.GRU, args, kwargs)
    return output, hidden


def rnn_tanh(*args: Any, **kwargs: Any) -> tuple[Tensor, Tensor]:
    """Layers of tanh(W x + b + U h + c), called as `lstm`; ``hx`` is one tensor. Source: Elman, 1990."""
    output, hidden = _called("rnn_tanh", rc.TANH, args, kwargs)
    return output, hidden


def rnn_relu(*args: Any, **kwargs: Any) -> tuple[Tensor, Tensor]:
    """`rnn_tanh` with relu."""
    output, hidden = _called("rnn_relu", rc.RELU, args, kwargs)
    return output, hidden


# Single steps.


def _check_step(input: Tensor, weight_ih: Tensor, weight_hh: Tensor, hidden: Sequence[Tensor]) -> None:
    if input.shape[1] != weight_ih.shape[1]:
        raise RuntimeError(f"input has inconsistent input_size: got {input.shape[1]} expected {weight_ih.shape[1]}")
    for i, state in enumerate(hidden):
        if state.shape[0] != input.shape[0]:
            raise RuntimeError(f"Input batch size {input.shape[0]} doesn't match hidden{i} batch size {state.shape[0]}")
        if state.shape[1] != weight_hh.shape[1]:
            raise RuntimeError(f"hidden{i} has inconsistent hidden_size: got {state.shape[1]}, "
                               f"expected {weight_hh.shape[1]}")  # fmt: skip


def _gates(
    input: Tensor, hidden: Tensor, w_ih: Tensor, w_hh: Tensor, b_ih: Tensor | None, b_hh: Tensor | None
) -> Tensor:
    return linear(input, w_ih, b_ih) + linear(hidden, w_hh, None if b_hh is None else clone(b_hh))


@traced
def lstm_cell(
    input: Tensor,
    hx: Sequence[Tensor],
    w_ih: Tensor,
    w_hh: Tensor,
    b_ih: Tensor | None = None,
    b_hh: Tensor | None = None,
) -> tuple[Tensor, Tensor]:
    """One step of long short-term memory.

    Args:
        input: (B, features).
        hx: hidden and cell state, (B, size) each.
        w_ih: (4 · size, features), its rows those of the input, forget, cell and output gates.
        w_hh: (4 · size, size).
        b_ih, b_hh: (4 · size).

    Returns:
        The next hidden and cell state.

    Raises:
        RuntimeError: sizes that do not fit together.
    """
    hidden, memory = hx
    _check_step(input, w_ih, w_hh, hx)
    i, f, g, o = chunk(_gates(input, hidden, w_ih, w_hh, b_ih, b_hh), 4, 1)
    memory = sigmoid(f) * memory + sigmoid(i) * tanh(g)
    return sigmoid(o) * tanh(memory), memory


@traced
def gru_cell(
    input: Tensor, hx: Tensor, w_ih: Tensor, w_hh: Tensor, b_ih: Tensor | None = None, b_hh: Tensor | None = None
) -> Tensor:
    """One step of a gated recurrent unit; see `lstm_cell`.

    The rows of a weight are those of the reset gate, the update gate and the new value.
    """
    _check_step(input, w_ih, w_hh, [hx])
    (ir, iz, new), (hr, hz, own) = chunk(linear(input, w_ih, b_ih), 3, 1), chunk(linear(hx, w_hh, b_hh), 3, 1)
    n = tanh(new + sigmoid(ir + hr) * own)
    return n + sigmoid(iz + hz) * (hx - n)


@traced
def rnn_tanh_cell(
    input: Tensor, hx: Tensor, w_ih: Tensor, w_hh: Tensor, b_ih: Tensor | None = None, b_hh: Tensor | None = None
) -> Tensor:
    """One step of `rnn_tanh`; see `lstm_cell`."""
    _check_step(input, w_ih, w_hh, [hx])
    return tanh(_gates(input, hx, w_ih, w_hh, b_ih, b_hh))


@traced
def rnn_relu_cell(
    input: Tensor, hx: Tensor, w_ih: Tensor, w_hh: Tensor, b_ih: Tensor | None = None, b_hh: Tensor | None = None
) -> Tensor:
    """One step of `rnn_relu`; see `lstm_cell`."""
    _check_step(input, w_ih, w_hh, [hx])
    return relu(_gates(input, hx, w_ih, w_hh, b_ih, b_hh))
