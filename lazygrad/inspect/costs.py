"""What a step of a plan costs at least: the arrays and bytes that it moves, and the arithmetic that it does."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import prod

from lazygrad.ir.node import Node
from lazygrad.ir.op import Kind, Op
from lazygrad.ir.primitives import elementwise as ew
from lazygrad.ir.primitives import indexing
from lazygrad.ir.primitives.attention import attend, attend_gradients
from lazygrad.ir.primitives.contraction import conv, conv_input_grad, conv_weight_grad, matmul, pool_argmax
from lazygrad.ir.primitives.recurrence import LSTM, named_operands, recur, recur_gradients
from lazygrad.ir.primitives.reduction import argmax, argmin, cummax_index, cumprod, cumsum
from lazygrad.ir.primitives.reinterpret import reinterpret
from lazygrad.ir.shape import numel
from lazygrad.passes.fuse import Group
from lazygrad.passes.fusion_cost import bytes_of
from lazygrad.passes.schedule import Schedule


@dataclass(frozen=True, slots=True)
class Cost:
    """What one or more steps do.

    Attributes:
        kernels, library_calls: how many they are.
        passes: over memory: arrays that are read or written, step by step.
        bytes: that these have.
        flops: additions, multiplications and elementary functions, each counted as one.
        counts_all: whether the arithmetic of all steps is known; else ``flops`` is the part that is.
    """

    kernels: int = 0
    library_calls: int = 0
    passes: int = 0
    bytes: int = 0
    flops: int = 0
    counts_all: bool = True

    def __add__(self, other: Cost) -> Cost:
        return Cost(
            self.kernels + other.kernels,
            self.library_calls + other.library_calls,
            self.passes + other.passes,
            self.bytes + other.bytes,
            self.flops + other.flops,
            self.counts_all and other.counts_all,
        )


def cost_of(group: Group, schedule: Schedule) -> Cost:
    """What one step of ``schedule`` costs."""
    moved = [*group.reads, *[node for node in group.nodes if node in schedule.stored]]
    counted = [flops_of(node) for node in group.nodes]
    return Cost(
        kernels=int(not group.is_library),
        library_calls=int(group.is_library),
        passes=len(moved),
        bytes=sum(map(bytes_of, moved)),
        flops=sum(count for count in counted if count is not None),
        counts_all=None not in counted,
    )


def flops_of(node: Node) -> int | None:
    """The arithmetic of one primitive operation on real numbers; None if it depends on more than shapes."""
    op = node.op
    if op in _MOVES or op.kind in (Kind.MOVEMENT, Kind.PADDING, Kind.LEAF):
        return 0
    if op.kind is Kind.ELEMENTWISE:
        return numel(node.shape)
    if op.kind is Kind.REDUCTION or op in _READS_ONCE:
        return numel(node.inputs[0].shape)
    formula = _FORMULAS.get(op)
    if formula is None:
        return None
    return formula(node) * (4 if node.dtype.is_complex else 1)


_MOVES = frozenset(
    {ew.contiguous, ew.cast, ew.after, reinterpret, indexing.take, indexing.gather, indexing.concat, indexing.roll}
    | {indexing.update_view, indexing.read_view, indexing.iota}
)
_READS_ONCE = frozenset({argmax, argmin, cumsum, cumprod, cummax_index})


def _product(node: Node) -> int:
    return 2 * numel(node.shape) * node.inputs[0].shape[-1]


def _windows(result: tuple[int, ...], weight: tuple[int, ...]) -> int:
    """Each element of a convolution's result is a sum over the weight of one output channel."""
    return 2 * numel(result) * prod(weight[1:])


def _attention(node: Node) -> int:
    """Scores from queries and keys, and sums of values with them; the softmax of the scores is five operations."""
    query, key, value = (source.shape for source in node.inputs[:3])
    scores = numel(node.shape[:-2]) * query[-2] * key[-2]
    return scores * (2 * query[-1] + 2 * value[-1] + 5)


def _attention_gradients(node: Node) -> int:
    """The scores once more, and four products of their size."""
    query, key, value = (source.shape for source in node.inputs[1:4])
    scores = numel(node.shape[:-1]) * query[-2] * key[-2]
    return scores * (6 * query[-1] + 4 * value[-1] + 10)


def _recurrence(node: Node) -> int:
    """A product of the state and the weight for each step of each sequence; the gates' own arithmetic is small."""
    inputs, _, weight = (source.shape for source in node.inputs[:3])
    return 2 * inputs[0] * inputs[1] * prod(weight)


def _recurrence_gradients(node: Node) -> int:
    """The transposed product for each step; the gradients of the weights are products of their own."""
    cell, _, is_projected = node.attrs
    cotangents = 2 if cell == LSTM else 1
    weight = named_operands(cell, is_projected, node.inputs[cotangents + 1 :])["weight"]
    return 2 * (node.shape[0] - 1) * node.shape[1] * numel(weight.shape)


_FORMULAS: dict[Op, Callable[[Node], int]] = {
    matmul: _product,
    conv: lambda node: _windows(node.shape, node.inputs[1].shape),
    conv_input_grad: lambda node: _windows(node.inputs[0].shape, node.inputs[1].shape),
    conv_weight_grad: lambda node: _windows(node.inputs[0].shape, node.shape),
    attend: _attention,
    attend_gradients: _attention_gradients,
    recur: _recurrence,
    recur_gradients: _recurrence_gradients,
    pool_argmax: lambda node: numel(node.shape) * prod(node["size"]),
    indexing.put: lambda node: numel(node.inputs[1].shape) if node["accumulate"] else 0,
    indexing.scatter: lambda node: numel(node.inputs[-1].shape),
    indexing.windows_adjoint: lambda node: numel(node.inputs[0].shape),
}
