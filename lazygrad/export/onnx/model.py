"""An ONNX model that is put together node by node. Source of field numbers: onnx.proto3 of onnx 1.18."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from typing import Any

import numpy as np

from lazygrad.export.onnx.protobuf import delimited, integer, real
from lazygrad.version import __version__

DATA_TYPES = {
    "float32": 1, "uint8": 2, "int8": 3, "uint16": 4, "int16": 5, "int32": 6, "int64": 7, "bool": 9, "float16": 10,
    "float64": 11, "uint32": 12, "uint64": 13, "complex64": 14, "complex128": 15, "bfloat16": 16,
}  # fmt: skip
_IR_VERSIONS = {17: 8, 18: 8, 19: 9, 20: 9, 21: 10, 22: 10}  # the first in which the operator set may be used
OPSETS = tuple(_IR_VERSIONS)
_FLOAT, _INTEGER, _STRING, _INTEGERS, _STRINGS = 1, 2, 3, 7, 8  # kinds of attributes

Shape = Sequence[int | str]  # a name stands for a size that is open


class Model:
    """The nodes of a model so far, each after those that it reads.

    Args:
        name: of its graph.
        opset: the version of the operators.
    """

    def __init__(self, name: str, opset: int) -> None:
        self.name, self.opset = name, opset
        self._nodes: list[bytes] = []
        self._initializers: list[bytes] = []
        self._inputs: list[bytes] = []
        self._outputs: list[bytes] = []
        self._numbers = count()
        self._taken: set[str] = set()
        self._constants: dict[tuple[Any, ...], str] = {}

    def unique(self, name: str) -> str:
        """A name that no value has yet."""
        while name in self._taken:
            name = f"{name}_{next(self._numbers)}"
        self._taken.add(name)
        return name

    def input(self, name: str, dtype: str, shape: Shape) -> str:
        name = self.unique(name)
        self._inputs.append(_value(name, dtype, shape))
        return name

    def output(self, value: str, name: str, dtype: str, shape: Shape) -> None:
        """Let a value be a result under a name of its own."""
        name = self.unique(name)
        self._nodes.append(_node("Identity", [value], [name], {}))
        self._outputs.append(_value(name, dtype, shape))

    def initializer(self, name: str, array: np.ndarray) -> str:
        """Data that is part of the model."""
        name = self.unique(name)
        data = np.ascontiguousarray(array)
        fields = [integer(1, size) for size in array.shape]
        fields += [integer(2, DATA_TYPES[array.dtype.name]), delimited(8, name), delimited(9, data.tobytes())]
        self._initializers.append(b"".join(fields))
        return name

    def constant(self, value: Any, dtype: Any = np.int64) -> str:
        """A small array, which is there once."""
        array = np.asarray(value, dtype)
        key = (array.dtype.name, array.shape, array.tobytes())
        if key not in self._constants:
            self._constants[key] = self.initializer(f"constant_{len(self._constants)}", array)
        return self._constants[key]

    def add(self, kind: str, *inputs: str, **attributes: Any) -> str:
        """A node; returns the name of its output."""
        return self.add_many(kind, 1, *inputs, **attributes)[0]

    def add_many(self, kind: str, outputs: int, *inputs: str, **attributes: Any) -> list[str]:
        """A node with several outputs; returns their names."""
        names = [self.unique(f"{kind.lower()}_{next(self._numbers)}") for _ in range(outputs)]
        self._nodes.append(_node(kind, inputs, names, attributes))
        return names

    def to_bytes(self) -> bytes:
        """The content of an ``.onnx`` file."""
        graph = b"".join(
            [
                *[delimited(1, node) for node in self._nodes],
                delimited(2, self.name),
                *[delimited(5, tensor) for tensor in self._initializers],
                *[delimited(11, value) for value in self._inputs],
                *[delimited(12, value) for value in self._outputs],
            ]
        )
        operators = delimited(1, "") + integer(2, self.opset)
        version = integer(1, _IR_VERSIONS[self.opset])
        return (
            version
            + delimited(2, "lazygrad")
            + delimited(3, __version__)
            + delimited(7, graph)
            + delimited(8, operators)
        )


def _node(kind: str, inputs: Sequence[str], outputs: Sequence[str], attributes: dict[str, Any]) -> bytes:
    fields = [delimited(1, name) for name in inputs] + [delimited(2, name) for name in outputs]
    fields += [delimited(4, kind)] + [delimited(5, _attribute(*item)) for item in attributes.items()]
    return b"".join(fields)


def _attribute(name: str, value: Any) -> bytes:
    if isinstance(value, str):
        content = delimited(4, value) + integer(20, _STRING)
    elif isinstance(value, float):
        content = real(2, value) + integer(20, _FLOAT)
    elif isinstance(value, int):
        content = integer(3, value) + integer(20, _INTEGER)
    elif all(isinstance(each, str) for each in value):
        content = b"".join([delimited(9, each) for each in value]) + integer(20, _STRINGS)
    else:
        content = b"".join([integer(8, each) for each in value]) + integer(20, _INTEGERS)
    return delimited(1, name) + content


def _value(name: str, dtype: str, shape: Shape) -> bytes:
    sizes = [delimited(2, size) if isinstance(size, str) else integer(1, size) for size in shape]
    dimensions = b"".join([delimited(1, size) for size in sizes])
    tensor = integer(1, DATA_TYPES[dtype]) + delimited(2, dimensions)
    return delimited(1, name) + delimited(2, delimited(1, tensor))
