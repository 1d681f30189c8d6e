"""Leaves: values that exist before the program runs, and the markers only differentiation reads."""

from __future__ import annotations

from math import copysign, inf, isnan
from typing import Any

from lazygrad.ir.callable_op import CallableOp
from lazygrad.ir.device import CPU, Device
from lazygrad.ir.dtype import Category, DType, Scalar, float32
from lazygrad.ir.node import Node, TensorType, derived_origin, make_node, tensor_type, typed_node
from lazygrad.ir.op import Kind, Op
from lazygrad.ir.shape import Shape


def _declared(attrs: tuple[Any, ...], *_: TensorType) -> tuple[Shape, DType]:
    raise TypeError("leaves are built by their own functions")


buffer = CallableOp("buffer", Kind.LEAF, _declared, ("slot",), doc="stored data; `slot` numbers it inside a plan")
constant = CallableOp("constant", Kind.LEAF, _declared, ("value",), doc="one number, part of the program's structure")
scalar = CallableOp("scalar", Kind.LEAF, _declared, ("value", "slot"), doc="one number handed over at each run")

placeholder = CallableOp(
    "placeholder", Kind.LEAF, _declared, doc="stands for a value while a function of it is recorded"
)


def _same(attrs: tuple[Any, ...], x: TensorType, *_: TensorType) -> tuple[Shape, DType]:
    return x.shape, x.dtype


detach = CallableOp("detach", Kind.IDENTITY, _same, doc="the same value, cut off from gradients")
straight_through = CallableOp(
    "straight_through", Kind.IDENTITY, _same, doc="the first input's value with the second input's gradient"
)
moving_with = CallableOp(
    "moving_with",
    Kind.IDENTITY,
    _same,
    doc="the first input's value, which moves with the second; the third says how far",
)

checkpoint = CallableOp(
    "checkpoint",
    Kind.IDENTITY,
    _same,
    ("delayed",),
    doc="the first input's value, computed from the others, the first `delayed` of which are not stored for gradients",
)
custom_output = CallableOp(
    "custom_output", Kind.IDENTITY, _same, doc="the first input's value; the second is the custom function it came from"
)
custom_function = CallableOp(
    "custom_function",
    Kind.CALLBACK,
    lambda attrs, *_: ((), float32),
    doc="joins a custom function's outputs and inputs",
)

_STRUCTURAL = frozenset([0, 1, -1, 2, -2, 3, 4, 0.5, -0.5, inf, -inf])


def is_structural(value: Scalar) -> bool:
    """Whether a number is part of the program (simplification may look at it) rather than a runtime argument."""
    if isinstance(value, complex):
        return value.imag == 0 and copysign(1.0, value.imag) > 0 and is_structural(value.real)
    # -0.0 equals 0.0 as a key but not as a number
    return value in _STRUCTURAL and (value != 0 or copysign(1.0, value) > 0)


def canonical(value: Scalar, dtype: DType) -> Scalar:
    """``value`` as the Python type that stands for ``dtype``'s category."""
    if dtype.is_floating_point:
        return value if type(value) is float else float(value)  # type: ignore[arg-type]
    if dtype.category is Category.BOOL:
        return bool(value)
    if dtype.category is Category.INTEGER:
        return int(value)  # type: ignore[arg-type]  # a complex number is one only of a complex dtype
    return complex(value)


def leaf_node(op: Op, attrs: tuple[Any, ...], type: TensorType) -> Node:
    return typed_node(op, (), attrs, type, derived_origin(), None)


def number(value: Scalar, dtype: DType, device: Device = CPU) -> Node:
    """A 0-dim node for a Python scalar: `constant` when structural, otherwise a lifted `scalar`."""
    value = canonical(value, dtype)
    type = _number_types.get(dtype) if device is CPU else tensor_type((), dtype, device)
    if type is None:
        type = _number_types[dtype] = tensor_type((), dtype)
    if value in _STRUCTURAL and is_structural(value):  # most are not, which takes no call to see
        return typed_node(constant, (), (value,), type, derived_origin(), None)
    return typed_node(scalar, (), (value, None), type, derived_origin(), None)


_number_types: dict[DType, TensorType] = {}  # of the host: a few, which every operation with a number asks for


def structural_number(value: Scalar, dtype: DType, device: Device = CPU) -> Node:
    """A 0-dim constant whatever its value: for numbers in formulas that never change."""
    value = canonical(value, dtype)
    parts = (value.real, value.imag) if isinstance(value, complex) else (value,)
    if any(isinstance(part, float) and (isnan(part) or (part == 0 and copysign(1.0, part) < 0)) for part in parts):
        return number(value, dtype, device)
    return leaf_node(constant, (value,), tensor_type((), dtype, device))


def runtime_number(value: Scalar, dtype: DType, device: Device = CPU) -> Node:
    """A 0-dim runtime argument whatever its value, such as a random generator's counter."""
    return leaf_node(scalar, (canonical(value, dtype), None), tensor_type((), dtype, device))


def mark_detached(node: Node) -> Node:
    """``node``'s value without its gradient; a fresh node each time, so that two leaves stay two."""
    if node.value is None:
        return make_node(detach, (node,), (), node.origin)
    stored = leaf_node(buffer, (None,), node.type)  # as it will look after its first update
    stored.value, stored.origin = node.value, node.origin
    return stored
