"""`ShapeProp` notes shapes and dtypes of all values of a graph, for one set of arguments."""

from __future__ import annotations

from typing import Any, NamedTuple

from lazygrad.fx.interpreter import Interpreter
from lazygrad.fx.node import Node, map_aggregate
from lazygrad.ir.dtype import DType
from lazygrad.ir.memory_format import MemoryFormat, channels_last, channels_last_3d, contiguous_format
from lazygrad.size import Size
from lazygrad.tensor import Tensor

__all__ = ["ShapeProp", "TensorMetadata"]


class TensorMetadata(NamedTuple):
    """What a tensor looks like.

    Attributes:
        shape, dtype, requires_grad, stride: of the tensor.
        memory_format: None where it lies in memory in none of the named orders.
        is_quantized, qparams: False and empty.
    """

    shape: Size
    dtype: DType
    requires_grad: bool
    stride: tuple[int, ...]
    memory_format: MemoryFormat | None
    is_quantized: bool
    qparams: dict[str, Any]


def _metadata(tensor: Tensor) -> TensorMetadata:
    formats = (contiguous_format, channels_last, channels_last_3d)
    order = next((f for f in formats if tensor.is_contiguous(memory_format=f)), None)
    return TensorMetadata(tensor.shape, tensor.dtype, tensor.requires_grad, tensor.stride(), order, False, {})


class ShapeProp(Interpreter):
    """Runs a graph and puts a `TensorMetadata` for each tensor into ``node.meta["tensor_meta"]``, the class into
    ``node.meta["type"]``. Shapes are known without computing anything.
    """

    def run_node(self, n: Node) -> Any:
        try:
            result = super().run_node(n)
        except Exception as error:
            raise RuntimeError(f"ShapeProp error for: node={n.format_node()} with meta={n.meta}") from error
        tensors: list[Tensor] = []

        def note(value: Any) -> Any:
            if not isinstance(value, Tensor):
                return value
            tensors.append(value)
            return _metadata(value)

        noted = map_aggregate(result, note)
        if tensors:
            n.meta["tensor_meta"] = noted
        n.meta["type"] = type(result)
        return result

    def propagate(self, *args: Any) -> Any:
        """Run the graph with these arguments; what it returns."""
        return super().run(*args)
