"""Relatives of the gamma function, elementwise: incomplete, multivariate, its logarithm's derivatives, zeta.

Sources: NIST Digital Library of Mathematical Functions, 5.15 (polygamma), 8.2 (incomplete gamma), 25.11 (zeta),
35.3 (multivariate gamma).
"""

from __future__ import annotations

from math import factorial, log, pi

from lazygrad.ir.node import Node
from lazygrad.ir.primitives import elementwise as ew
from lazygrad.ir.primitives.leaf import structural_number
from lazygrad.ir.primitives.pointwise import pointwise
from lazygrad.ops.arguments.kinds import Operand
from lazygrad.ops.arguments.operands import float_node, promoted, tensor_argument
from lazygrad.ops.arguments.out import accepts_out
from lazygrad.ops.arguments.registering import method
from lazygrad.ops.pointwise.elementary import digamma, lgamma
from lazygrad.tensor import Tensor
from lazygrad.tensor_base import record, record_node

__all__ = ["igamma", "igammac", "polygamma", "mvlgamma"]


def _incomplete(name: str, function: str, input: Tensor, other: Tensor) -> Tensor:
    operands = tensor_argument(input, name), tensor_argument(other, name, "other")
    return record(pointwise, promoted(name, *operands, to_float=True), (function,))


@accepts_out
@method(inplace=True)
def igamma(input: Tensor, other: Tensor) -> Tensor:
    """The regularized lower incomplete gamma function P(input, other), broadcast.

    Gradients flow to ``other`` only, as in PyTorch.

    Raises:
        TypeError: an operand that is not a tensor. NotImplementedError: a gradient asked for ``input``.
    """
    return _incomplete("igamma", "gammainc", input, other)


@accepts_out
@method(inplace=True)
def igammac(input: Tensor, other: Tensor) -> Tensor:
    """The regularized upper incomplete gamma function Q(input, other) = 1 − P(input, other); see `igamma`."""
    return _incomplete("igammac", "gammaincc", input, other)


@accepts_out
def gammainc(input: Tensor, other: Tensor) -> Tensor:
    """Another name of `igamma`."""
    return igamma(input, other)


@accepts_out
def gammaincc(input: Tensor, other: Tensor) -> Tensor:
    """Another name of `igammac`."""
    return igammac(input, other)


@accepts_out
def zeta(input: Operand, other: Operand) -> Tensor:
    """The Hurwitz zeta function Σ (k + other)^−input over k ≥ 0, broadcast; gradients flow to ``other`` only."""
    return record(pointwise, promoted("zeta", input, other, to_float=True), ("zeta",))


def _polygamma(n: int, input: Tensor) -> Tensor:
    if not isinstance(n, int) or isinstance(n, bool):
        raise TypeError(f"polygamma(): argument 'n' must be int, not {type(n).__name__}")
    if n < 0:
        raise RuntimeError(f"polygamma(n, x) does not support negative n, but got {n}")
    if n == 0:
        return digamma(input)
    node = float_node(tensor_argument(input, "polygamma"))
    if n == 1:
        return record(ew.trigamma, (node,))
    order, factor = _numbers(node, n + 1, (-1) ** (n + 1) * factorial(n))
    return record(ew.mul, (record_node(pointwise, (order, node), ("zeta",)), factor))


def _numbers(like: Node, *values: float) -> list[Node]:
    return [structural_number(value, like.dtype, like.device) for value in values]


@accepts_out
def polygamma(n: int, input: Tensor) -> Tensor:
    """The n-th derivative of `digamma`, elementwise: (−1)ⁿ⁺¹ n! ζ(n + 1, x).

    Raises:
        RuntimeError: ``n`` is negative. TypeError: not an int.
    """
    return _polygamma(n, input)


@method("polygamma", inplace=True)
def _polygamma_method(input: Tensor, n: int) -> Tensor:
    return _polygamma(n, input)


@accepts_out
@method(inplace=True)
def mvlgamma(input: Tensor, p: int) -> Tensor:
    """The logarithm of the p-variate gamma function, elementwise: p(p − 1)/4 · ln π + Σ lgamma(x − j/2), j < p.

    Raises:
        RuntimeError: ``p`` is not positive.
    """
    if p < 1:
        raise RuntimeError(f"mvlgamma: p has to be greater than or equal to 1, but got {p}")
    x = Tensor.from_node(float_node(tensor_argument(input, "mvlgamma")))
    total: Tensor = lgamma(x)
    for j in range(1, p):
        total = total + lgamma(x - j / 2)
    return total + p * (p - 1) / 4 * log(pi)


@accepts_out
def multigammaln(input: Tensor, p: int) -> Tensor:
    """Another name of `mvlgamma`."""
    return mvlgamma(input, p)
