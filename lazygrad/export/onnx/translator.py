"""A graph as a model: each node by the entry of its op in the table of translations."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from lazygrad.export.onnx.model import DATA_TYPES, Model
from lazygrad.export.program import ExportError
from lazygrad.host.dtypes import to_numpy
from lazygrad.ir.dtype import DType
from lazygrad.ir.node import Node
from lazygrad.ir.op import Op
from lazygrad.ir.polynomial import Polynomial, Quantity

Size = int | Quantity


class Translator:
    """What the translation of a node asks for.

    Args:
        model: that nodes are added to.
        shapes, attrs: of each node; sizes that are open are a `Quantity`.
        open_size: the name of a 0-dim int64 value; None where all sizes are known.

    Attributes:
        names: of the values that were translated.
    """

    def __init__(
        self,
        model: Model,
        shapes: Mapping[Node, Sequence[Size]],
        attrs: Mapping[Node, tuple[Any, ...]],
        open_size: str | None,
    ) -> None:
        self.model, self._shapes, self._attrs, self._open_size = model, shapes, attrs, open_size
        self.names: dict[Node, str] = {}
        self._sizes: dict[Polynomial, str] = {}

    def add(self, kind: str, *inputs: str, **attributes: Any) -> str:
        """A node of ONNX; see `Model.add`."""
        return self.model.add(kind, *inputs, **attributes)

    def translate(self, node: Node) -> None:
        """Add what computes a node, whose inputs are there."""
        found = TRANSLATIONS.get(node.op)
        if found is None or found.since > self.model.opset:
            later = f" before opset {found.since}" if found else ""
            raise ExportError(f"ONNX has no operation for {node.op.name}{later} ({node.origin or 'origin unknown'})")
        self.names[node] = found.function(self, node)

    def operands(self, node: Node) -> list[str]:
        return [self.names[source] for source in node.inputs]

    def shape(self, node: Node) -> tuple[Size, ...]:
        return tuple(self._shapes[node])

    def attr(self, node: Node, name: str) -> Any:
        """An attribute, whose numbers may be open."""
        return self._attrs[node][node.op.attr_names.index(name)]

    def known(self, node: Node, sizes: Sequence[Size], what: str) -> tuple[int, ...]:
        """Sizes that must not depend on the open one.

        Raises:
            ExportError: one does.
        """
        if any(isinstance(size, Quantity) for size in sizes):
            raise ExportError(f"{node.op.name} ({node.origin or 'origin unknown'}): {what} may not be a dynamic axis")
        return tuple([size for size in sizes if isinstance(size, int)])

    def number(self, value: Any, dtype: DType) -> str:
        """A 0-dim value."""
        if isinstance(value, Quantity):
            return self._quantity(value, dtype)
        return self.model.constant(value, to_numpy(dtype))

    def ints(self, sizes: Sequence[Size]) -> str:
        """A list of sizes as an int64 tensor."""
        if not any(isinstance(size, Quantity) for size in sizes):
            return self.model.constant(list(sizes))
        parts = [
            self._list(self._size(s.polynomial)) if isinstance(s, Quantity) else self.model.constant([s]) for s in sizes
        ]
        return parts[0] if len(parts) == 1 else self.add("Concat", *parts, axis=0)

    def size(self, size: Size) -> str:
        """A size as a 0-dim int64 value."""
        return self._size(size.polynomial) if isinstance(size, Quantity) else self.model.constant(size)

    def cast(self, value: str, dtype: DType) -> str:
        if dtype.name not in DATA_TYPES:
            raise ExportError(f"ONNX export: {dtype.name} is not supported")
        return self.add("Cast", value, to=DATA_TYPES[dtype.name])

    def reshaped(self, value: str, shape: Sequence[Size]) -> str:
        return self.add("Reshape", value, self.ints(shape), allowzero=1)

    def gathered(self, node: Node, value: str, lead: Sequence[Size], positions: np.ndarray) -> str:
        """Elements of the trailing axes, which are known, by their row-major position.

        Args:
            node: whose input ``value`` is.
            lead: the shape before these axes.
            positions: int64, of the shape that the elements get behind ``lead``.
        """
        rest = self.known(node, self.shape(node.inputs[0])[len(lead) :], "what it looks at")
        flat = self.reshaped(value, [*lead, prod(rest)])
        return self.add("Gather", flat, self.model.constant(positions), axis=len(lead))

    def _list(self, size: str) -> str:
        return self.add("Unsqueeze", size, self.model.constant([0]))

    def _size(self, polynomial: Polynomial) -> str:
        """The value of a polynomial in the open size, by Horner's rule."""
        if polynomial not in self._sizes:
            assert self._open_size is not None
            value = self.model.constant(polynomial.coefficients[-1])
            for coefficient in reversed(polynomial.coefficients[:-1]):
                value = self.add("Add", self.add("Mul", value, self._open_size), self.model.constant(coefficient))
            self._sizes[polynomial] = value
        return self._sizes[polynomial]

    def _quantity(self, quantity: Quantity, dtype: DType) -> str:
        value = self.cast(self._size(quantity.polynomial), dtype)
        return self.add("Reciprocal", value) if quantity.is_reciprocal else value


Function = Callable[[Translator, Node], str]


@dataclass(frozen=True, slots=True)
class Translation:
    """How nodes of an op are written.

    Attributes:
        function: adds nodes to the model, and returns the name of the result.
        since: the first opset that has them.
    """

    function: Function
    since: int = 17


TRANSLATIONS: dict[Op, Translation] = {}


def translates(*ops: Op, since: int = 17) -> Callable[[Function], Function]:
    """Put the decorated function into the table, for these ops."""

    def decorate(function: Function) -> Function:
        TRANSLATIONS.update({op: Translation(function, since) for op in ops})
        return function

    return decorate
