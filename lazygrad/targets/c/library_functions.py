"""How the ready-made calls of the C library are called: attributes as numbers, and what they roughly cost."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from math import prod
from typing import Any, Protocol

from lazygrad.ir.dtype import DType, bfloat16, float16, float32, float64, int64
from lazygrad.ir.node import Node
from lazygrad.ir.op import Op
from lazygrad.ir.primitives import alignment as al
from lazygrad.ir.primitives import attention as at
from lazygrad.ir.primitives import contraction as ct
from lazygrad.ir.primitives import indexing as ix
from lazygrad.ir.primitives import recurrence as rc
from lazygrad.ir.primitives import reduction as rd
from lazygrad.ir.primitives.random import philox
from lazygrad.ir.primitives.reinterpret import reinterpret

MAX_RANK = 16  # of library.h

# Operations (or elements moved) below which one thread does a call alone.
SERIAL_ELEMENTS = 1 << 14
_SERIAL_PRODUCTS = 1 << 16

_REDUCE_CODES = {"set": 0, "sum": 1, "prod": 2, "amax": 3, "amin": 4}

_MASKING_CODES = {at.ADDED: 1, at.SHOWN: 2, at.HIDDEN: 3}  # of attention.h

_CELL_CODES = {rc.LSTM: 0, rc.GRU: 1, rc.TANH: 2, rc.RELU: 3}  # of recurrence.h


class Named(Protocol):
    """What gives an op's attributes by their names: a node, or a mapping."""

    def __getitem__(self, name: str, /) -> Any: ...


Attributes = Callable[[Named], Iterable[int]]


def _convolution(node: Named) -> list[int]:
    rank = len(node["stride"])
    low, high = zip(*node["padding"], strict=True) if rank else ((), ())
    return [rank, *node["stride"], *low, *high, *node["dilation"], node["groups"]]


def _pooling(node: Named) -> list[int]:
    low, high = zip(*node["padding"], strict=True)
    return [len(node["size"]), *node["size"], *node["stride"], *low, *high, *node["dilation"]]


def _view(node: Named) -> list[int]:
    return [len(node["shape"]), *node["shape"], *node["strides"], node["offset"]]


def _attention(node: Named) -> list[int]:
    return [node["is_causal"], _MASKING_CODES[node["masking"]], node["nothing_is_zero"]]


def _recurrence(node: Named) -> list[int]:
    return [_CELL_CODES[node["cell"]], node["is_reversed"]]


def _named(*names: str) -> Attributes:
    def numbers(node: Named) -> Iterable[int]:
        for name in names:
            value: Any = node[name]
            yield from value if isinstance(value, tuple) else (int(value),)

    return numbers


# The calls C has; anything else is handed to numpy from within the plan.
ATTRIBUTES: dict[Op, Attributes] = {
    ct.matmul: _named(),
    at.attend: _attention,
    at.attend_gradients: _attention,
    rc.recur: _recurrence,
    rc.recur_gradients: _recurrence,
    al.ctc: _named("blank"),
    al.ctc_gradients: _named("blank"),
    ct.conv: _convolution,
    ct.conv_input_grad: _convolution,
    ct.conv_weight_grad: _convolution,
    ct.pool_argmax: _pooling,
    ix.windows_adjoint: lambda node: [len(node["size"]), *node["size"], *node["stride"], *node["dilation"]],
    ix.take: _named(),
    ix.put: _named("accumulate"),
    ix.gather: _named("axis", "wraps"),
    ix.scatter: lambda node: [node["axis"], _REDUCE_CODES[node["reduce"]]],
    ix.concat: _named("axis"),
    ix.roll: _named("axis", "backward"),
    ix.update_view: _view,
    ix.read_view: _view,
    ix.iota: _named(),
    reinterpret: _named(),
    rd.argmax: _named("axis"),
    rd.argmin: _named("axis"),
    rd.argsort: _named("axis", "descending"),
    rd.cumsum: _named("axis"),
    rd.cumprod: _named("axis"),
    rd.cummax_index: _named("axis"),
    philox: _named(),
}

# Calls that multiply, in the arithmetic of their dtype, which is a file of its own; convolutions need another one.
_CONVOLVING = frozenset(op.name for op in (ct.conv, ct.conv_input_grad, ct.conv_weight_grad))
_MULTIPLYING = _CONVOLVING | {
    op.name for op in (ct.matmul, at.attend, at.attend_gradients, rc.recur, rc.recur_gradients)
}
_ARITHMETICS = {float32: "f32", float16: "f32", bfloat16: "f32", float64: "f64", int64: "i64"}

# Calls that look at sizes of elements only.
_MOVES = frozenset([ix.take, ix.gather, ix.pad, ix.concat, ix.roll, ix.update_view, ix.read_view, reinterpret])


def in_library(node: Node) -> bool:
    """Whether the C library has this call for these operands; it only moves complex numbers and storage dtypes."""
    operands = (node, *node.inputs)
    if node.op not in ATTRIBUTES or any(len(operand.shape) > MAX_RANK for operand in operands):
        return False
    if node.op in (rc.recur, rc.recur_gradients) and node["is_projected"]:
        return False
    return _only_moves(node) or not any(o.dtype.is_complex or o.dtype.is_storage for o in operands)


def names_of(name: str, dtype: DType) -> set[str]:
    """The functions that calls of an op with results of a dtype need to have loaded."""
    names = {f"lg_{name}"}
    arithmetic = _ARITHMETICS.get(dtype, "i32")
    if name in _MULTIPLYING:
        names.add(f"lg_arithmetic_{arithmetic}")
    if name in _CONVOLVING:
        names.add(f"lg_windows_{arithmetic}")
    return names


def _only_moves(node: Node) -> bool:
    if node.op is ix.put:
        return not node["accumulate"]
    return node.op in _MOVES or (node.op is ix.scatter and node["reduce"] == "set")


def is_serial(node: Node) -> bool:
    """Whether a call is so small that one thread should do it."""
    if node.op is ct.matmul:
        return prod(node.shape) * node.inputs[0].shape[-1] < _SERIAL_PRODUCTS
    if node.op in (at.attend, at.attend_gradients):
        return _attention_products(node) < _SERIAL_PRODUCTS
    if node.op in (rc.recur, rc.recur_gradients):
        return _recurrence_products(node) < _SERIAL_PRODUCTS
    if node.op in (ct.conv, ct.conv_input_grad, ct.conv_weight_grad):
        return _convolution_products(node) < _SERIAL_PRODUCTS
    return prod(node.shape) + sum(prod(source.shape) for source in node.inputs) < SERIAL_ELEMENTS


def _attention_products(node: Node) -> int:
    """Multiplications of attention or of its gradients."""
    if node.op is at.attend:
        return prod(node.shape[:-2]) * prod(node.inputs[0].shape[-2:]) * 2 * node.inputs[1].shape[-2]
    return prod(node.shape[:-1]) * prod(node.inputs[1].shape[-2:]) * 5 * node.inputs[2].shape[-2]


def _recurrence_products(node: Node) -> int:
    """Multiplications of a recurrent layer, or on the way back through it."""
    steps, batch, _ = node.shape
    own = 0 if node.op is rc.recur else 3 if node["cell"] == rc.LSTM else 2
    return steps * batch * prod(node.inputs[own + 2].shape)


def _convolution_products(node: Node) -> int:
    """Multiplications of a convolution or of its adjoints."""
    if node.op is ct.conv:
        return prod(node.shape) * prod(node.inputs[1].shape[1:])
    if node.op is ct.conv_input_grad:
        return prod(node.inputs[0].shape) * prod(node.inputs[1].shape[1:])
    return prod(node.inputs[0].shape) * prod(node.shape[1:])
