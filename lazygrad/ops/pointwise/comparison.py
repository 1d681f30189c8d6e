"""Whether tensors are equal, exactly or up to a tolerance."""

from __future__ import annotations

from lazygrad.direct_access import memory_of
from lazygrad.ops.arguments.elsewhere import answers_elsewhere
from lazygrad.ops.arguments.operands import float_node, tensor_argument
from lazygrad.ops.arguments.registering import method
from lazygrad.ops.arguments.tracing import traced
from lazygrad.ops.pointwise.arithmetic import abs, add, mul, sub
from lazygrad.ops.pointwise.bitwise import bitwise_and, bitwise_or
from lazygrad.ops.pointwise.relational import eq, isfinite, isnan, le
from lazygrad.ops.reductions.sums import all as all_
from lazygrad.runtime.small_forms import MOST_BYTES
from lazygrad.tensor import Tensor

__all__ = ["isclose", "allclose", "equal"]


def _check_tolerance(name: str, value: float) -> None:
    if value < 0:
        raise RuntimeError(f"{name} must be greater than or equal to zero, but got {value}")


@answers_elsewhere
@method()
@traced
def isclose(input: Tensor, other: Tensor, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> Tensor:
    """Where |input - other| ≤ atol + rtol·|other|, or both are equal, as bool; the tensors broadcast.

    Args:
        input, other: of one dtype; integers are compared as floats.
        rtol, atol: relative and absolute tolerance.
        equal_nan: whether NaN is close to NaN.

    Raises:
        RuntimeError: different dtypes; a negative tolerance; shapes that do not broadcast.
        TypeError: an argument that is not a tensor.
    """
    x, y = tensor_argument(input, "isclose"), tensor_argument(other, "isclose", "other")
    if x.dtype is not y.dtype:
        raise RuntimeError(f"isclose: {x.dtype.name} did not match {y.dtype.name}; cast one of the tensors")
    _check_tolerance("rtol", rtol)
    _check_tolerance("atol", atol)
    close = eq(x, y)
    if equal_nan and x.dtype.is_floating_point:
        close = bitwise_or(close, bitwise_and(isnan(x), isnan(y)))
    if rtol == 0 and atol == 0:
        return close
    first, second = [Tensor.from_node(float_node(operand)) for operand in (x, y)]
    error = abs(sub(first, second))
    allowed = add(abs(mul(second, rtol)), atol)
    within = bitwise_and(isfinite(error), le(error, allowed))
    return bitwise_or(close, within)


@answers_elsewhere
@method()
def allclose(input: Tensor, other: Tensor, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> bool:
    """Whether `isclose` holds everywhere. Computes both tensors now.

    Raises:
        RuntimeError, TypeError: see `isclose`.
    """
    return bool(all_(isclose(input, other, rtol, atol, equal_nan)).array())


@answers_elsewhere
@method()
def equal(input: Tensor, other: Tensor) -> bool:
    """Whether two tensors have the same shape and the same elements (NaN equals nothing). Computes both now.

    Raises:
        TypeError: an argument that is not a tensor.
    """
    x, y = tensor_argument(input, "equal"), tensor_argument(other, "equal", "other")
    if x._sizes() != y._sizes():
        return False
    found = _equal_in_memory(x, y)
    return bool(all_(eq(x, y)).array()) if found is None else found


def _equal_in_memory(x: Tensor, y: Tensor) -> bool | None:
    """Whether computed tensors with few elements of one dtype are equal; None of others."""
    if x.dtype is not y.dtype or x.dtype.is_storage:
        return None
    first, second = memory_of(x), memory_of(y)
    if first is None or second is None or first.nbytes > MOST_BYTES:
        return None
    return bool((first == second).all())
