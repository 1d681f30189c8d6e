"""Comparisons, elementwise: which operand is larger, and which elements are finite."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from lazygrad.ir.dtype import Category
from lazygrad.ir.op import Op
from lazygrad.ir.primitives import elementwise as ew
from lazygrad.ops.arguments.elsewhere import FAILED, answered_elsewhere, elsewhere
from lazygrad.ops.arguments.kinds import Operand
from lazygrad.ops.arguments.operands import is_operand, promoted_pair, tensor_argument
from lazygrad.ops.arguments.out import accepts_out
from lazygrad.ops.arguments.registering import method
from lazygrad.ops.pointwise.arithmetic import abs
from lazygrad.tensor import Tensor
from lazygrad.tensor_base import record

# fmt: off
__all__ = [
    "eq", "ne", "lt", "le", "gt", "ge", "maximum", "minimum", "not_equal", "less", "less_equal", "greater",
    "greater_equal", "isnan", "isinf", "isfinite",
]
# fmt: on


def _comparison(
    name: str, op: Op, doc: str, *names: str, inplace: bool = True, tensors: int = 1
) -> Callable[[Any, Any], Tensor]:
    def function(input: Operand, other: Operand) -> Tensor:
        try:
            nodes = promoted_pair(name, input, other, False, tensors)
        except FAILED:
            return cast(Tensor, answered_elsewhere(getattr(Tensor, name), (input, other), {}))
        if op in (ew.maximum, ew.minimum) and nodes[0].dtype.is_complex:
            raise RuntimeError(f"{name} not implemented for complex tensors.")
        return record(op, nodes)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = doc
    return accepts_out(method(*names, inplace=inplace)(function))


eq = _comparison("eq", ew.eq, "input == other, as bool.")
ne = _comparison("ne", ew.ne, "input != other, as bool.", "not_equal")
lt = _comparison("lt", ew.lt, "input < other, as bool.", "less", "__lt__")
le = _comparison("le", ew.le, "input <= other, as bool.", "less_equal", "__le__")
gt = _comparison("gt", ew.gt, "input > other, as bool.", "greater", "__gt__")
ge = _comparison("ge", ew.ge, "input >= other, as bool.", "greater_equal", "__ge__")
maximum = _comparison(
    "maximum", ew.maximum, "The larger of two values, elementwise; NaN wins.", inplace=False, tensors=2
)
minimum = _comparison(
    "minimum", ew.minimum, "The smaller of two values, elementwise; NaN wins.", inplace=False, tensors=2
)


@method("__eq__")
def _equals(input: Tensor, other: object) -> Tensor:
    """``==``: elementwise with tensors and numbers; what else there is, such as None, equals no tensor."""
    if is_operand(other):
        return eq(input, other)
    form = elsewhere(Tensor.eq, (input, other), {})
    return NotImplemented if form is None else cast(Tensor, form())


@method("__ne__")
def _differs(input: Tensor, other: object) -> Tensor:
    if is_operand(other):
        return ne(input, other)
    form = elsewhere(Tensor.ne, (input, other), {})
    return NotImplemented if form is None else cast(Tensor, form())


# PyTorch's second names.
not_equal = ne
less, less_equal = lt, le
greater, greater_equal = gt, ge


@method()
def isnan(input: Tensor) -> Tensor:
    """Where elements are NaN, as bool."""
    node = tensor_argument(input, "isnan").node()
    return record(ew.isnan, (node,)) if node.dtype.category >= Category.FLOAT else ne(input, input)


def _parts(input: Tensor) -> tuple[Tensor, Tensor]:
    return record(ew.real, (input.node(),)), record(ew.imag, (input.node(),))


def _magnitude(input: Tensor) -> Tensor:
    """|x| of floats without its gradient: truths have none, and what needs no history is computed with less effort."""
    return abs(input.detach() if input.requires_grad else input)


@method()
def isinf(input: Tensor) -> Tensor:
    """Where elements are +∞ or −∞, as bool."""
    if tensor_argument(input, "isinf").dtype.category < Category.FLOAT:
        return ne(input, input)
    if input.dtype.is_complex:
        real, imag = _parts(input)
        return record(ew.bitwise_or, (isinf(real).node(), isinf(imag).node()))
    return eq(_magnitude(input), float("inf"))


@method()
def isfinite(input: Tensor) -> Tensor:
    """Where elements are neither infinite nor NaN, as bool."""
    if tensor_argument(input, "isfinite").dtype.category < Category.FLOAT:
        return eq(input, input)
    if input.dtype.is_complex:
        real, imag = _parts(input)
        return record(ew.bitwise_and, (isfinite(real).node(), isfinite(imag).node()))
    return lt(_magnitude(input), float("inf"))
