"""The values of a graph in double precision: numpy, one operation after another, nothing planned."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from lazygrad.host.dtypes import to_numpy
from lazygrad.ir.callable_op import Composite
from lazygrad.ir.device import CPU
from lazygrad.ir.dtype import DType, bfloat16, complex64, float16, float32
from lazygrad.ir.graph import Graph, topological_order
from lazygrad.ir.node import Node
from lazygrad.ir.op import Kind
from lazygrad.ir.primitives.float8 import cast_float8
from lazygrad.ir.primitives.leaf import buffer
from lazygrad.ir.primitives.pointwise import pointwise
from lazygrad.ir.primitives.reinterpret import reinterpret
from lazygrad.targets.devices import device_evaluator

_WIDER: dict[DType, np.dtype] = dict.fromkeys((float16, bfloat16, float32), np.dtype(np.float64))
_WIDER[complex64] = np.dtype(np.complex128)
# What these say depends on how many bits a number has.
_OF_BITS = frozenset({"frexp_mantissa", "frexp_exponent", "nextafter"})


class Reference:
    """Computes nodes of a graph of primitives and composites, each once.

    Args:
        given: the values of nodes that are not computed, in any precision.
        is_wide: whether floats of up to 32 bits are computed with 64; else each operation rounds to its own dtype.
    """

    def __init__(self, given: Mapping[Node, np.ndarray], is_wide: bool = True) -> None:
        evaluator = device_evaluator(CPU)
        assert evaluator is not None
        self._evaluator, self._is_wide = evaluator, is_wide
        self._known: dict[Node, Any] = {node: self._widened(value, node.dtype) for node, value in given.items()}

    def __call__(self, root: Node) -> np.ndarray:
        """The value of a node.

        Raises:
            KeyError: it needs a buffer that was not given.
        """
        with np.errstate(all="ignore"):
            for node in topological_order([root], self._unknown_inputs):
                if node not in self._known:
                    self._known[node] = self._value(node)
        return np.asarray(self._known[root])

    def magnitude(self) -> float:
        """The largest sum of magnitudes of what is known: what rounding errors of sums are relative to."""
        floats = [value for node, value in self._known.items() if node.dtype.differentiable]
        with np.errstate(all="ignore"):
            sums = [float(np.abs(value).sum()) for value in floats]
        return max([each for each in sums if np.isfinite(each)], default=0.0)

    def _unknown_inputs(self, node: Node) -> tuple[Node, ...]:
        return () if node in self._known else node.inputs

    def _value(self, node: Node) -> Any:
        op = node.op
        if isinstance(op, Composite):
            return self(op.decompose(node))
        if op.kind is Kind.IDENTITY:
            return self._known[node.inputs[0]]
        if op.kind is Kind.LEAF:
            if op is buffer:
                raise KeyError(f"the reference was not given {node}")
            return self._widened(np.asarray(self._evaluator.number(node)), node.dtype)[()]
        operands = [self._known[source] for source in node.inputs]
        if op.kind is Kind.MOVEMENT:
            return self._evaluator.moved(node, operands[0])
        if op.kind is Kind.TRANSFER:
            return operands[0]
        is_wide = self._is_wide and not _depends_on_bits(node)
        if not is_wide:
            operands = [
                np.asarray(value).astype(to_numpy(source.dtype), copy=False)[()]
                for value, source in zip(operands, node.inputs, strict=True)
            ]
        computation = self._evaluator.computation(node)
        assert computation is not None, f"{node} is no primitive"
        out = np.empty(node.shape, self._dtype(node.dtype) if is_wide else to_numpy(node.dtype))
        computation.compute(node, out, operands)
        return self._widened(out, node.dtype)

    def _dtype(self, dtype: DType) -> np.dtype:
        return _WIDER.get(dtype, to_numpy(dtype)) if self._is_wide else to_numpy(dtype)

    def _widened(self, value: np.ndarray, dtype: DType) -> np.ndarray:
        return value.astype(self._dtype(dtype), copy=False)


def _depends_on_bits(node: Node) -> bool:
    return node.op in (reinterpret, cast_float8) or (node.op is pointwise and node["function"] in _OF_BITS)


def root_values(graph: Graph, inputs: Callable[[int], np.ndarray], is_wide: bool = True) -> list[np.ndarray]:
    """The values of a graph's roots; ``inputs`` has those of the buffers by slot."""
    reference = Reference(buffer_values(graph.nodes, inputs), is_wide)
    return [reference(root) for root in graph.roots]


def buffer_values(nodes: Iterable[Node], inputs: Callable[[int], np.ndarray]) -> dict[Node, np.ndarray]:
    """The values of the buffers among some nodes."""
    return {node: inputs(node["slot"]).reshape(node.shape) for node in nodes if node.op is buffer}
