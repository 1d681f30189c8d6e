"""softmax and its kin. Along the axis everything is one kernel per row."""

from __future__ import annotations

from lazygrad.ir.build import iota
from lazygrad.ir.composites import softmax as composite
from lazygrad.ir.dtype import DType, int64
from lazygrad.ir.op import Op
from lazygrad.ir.shape import normalize_axis
from lazygrad.ops.arguments.keywords import numpy_keywords
from lazygrad.ops.arguments.operands import cast_node, tensor_argument
from lazygrad.ops.arguments.out import accepts_out
from lazygrad.ops.arguments.reducing import reshaped
from lazygrad.ops.arguments.registering import method
from lazygrad.ops.creation.like import empty_like
from lazygrad.ops.layers.smooth_activations import float_argument
from lazygrad.ops.pointwise.arithmetic import add, neg, sub
from lazygrad.ops.pointwise.division import div
from lazygrad.ops.pointwise.elementary import log
from lazygrad.ops.pointwise.relational import eq
from lazygrad.ops.random.filling import exponential_
from lazygrad.ops.random.in_graphs import drawn_inside, uniform_like
from lazygrad.ops.reductions.extrema import argmax
from lazygrad.tensor import Tensor
from lazygrad.tensor_base import record_node

__all__ = ["softmax", "log_softmax"]


def _along(name: str, op: Op, input: Tensor, dim: int, dtype: DType | None) -> Tensor:
    if dtype is not None:
        input = Tensor.from_node(cast_node(tensor_argument(input, name).node(), dtype))
    node = float_argument(input, name).node()
    axis = normalize_axis(dim, node.rank, name)
    row = reshaped(node, node.type.shape or (1,))
    return Tensor.from_node(reshaped(record_node(op, (row,), (axis,)), node.type.shape))


@accepts_out
@method()
@numpy_keywords
def softmax(input: Tensor, dim: int, dtype: DType | None = None) -> Tensor:
    """eˣ / Σ eˣ along ``dim``.

    Args:
        input: any shape, floating.
        dim: the dimension that sums to 1.
        dtype: cast the input to this dtype first; the result has it.

    Raises:
        IndexError: ``dim`` out of range.
        NotImplementedError: integers or bools without ``dtype``.
    """
    return _along("softmax", composite.softmax, input, dim, dtype)


@accepts_out
@method()
@numpy_keywords
def log_softmax(input: Tensor, dim: int, dtype: DType | None = None) -> Tensor:
    """ln softmax(x), without overflow; see `softmax`."""
    return _along("log_softmax", composite.log_softmax, input, dim, dtype)


def softmin(input: Tensor, dim: int, dtype: DType | None = None) -> Tensor:
    """softmax(−x); see `softmax`."""
    return softmax(neg(input), dim, dtype)


def gumbel_softmax(logits: Tensor, tau: float = 1, hard: bool = False, eps: float = 1e-10, dim: int = -1) -> Tensor:
    """A random sample from the Gumbel-softmax distribution.

    Source: Jang, Gu and Poole, "Categorical Reparameterization with Gumbel-Softmax", 2017.

    Args:
        logits: any shape, floating; unnormalized log probabilities along ``dim``.
        tau: temperature.
        hard: return one-hot vectors, which are differentiated as if they were the soft sample.
        eps: has no effect, as in PyTorch.
        dim: the dimension that sums to 1.

    Raises:
        IndexError: ``dim`` out of range.
        NotImplementedError: integers or bools.
    """
    if drawn_inside(float_argument(logits, "gumbel_softmax").device):
        exponential = neg(log(uniform_like(logits)))
    else:
        exponential = exponential_(empty_like(logits))
    noise = neg(log(exponential))
    soft = softmax(div(add(logits, noise), tau), dim)
    return add(sub(_one_hot_of_largest(soft, dim), soft.detach()), soft) if hard else soft


def _one_hot_of_largest(x: Tensor, dim: int) -> Tensor:
    axis = normalize_axis(dim, x.ndim, "gumbel_softmax")
    length = x.shape[axis] if x.ndim else 1
    positions = reshaped(iota(length, int64, x.device), tuple(length if a == axis else 1 for a in range(x.ndim)))
    chosen = eq(Tensor.from_node(positions), argmax(x, dim, keepdim=True))
    return Tensor.from_node(cast_node(chosen.node(), x.dtype))
