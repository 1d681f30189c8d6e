"""Translations of reductions, and of library calls that compute."""

from __future__ import annotations

from math import prod

import numpy as np

from lazygrad.export.onnx.translator import Translator, translates
from lazygrad.export.program import ExportError
from lazygrad.ir.dtype import Category, int32
from lazygrad.ir.node import Node
from lazygrad.ir.op import Op
from lazygrad.ir.primitives import contraction as ct
from lazygrad.ir.primitives import movement as mv
from lazygrad.ir.primitives import recurrence as rc
from lazygrad.ir.primitives import reduction as rd

_REDUCTIONS: dict[Op, str] = {rd.reduce_sum: "ReduceSum", rd.reduce_max: "ReduceMax", rd.reduce_min: "ReduceMin",
               rd.reduce_prod: "ReduceProd"}  # fmt: skip
# Of ONNX's gates in order, which of ours they are.
_GATES = {rc.LSTM: (0, 3, 1, 2), rc.GRU: (1, 0, 2), rc.TANH: (0,), rc.RELU: (0,)}


@translates(*_REDUCTIONS)
def _reduce(t: Translator, node: Node) -> str:
    (x,) = t.operands(node)
    if _pools(node):
        return _pooled(t, node)
    is_bool = node.dtype.category is Category.BOOL
    value = t.cast(x, int32) if is_bool else x
    kind, axes = _REDUCTIONS[node.op], list(node["axes"])
    if kind == "ReduceSum" or t.model.opset >= 18:
        found = t.add(kind, value, t.ints(axes), keepdims=1)
    else:
        found = t.add(kind, value, axes=axes, keepdims=1)
    return t.cast(found, node.dtype) if is_bool else found


def _pools(node: Node) -> bool:
    """Whether it folds just the windows over the axes behind images and channels."""
    (windows,) = node.inputs
    if (
        windows.op is not mv.windows
        or node.op not in (rd.reduce_sum, rd.reduce_max)
        or not node.dtype.is_floating_point
    ):
        return False
    count = len(windows["size"])
    is_plain = node.op is rd.reduce_max or set(windows["dilation"]) == {1}
    return is_plain and windows.inputs[0].rank == 2 + count and set(node["axes"]) == {*range(2 + count, 2 + 2 * count)}


def _pooled(t: Translator, node: Node) -> str:
    (windows,) = node.inputs
    (x,) = t.operands(windows)
    size, stride = windows["size"], windows["stride"]
    if node.op is rd.reduce_max:
        found = t.add("MaxPool", x, kernel_shape=size, strides=stride, dilations=windows["dilation"])
    else:
        average = t.add("AveragePool", x, kernel_shape=size, strides=stride)
        found = t.add("Mul", average, t.number(prod(size), node.dtype))
    return t.reshaped(found, t.shape(node))


@translates(rd.argmax, rd.argmin)
def _arg_extreme(t: Translator, node: Node) -> str:
    return t.add("ArgMax" if node.op is rd.argmax else "ArgMin", *t.operands(node), axis=node["axis"], keepdims=1)


@translates(rd.argsort)
def _argsort(t: Translator, node: Node) -> str:
    axis = node["axis"]
    if not node.rank:
        return t.number(0, node.dtype)
    count = t.ints([t.shape(node)[axis]])
    return t.model.add_many("TopK", 2, *t.operands(node), count, axis=axis, largest=int(node["descending"]))[1]


@translates(rd.cumsum)
def _cumsum(t: Translator, node: Node) -> str:
    return t.add("CumSum", *t.operands(node), t.size(node["axis"]))


@translates(ct.matmul)
def _matmul(t: Translator, node: Node) -> str:
    return t.add("MatMul", *t.operands(node))


@translates(ct.conv)
def _conv(t: Translator, node: Node) -> str:
    kernel = t.known(node, t.shape(node.inputs[1])[2:], "the kernel")
    return t.add("Conv", *t.operands(node), kernel_shape=kernel, pads=_pads(node), **_steps(node))


@translates(ct.conv_input_grad)
def _transposed_conv(t: Translator, node: Node) -> str:
    """Of which a transposed convolution is made; what its input's size leaves open is padding of the output."""
    kernel = t.known(node, t.shape(node.inputs[1])[2:], "the kernel")
    have = t.known(node, t.shape(node.inputs[0])[2:], "a spatial size")
    want = t.known(node, t.shape(node)[2:], "a spatial size")
    sizes = zip(have, want, kernel, node["stride"], node["dilation"], node["padding"], strict=True)
    rest = [w - ((h - 1) * s + (k - 1) * d + 1 - low - high) for h, w, k, s, d, (low, high) in sizes]
    return t.add(
        "ConvTranspose", *t.operands(node), kernel_shape=kernel, pads=_pads(node), output_padding=rest, **_steps(node)
    )


def _pads(node: Node) -> list[int]:
    pads = [low for low, _ in node["padding"]] + [high for _, high in node["padding"]]
    if min(pads, default=0) < 0:
        raise ExportError(f"ONNX export: a convolution with a negative padding ({node.origin or 'origin unknown'})")
    return pads


def _steps(node: Node) -> dict[str, object]:
    return {"strides": node["stride"], "dilations": node["dilation"], "group": node["groups"]}


@translates(rc.recur)
def _recur(t: Translator, node: Node) -> str:
    """The layer as one operator, whose inputs have been multiplied by their weight: so it gets the identity as one.

    Of the columns behind the hidden states a program without gradients reads the last cell state alone, which then
    stands at each step; the gates are left out.
    """
    cell, is_reversed, is_projected = (node[name] for name in node.op.attr_names)
    given = rc.named_operands(cell, is_projected, t.operands(node))
    if is_projected or "lengths" in given:
        what = "a projection" if is_projected else "sequences of different lengths"
        raise ExportError(f"ONNX export: a recurrent layer with {what} ({node.origin or 'origin unknown'})")
    gates, size = node.inputs[2].shape
    order = np.concatenate([np.arange(size) + gate * size for gate in _GATES[cell]])
    picked = t.model.constant(order)
    identity = t.model.constant(np.eye(gates)[None], node.dtype.name)
    weight = t.reshaped(t.add("Gather", given["weight"], picked, axis=0), [1, gates, size])
    bias = ""
    if "bias" in given:
        own = t.reshaped(t.add("Gather", given["bias"], picked, axis=0), [1, gates])
        bias = t.add("Concat", t.model.constant(np.zeros((1, gates)), node.dtype.name), own, axis=1)
    states = [t.add("Unsqueeze", given[name], t.ints([0])) for name in ("hidden", "cell") if name in given]
    inputs = [t.add("Gather", given["inputs"], picked, axis=2), identity, weight, bias, "", *states]
    options: dict[str, object] = {"hidden_size": size, "direction": "reverse" if is_reversed else "forward"}
    steps, batch = t.shape(node)[:2]
    if cell == rc.LSTM:
        hidden, _, memory = t.model.add_many("LSTM", 3, *inputs, **options)
        last = t.add("Expand", memory, t.ints([steps, batch, size]))
        return t.add("Concat", t.reshaped(hidden, [steps, batch, size]), last, axis=2)
    if cell == rc.GRU:
        hidden = t.add("GRU", *inputs, linear_before_reset=1, **options)
    else:
        hidden = t.add("RNN", *inputs, activations=["Tanh" if cell == rc.TANH else "Relu"], **options)
    return t.reshaped(hidden, [steps, batch, size])
