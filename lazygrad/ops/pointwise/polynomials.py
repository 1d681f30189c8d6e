"""Orthogonal polynomials of integer degree, elementwise, and the matrix of powers.

The degree may be a tensor; floats are cut to integers and negative degrees give 0. Identities between families:
NIST Digital Library of Mathematical Functions, 18.5 and 18.7.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lazygrad.ir.dtype import int64
from lazygrad.ir.node import Node
from lazygrad.ir.primitives import elementwise as ew
from lazygrad.ir.primitives.leaf import structural_number
from lazygrad.ir.primitives.pointwise import pointwise
from lazygrad.ops.arguments.kinds import Operand
from lazygrad.ops.arguments.operands import promoted, tensor_argument
from lazygrad.ops.arguments.out import accepts_out
from lazygrad.ops.creation.like import ones_like
from lazygrad.ops.reductions.scans import cumprod
from lazygrad.ops.shapes.joining import cat
from lazygrad.ops.shapes.repeating import flip
from lazygrad.ops.shapes.reshaping import expand, unsqueeze
from lazygrad.tensor import Tensor
from lazygrad.tensor_base import record_node

__all__ = ["vander"]

Formula = Callable[[Node, Node], Node]


def _like(x: Node, value: float) -> Node:
    return structural_number(value, x.dtype, x.device)


def _direct(name: str) -> Formula:
    return lambda x, n: record_node(pointwise, (n, x), (name,))


def _with_parameter(name: str, parameter: float) -> Formula:
    return lambda x, n: record_node(pointwise, (n, _like(x, parameter), x), (name,))


def _beside_previous(op: Any) -> Formula:
    """Uₙ ∓ Uₙ₋₁: the Chebyshev polynomials of the third and the fourth kind."""

    def formula(x: Node, n: Node) -> Node:
        previous = record_node(ew.sub, (n, _like(n, 1)))
        return record_node(op, (_second_kind(x, n), _second_kind(x, previous)))

    return formula


def _shifted(formula: Formula) -> Formula:
    """The polynomial on [0, 1] instead of [-1, 1]."""

    def shifted(x: Node, n: Node) -> Node:
        doubled = record_node(ew.mul, (x, _like(x, 2)))
        return formula(record_node(ew.sub, (doubled, _like(x, 1))), n)

    return shifted


def _family(name: str, formula: Formula, doc: str) -> Callable[[Any, Any], Tensor]:
    def function(input: Operand, n: Operand) -> Tensor:
        return Tensor.from_node(formula(*promoted(name, input, n, to_float=True)))

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"{doc} of degree ``n`` at ``input``, broadcast. Integers are taken as floats."
    return accepts_out(function)


_first_kind, _second_kind = _direct("chebyshev_t"), _with_parameter("gegenbauer", 1.0)
_third_kind, _fourth_kind = _beside_previous(ew.sub), _beside_previous(ew.add)

chebyshev_polynomial_t = _family("chebyshev_polynomial_t", _first_kind, "The Chebyshev polynomial Tₙ")
chebyshev_polynomial_u = _family("chebyshev_polynomial_u", _second_kind, "The Chebyshev polynomial Uₙ")
chebyshev_polynomial_v = _family("chebyshev_polynomial_v", _third_kind, "The Chebyshev polynomial Vₙ")
chebyshev_polynomial_w = _family("chebyshev_polynomial_w", _fourth_kind, "The Chebyshev polynomial Wₙ")
shifted_chebyshev_polynomial_t = _family("shifted_chebyshev_polynomial_t", _shifted(_first_kind), "Tₙ(2x − 1)")
shifted_chebyshev_polynomial_u = _family("shifted_chebyshev_polynomial_u", _shifted(_second_kind), "Uₙ(2x − 1)")
shifted_chebyshev_polynomial_v = _family("shifted_chebyshev_polynomial_v", _shifted(_third_kind), "Vₙ(2x − 1)")
shifted_chebyshev_polynomial_w = _family("shifted_chebyshev_polynomial_w", _shifted(_fourth_kind), "Wₙ(2x − 1)")
hermite_polynomial_h = _family("hermite_polynomial_h", _direct("hermite_h"), "The physicists' Hermite polynomial Hₙ")
hermite_polynomial_he = _family(
    "hermite_polynomial_he", _direct("hermite_he"), "The probabilists' Hermite polynomial Heₙ"
)
laguerre_polynomial_l = _family("laguerre_polynomial_l", _with_parameter("laguerre", 0.0), "The Laguerre polynomial Lₙ")
legendre_polynomial_p = _family(
    "legendre_polynomial_p", _with_parameter("gegenbauer", 0.5), "The Legendre polynomial Pₙ"
)


def vander(x: Tensor, N: int | None = None, increasing: bool = False) -> Tensor:
    """The Vandermonde matrix (n, N): row i holds the powers of x[i], the highest first unless ``increasing``.

    Args:
        x: a vector; bools and integers give int64.
        N: how many powers; n by default.
        increasing: begin with the power 0.

    Raises:
        RuntimeError: not a vector, or a negative ``N``.
    """
    if tensor_argument(x, "vander", "x").ndim != 1:
        raise RuntimeError("x must be a one-dimensional tensor.")
    size = x.shape[0]
    count = size if N is None else N
    if count < 0:
        raise RuntimeError("N must be non-negative.")
    base = unsqueeze(x if x.dtype.differentiable else x.to(int64), -1)
    if count < 2:
        powers = expand(ones_like(base), (size, count)).clone()
    else:
        powers = cat([ones_like(base), cumprod(expand(base, (size, count - 1)), -1)], -1)
    return powers if increasing else flip(powers, -1)
