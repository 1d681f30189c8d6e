"""Node: the noun of every graph.

A Node is one value in static single assignment form. What it computes never changes; only two facts beside
its identity do: `value`, the buffer once it is realized, and its history, which `seal` drops when nothing can
ask for it any more.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from functools import lru_cache
from itertools import count
from operator import attrgetter
from typing import Any
from weakref import WeakValueDictionary

from lazygrad.ir.device import CPU, Device, device_of
from lazygrad.ir.dtype import Category, DType, Scalar
from lazygrad.ir.op import Kind, Op, registry
from lazygrad.ir.origin import Origin
from lazygrad.ir.shape import Shape
from lazygrad.ir.storage_dtypes import check_computes


class TensorType:
    """Shape, dtype and device of a value. Interned: equal types are one object."""

    __slots__ = ("__weakref__", "device", "dtype", "shape")

    def __init__(self, shape: Shape, dtype: DType, device: Device) -> None:
        self.shape, self.dtype, self.device = shape, dtype, device

    def __str__(self) -> str:
        place = "" if self.device is CPU else f"@{self.device}"
        return f"{self.dtype.short}[{','.join(map(str, self.shape))}]{place}"

    __repr__ = __str__


class _Interning:
    """Types are made by one thread at a time: plans are made in the background."""

    lock = threading.Lock()

    @staticmethod
    def unlock() -> None:
        """In a forked child, whichever thread held the lock."""
        _Interning.lock = threading.Lock()


os.register_at_fork(after_in_child=_Interning.unlock)
_types: WeakValueDictionary[tuple[Shape, DType, Device], TensorType] = WeakValueDictionary()


# Those of values that come and go, as an array's that is shared again and again, need not be made each time.
@lru_cache(maxsize=1 << 9)
def tensor_type(shape: Shape, dtype: DType, device: Device = CPU) -> TensorType:
    key = (shape, dtype, device)
    found = _types.get(key)
    if found is None:
        with _Interning.lock:
            found = _types.get(key)
            if found is None:
                found = _types[key] = TensorType(shape, dtype, device)
    return found


serials = count()  # for `next`, which takes less time than a call of `next_serial`


def next_serial() -> int:
    """A serial between those of the nodes made so far and of those made from here on."""
    return next(serials)


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
        self.serial = next(serials)

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


_type_of = attrgetter("type")


def typed_node(
    op: Op, inputs: tuple[Node, ...], attrs: tuple[Any, ...], type: TensorType, origin: Origin | None, autograd: Any
) -> Node:
    """A node of a type that is known, made without the call of its class: every recorded operation comes by."""
    node = Node.__new__(Node)
    node.op = op
    node.inputs = inputs
    node.attrs = attrs
    node.type = type
    node.origin = origin
    node.value = None
    node.autograd = autograd
    node.serial = next(serials)
    return node


_INFER_CACHE_LIMIT = 1 << 16
inferred_types: dict[tuple[Any, ...], TensorType] = {}
"""By an op, its attributes and the types of its inputs, what `make_node` has inferred."""


def make_node(op: Op, inputs: tuple[Node, ...], attrs: tuple[Any, ...], origin: Origin | None) -> Node:
    """A node whose type is inferred and validated now, so that an error points at the line that recorded it.

    Raises:
        RuntimeError, IndexError, TypeError: whatever the op's inference finds wrong; inputs on different devices.

    A 0-dim input on the CPU may be joined by inputs on another device, and is copied there.
    """
    count = len(inputs)  # one or two, mostly
    if count == 1:
        key: tuple[Any, ...] = (op, attrs, inputs[0].type)
    elif count == 2:
        key = (op, attrs, inputs[0].type, inputs[1].type)
    else:
        key = (op, attrs, *map(_type_of, inputs))
    type = inferred_types.get(key)
    if type is None:
        type, inputs = _inferred_anew(op, inputs, attrs, key)
    return typed_node(op, inputs, attrs, type, origin, None)


def _inferred_anew(
    op: Op, inputs: tuple[Node, ...], attrs: tuple[Any, ...], key: tuple[Any, ...]
) -> tuple[TensorType, tuple[Node, ...]]:
    """The type of such a node, and its inputs, of which some are brought to the device of the others."""
    for node in inputs:
        if node.type.dtype.is_storage:
            check_computes(op, node.type.dtype)
    shape, dtype = op.infer(attrs, *[node.type for node in inputs])
    device = _device_of(op, inputs, attrs)
    type = tensor_type(shape, dtype, device)
    if op.kind not in _TAKES_ANY_DEVICE and any([node.device is not device for node in inputs]):
        # Not remembered: the copies belong to this node.
        return type, tuple([node if node.device is device else _brought_to(device, node) for node in inputs])
    if len(inferred_types) >= _INFER_CACHE_LIMIT:
        inferred_types.clear()
    inferred_types[key] = type
    return type, inputs


_TAKES_ANY_DEVICE = frozenset({Kind.IDENTITY, Kind.CALLBACK, Kind.GRADIENT, Kind.TRANSFER})


def _device_of(op: Op, inputs: tuple[Node, ...], attrs: tuple[Any, ...]) -> Device:
    """Where the result is: with the inputs. A 0-dim input on the CPU is a number, which goes where the others are.

    Raises:
        RuntimeError: inputs on different devices.
    """
    if op.kind is Kind.TRANSFER:
        return device_of(attrs[op.position["device"]])
    if op.kind is Kind.GRADIENT:
        return inputs[-1].device  # that of what the gradient is for
    if op.kind is Kind.CALLBACK or not inputs:
        return CPU
    if op.kind is Kind.IDENTITY:
        return inputs[0].device  # the others are looked at by differentiation only
    devices = list(dict.fromkeys([node.device for node in inputs if node.shape != () or node.device is not CPU]))
    if len(devices) > 1:
        raise RuntimeError(
            f"{op.name}: expected all tensors to be on the same device, but found {devices[0]} and {devices[1]}; "
            f"move one with .to(device)"
        )
    return devices[0] if devices else CPU


def _brought_to(device: Device, node: Node) -> Node:
    """A 0-dim input on another device; one that is a number itself needs no copy."""
    if node.op.name in ("constant", "scalar"):
        moved = Node(node.op, (), node.attrs, tensor_type((), node.dtype, device))
        moved.origin = node.origin
        return moved
    return make_node(registry["copy"], (node,), (str(device),), node.origin)


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
