"""Small graphs and tensors for the tests of passes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

import lazygrad as lg
from lazygrad.ir.dtype import DType, float32
from lazygrad.ir.graph import Graph
from lazygrad.ir.node import Node, tensor_type
from lazygrad.ir.primitives.leaf import buffer, leaf_node, number
from lazygrad.ir.shape import Shape
from lazygrad.passes.fuse import FusedGraph, fuse
from lazygrad.passes.views import materialize_views
from lazygrad.tensor import Tensor


def leaf(shape: Shape, dtype: DType = float32, slot: int = 0) -> Node:
    """An input buffer of a program."""
    return leaf_node(buffer, (slot,), tensor_type(shape, dtype))


def constant(value: float, dtype: DType = float32) -> Node:
    """A 0-dim number that passes may look at."""
    return number(value, dtype)


def fused(*roots: Node, enabled: bool = True) -> FusedGraph:
    """The groups of a primitive program."""
    return fuse(materialize_views(Graph(roots)), enabled)


def groups_of(graph: FusedGraph) -> list[list[str]]:
    """The op names of each group, in execution order."""
    return [[node.op.name for node in group.nodes] for group in graph.groups]


def refusals(graph: FusedGraph) -> list[str]:
    """The reasons of the merges that were considered and not made."""
    return [decision.reason for decision in graph.decisions if not decision.fused]


def realized(*shape: int, requires_grad: bool = False) -> Tensor:
    """A tensor of quarters between -2 and 2 with memory of its own; the same one for the same shape."""
    values = np.random.default_rng(len(shape)).integers(-8, 9, shape).astype(np.float32) / 4
    return lg.tensor(values, requires_grad=requires_grad)


def calls(x: Tensor) -> tuple[int, int]:
    """Kernel and library calls of a pending tensor's program."""
    plan = lg.stages(x).plan_object
    return plan.kernel_calls, plan.library_calls


def calls_together(*tensors: Tensor) -> tuple[int, int]:
    """Kernel and library calls of the program that computes several tensors."""
    lg.realize_all([])  # what earlier tests have written to in place, and nobody has read, would be part of it
    lg.realize_all(tensors)
    plan = lg.last_step().plan_object
    return plan.kernel_calls, plan.library_calls


def calls_with_gradients(y: Tensor, leaves: Sequence[Tensor]) -> tuple[int, int]:
    """Calls of the one program that computes ``y`` and its gradients, with a cotangent of its own."""
    y.backward(realized(*y.shape) if y.dim() else None)
    gradients = [leaf.grad for leaf in leaves]
    assert all(gradient is not None for gradient in gradients)
    return calls_together(y, *[gradient for gradient in gradients if gradient is not None])
