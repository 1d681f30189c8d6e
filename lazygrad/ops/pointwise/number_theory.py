"""Common divisors and multiples of integers, elementwise."""

from __future__ import annotations

from lazygrad.ir.dtype import Category
from lazygrad.ir.primitives.pointwise import pointwise
from lazygrad.ops.arguments.operands import promoted, tensor_argument
from lazygrad.ops.arguments.out import accepts_out
from lazygrad.ops.arguments.registering import method
from lazygrad.tensor import Tensor
from lazygrad.tensor_base import record

__all__ = ["gcd", "lcm"]


def _of_integers(name: str, input: Tensor, other: Tensor) -> Tensor:
    nodes = promoted(name, tensor_argument(input, name), tensor_argument(other, name, "other"))
    if nodes[0].dtype.category is not Category.INTEGER:
        raise NotImplementedError(
            f"{name} not implemented for '{nodes[0].dtype.scalar_type}'; cast to an integer dtype"
        )
    return record(pointwise, nodes, (name,))


@accepts_out
@method(inplace=True)
def gcd(input: Tensor, other: Tensor) -> Tensor:
    """The greatest common divisor, broadcast, not negative; 0 of two zeros.

    Raises:
        NotImplementedError: floats or bools.
    """
    return _of_integers("gcd", input, other)


@accepts_out
@method(inplace=True)
def lcm(input: Tensor, other: Tensor) -> Tensor:
    """The least common multiple, broadcast, not negative; 0 beside a zero.

    Raises:
        NotImplementedError: floats or bools.
    """
    return _of_integers("lcm", input, other)
