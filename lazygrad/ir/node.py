"""Node: the noun of every graph.

A Node is one value in static single assignment form. What it computes never changes; only two facts beside
its identity do: `value`, the buffer once it is realized, and its history, which `seal` drops when nothing can
ask for it any more.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from itertools import count
from typing import Any
from weakref import WeakValueDictionary

from lazygrad.ir.device import CPU, Device
from lazygrad.ir.dtype import Category, DType, Scalar
from lazygrad.ir.op import Op, registry
from lazygrad.ir.origin import Origin
from lazygrad.ir.shape import Shape


class TensorType:
    """Shape, dtype and device of a value. Interned: equal types are one object."""

    __slots__ = ("__weakref__", "device", "dtype", "shape")

    def __init__(self, shape: Shape, dtype: DType, device: Device) -> None:
        self.shape, self.dtype, self.device = shape, dtype, device

    def __str__(self) -> str:
        place = "" if self.device is CPU else f"@{self.device}"
        return f"{self.dtype.short}[{','.join(map(str, self.shape))}]{place}"

    __repr__ = __str__


_types: WeakValueDictionary[tuple[Shape, DType, Device], TensorType] = WeakValueDictionary()


def tensor_type(shape: Shape, dtype: DType, device: Device = CPU) -> TensorType:
    key = (shape, dtype, device)
    found = _types.get(key)
    if found is None:
        found = _types[key] = TensorType(shape, dtype, device)
    return found


_serials = count()


def next_serial() -> int:
    """A serial between those of the nodes made so far and of those made from here on."""
    return next(_serials)


class Node:
    """One value of a graph.

    Attributes:
        op, inputs, attrs: what it computes; ``attrs`` are values in the order of ``op.attr_names``.
        type: shape, dtype and device.
        origin: the user line that made it, or None; never part of its identity in a plan key.
        value: the realized buffer, or None while pending.
        autograd: what a layer above keeps with this node for differentiation, None at first; nothing here reads it.
        serial: grows with every node made, so a node depends on no node of a greater serial.
    """

    __slots__ = (
        "__weakref__",
        "attrs",
        "autograd",
        "inputs",
        "op",
        "origin",
        "serial",
        "type",
        "value",
    )

    def __init__(self, op: Op, inputs: tuple[Node, ...], attrs: tuple[Any, ...], type: TensorType) -> None:
        self.op, self.inputs, self.attrs, self.type = op, inputs, attrs, type
        self.origin: Origin | None = None
        self.value: Any = None
        self.autograd: Any = None
        self.serial = next(_serials)

    @property
    def shape(self) -> Shape:
        return self.type.shape

    @property
    def dtype(self) -> DType:
        return self.type.dtype

    @property
    def device(self) -> Device:
        return self.type.device

    @property
    def rank(self) -> int:
        return len(self.type.shape)

    def __getitem__(self, attr: str) -> Any:
        return self.attrs[self.op.position[attr]]

    def named_attrs(self) -> Iterator[tuple[str, Any]]:
        return zip(self.op.attr_names, self.attrs, strict=True)

    # Arithmetic between nodes, so that derivative rules read like formulas. Numbers become constants of this dtype.

    def _with(self, name: str, other: Node | Scalar, swapped: bool = False) -> Node:
        operand = other if isinstance(other, Node) else self.like(other)
        pair = (operand, self) if swapped else (self, operand)
        return make_node(registry[name], pair, (), derived_origin())

    def like(self, value: Scalar) -> Node:
        """A 0-dim constant of this node's dtype and device."""
        category = self.dtype.category
        if category is Category.FLOAT:
            value = float(value)  # type: ignore[arg-type]
        elif category is Category.COMPLEX:
            value = complex(value)
        return Node(registry["constant"], (), (value,), tensor_type((), self.dtype, self.device))

    def __add__(self, other: Node | Scalar) -> Node:
        return self._with("add", other)

    def __sub__(self, other: Node | Scalar) -> Node:
        return self._with("sub", other)

    def __mul__(self, other: Node | Scalar) -> Node:
        return self._with("mul", other)

    def __truediv__(self, other: Node | Scalar) -> Node:
        return self._with("div", other)

    def __radd__(self, other: Scalar) -> Node:
        return self._with("add", other, swapped=True)

    def __rsub__(self, other: Scalar) -> Node:
        return self._with("sub", other, swapped=True)

    def __rmul__(self, other: Scalar) -> Node:
        return self._with("mul", other, swapped=True)

    def __rtruediv__(self, other: Scalar) -> Node:
        return self._with("div", other, swapped=True)

    def __neg__(self) -> Node:
        return make_node(registry["neg"], (self,), (), derived_origin())

    def seal(self, leaf: Op) -> None:
        """Forget how a realized value came to be: it is a leaf from now on, and its ancestors can be freed."""
        self.op, self.inputs, self.attrs = leaf, (), (None,) * len(leaf.attr_names)

    def __repr__(self) -> str:
        return f"<{self.type} {self.op.name}>"


_INFER_CACHE_LIMIT = 1 << 16
_inferred: dict[tuple[Any, ...], TensorType] = {}


def make_node(op: Op, inputs: tuple[Node, ...], attrs: tuple[Any, ...], origin: Origin | None) -> Node:
    """A node whose type is inferred and validated now, so that an error points at the line that recorded it.

    Raises:
        RuntimeError, IndexError, TypeError: whatever the op's inference finds wrong; inputs on different devices.
    """
    key = (op, attrs, *[node.type for node in inputs])
    type = _inferred.get(key)
    if type is None:
        type = _infer(op, inputs, attrs)
        if len(_inferred) >= _INFER_CACHE_LIMIT:
            _inferred.clear()
        _inferred[key] = type
    node = Node(op, inputs, attrs, type)
    node.origin = origin
    return node


def _infer(op: Op, inputs: tuple[Node, ...], attrs: tuple[Any, ...]) -> TensorType:
    shape, dtype = op.infer(attrs, *[node.type for node in inputs])
    device = CPU
    for i, node in enumerate(inputs):
        if i == 0 or (device is not node.device and inputs[i - 1].shape == ()):
            device = node.device
        elif node.device is not device and node.shape != ():
            raise RuntimeError(
                f"{op.name}: expected all tensors to be on the same device, but found {device} and {node.device}; "
                f"move one with .to(device)"
            )
    return tensor_type(shape, dtype, device)


class _DerivedOrigin(threading.local):
    origin: Origin | None = None


_derived = _DerivedOrigin()


def derived_origin() -> Origin | None:
    """The origin passes give the nodes they build; see `deriving_from`."""
    return _derived.origin


class deriving_from:
    """Nodes built by calling ops inside this context get ``origin``."""

    def __init__(self, origin: Origin | None) -> None:
        self.origin = origin

    def __enter__(self) -> None:
        self.outer = _derived.origin
        _derived.origin = self.origin

    def __exit__(self, *_: object) -> None:
        _derived.origin = self.outer
