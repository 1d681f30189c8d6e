"""``lazygrad.utils.tensorboard``: training curves, images and graphs for TensorBoard, written by tensorboardX.

Needed is ``pip install 'lazygrad[tensorboard]'``; TensorBoard itself is only needed to look at the files.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from importlib.util import find_spec
from typing import Any

from lazygrad.grad_mode import no_grad
from lazygrad.ir.graph import Graph
from lazygrad.ir.node import Node
from lazygrad.nn.core.module import Module
from lazygrad.runtime.recording import Recording
from lazygrad.tensor import Tensor

if find_spec("tensorboardX") is None:
    raise ModuleNotFoundError(
        "lazygrad.utils.tensorboard needs tensorboardX: pip install 'lazygrad[tensorboard]'", name="tensorboardX"
    )

import tensorboardX
from tensorboardX.proto.attr_value_pb2 import AttrValue
from tensorboardX.proto.graph_pb2 import GraphDef
from tensorboardX.proto.node_def_pb2 import NodeDef
from tensorboardX.proto.tensor_shape_pb2 import TensorShapeProto
from tensorboardX.proto.versions_pb2 import VersionDef

__all__ = ["FileWriter", "SummaryWriter"]

FileWriter = tensorboardX.writer.FileWriter


class SummaryWriter(tensorboardX.SummaryWriter):
    """tensorboardX's writer, whose methods take tensors, and which draws the graphs that lazygrad records.

    See https://tensorboardx.readthedocs.io for its methods; they are those of ``torch.utils.tensorboard``.
    """

    def add_graph(
        self, model: Module, input_to_model: Any = None, verbose: bool = False, use_strict_trace: bool = True
    ) -> None:
        """Draws what one call of a model records: operations in the modules they belong to, with their shapes.

        Args:
            model: is called once, without gradients; nothing is computed.
            input_to_model: its argument, or a list or tuple of them.
            verbose: print the graph too.
            use_strict_trace: unused: nothing is traced.
        """
        inputs = list(input_to_model) if isinstance(input_to_model, (list, tuple)) else [input_to_model]
        with no_grad():
            results = _tensors_in(model(*inputs))
        graph = Recording([result.node() for result in results]).program()
        if verbose:
            print(graph)
        self._get_file_writer().add_onnx_graph(_drawn(graph))  # which writes any graph, without times


def _taking_tensors(method: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(method)
    def taking_tensors(self: Any, *arguments: Any, **options: Any) -> Any:
        return method(self, *map(_as_arrays, arguments), **{name: _as_arrays(value) for name, value in options.items()})

    return taking_tensors


def _as_arrays(value: Any) -> Any:
    """A value in which arrays stand for tensors."""
    if isinstance(value, Tensor):
        return value.detach().numpy()
    if isinstance(value, dict):
        return {key: _as_arrays(item) for key, item in value.items()}
    if type(value) in (list, tuple):
        return type(value)(map(_as_arrays, value))
    return value


for _name, _method in list(vars(tensorboardX.SummaryWriter).items()):
    if _name.startswith("add_") and _name not in vars(SummaryWriter):
        setattr(SummaryWriter, _name, _taking_tensors(_method))


def _tensors_in(value: Any) -> list[Tensor]:
    if isinstance(value, Tensor):
        return [value]
    if isinstance(value, dict):
        value = list(value.values())
    return [found for item in value for found in _tensors_in(item)] if isinstance(value, (list, tuple)) else []


def _drawn(graph: Graph) -> Any:
    """A graph in TensorBoard's form, where the parts of a name are boxes in boxes."""
    names = _unique_names(graph)
    return GraphDef(node=[_drawn_node(node, names) for node in graph.nodes], versions=VersionDef(producer=22))


def _unique_names(graph: Graph) -> dict[Node, str]:
    names: dict[Node, str] = {}
    counts: dict[str, int] = {}
    for node in graph.nodes:
        inside = node.origin.scope if node.origin is not None else ""
        name = graph.names.get(node) or ".".join(part for part in (inside, node.op.name) if part)
        name = name.replace(".", "/")
        counts[name] = counts.get(name, 0) + 1
        names[node] = name if counts[name] == 1 else f"{name}_{counts[name]}"
    return names


def _drawn_node(node: Node, names: dict[Node, str]) -> Any:
    dimensions: Sequence[int] = node.type.shape
    shape = TensorShapeProto(dim=[TensorShapeProto.Dim(size=size) for size in dimensions])
    said = ", ".join(f"{name}={value}" for name, value in node.named_attrs())
    attributes = {
        "_output_shapes": AttrValue(list=AttrValue.ListValue(shape=[shape])),
        "attr": AttrValue(s=f"{node.type} {said}".encode()),
    }
    if node.origin is not None:
        attributes["line"] = AttrValue(s=str(node.origin).encode())
    return NodeDef(name=names[node], op=node.op.name, input=[names[each] for each in node.inputs], attr=attributes)
