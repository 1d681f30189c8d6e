"""How a composite is defined: a formula over its inputs, with its attributes as keyword arguments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lazygrad.ir.build import cast
from lazygrad.ir.callable_op import Composite
from lazygrad.ir.dtype import DType, float32
from lazygrad.ir.node import Node, TensorType
from lazygrad.ir.op import Infer, Kind
from lazygrad.ir.shape import Shape, ShapeError, broadcast_shapes

Formula = Callable[..., Node]
Result = tuple[Shape, DType]


def widen(x: Node) -> Node:
    """16-bit floats as float32, in which PyTorch computes them; everything else as it is."""
    return cast(x, float32) if x.dtype.is_half else x


def composite(
    name: str,
    formula: Formula,
    infer: Infer,
    attrs: tuple[str, ...] = (),
    doc: str = "",
    widened: bool = True,
    unsaved_input: int | None = None,
) -> Composite:
    """Define an op by what it is made of.

    Args:
        name: the op's name.
        formula: ``formula(*inputs, **attributes)`` builds the equivalent subgraph.
        infer: the type rule.
        attrs: attribute names.
        doc: one line for the op table.
        widened: compute 16-bit inputs in float32 and round once at the end.
        unsaved_input: see `Op`.
    """

    def decompose(node: Node) -> Node:
        inputs = [widen(source) for source in node.inputs] if widened else node.inputs
        return cast(formula(*inputs, **dict(node.named_attrs())), node.dtype)

    return Composite(name, Kind.COMPOSITE, infer, attrs, doc, unsaved_input=unsaved_input, decompose=decompose)


def check_float(name: str, x: TensorType, complex_too: bool = False) -> None:
    if x.dtype.is_complex and not complex_too:
        raise NotImplementedError(
            f"{name} not implemented for '{x.dtype.scalar_type}'; take its .real, .imag or .abs()"
        )
    if not x.dtype.differentiable:
        raise NotImplementedError(
            f"{name} not implemented for '{x.dtype.scalar_type}'; cast the operand first, for example .float()"
        )


def check_companions(name: str, x: TensorType, *others: TensorType) -> None:
    """``others`` must broadcast into ``x`` and share its dtype (or be float32 beside a 16-bit ``x``).

    Raises:
        ShapeError: an operand that does not broadcast into ``x``.
        RuntimeError: an operand of another dtype.
    """
    for other in others:
        if broadcast_shapes(name, x.shape, other.shape) != x.shape:
            raise ShapeError(f"{name}: an operand of shape {other.shape} does not fit the input of shape {x.shape}")
        if other.dtype is not x.dtype and not (x.dtype.is_half and other.dtype is float32):
            raise RuntimeError(f"{name}: expected the dtype of {x} for every operand, but got {other}; cast one")


def float_like_first(name: str, complex_too: bool = False) -> Infer:
    """The type rule "a float, shaped like the first input"; the others broadcast into it."""

    def infer(attrs: tuple[Any, ...], x: TensorType, *others: TensorType) -> Result:
        check_float(name, x, complex_too)
        check_companions(name, x, *others)
        return x.shape, x.dtype

    return infer
