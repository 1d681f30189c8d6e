"""`export`: what a module computes, in the format that other runtimes read."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lazygrad.export.onnx.model import DATA_TYPES, OPSETS, Model
from lazygrad.export.onnx.translator import TRANSLATIONS, Size, Translator
from lazygrad.export.program import ExportError, Program, recorded
from lazygrad.ir.graph import Graph
from lazygrad.ir.node import Node
from lazygrad.ir.polynomial import NotDynamic, Quantity
from lazygrad.ir.primitives.leaf import buffer
from lazygrad.passes.decompose import spelled_out
from lazygrad.passes.rewrite import rewrite
from lazygrad.runtime.dynamic.graph_template import GraphTemplate

_DEFAULT_OPSET = 18
_OTHER_SIZES = ((7, 13), (-1, -2), (1, 2))  # beside the example's: at which sizes it is recorded, too


@dataclass(frozen=True, slots=True)
class OnnxModel:
    """An ONNX model.

    Attributes:
        content: of an ``.onnx`` file.
    """

    content: bytes

    def __repr__(self) -> str:
        return f"<OnnxModel of {len(self.content):,} bytes>"

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write it to a file, which is replaced."""
        file = Path(path)
        file.write_bytes(self.content)
        return file


def export(
    model: Callable[..., Any],
    args: Any = (),
    f: str | os.PathLike[str] | None = None,
    *,
    kwargs: Mapping[str, Any] | None = None,
    export_params: bool = True,
    verbose: bool | None = None,
    input_names: Sequence[str] | None = None,
    output_names: Sequence[str] | None = None,
    opset_version: int | None = None,
    dynamic_axes: Mapping[str, Mapping[int, str] | Sequence[int]] | None = None,
    do_constant_folding: bool = True,
    keep_initializers_as_inputs: bool = False,
    training: Any = None,
    dynamo: bool = True,
    external_data: bool = False,
    optimize: bool = True,
    verify: bool = False,
) -> OnnxModel:
    """What a function or a module computes of its inputs, as an ONNX model; the signature is PyTorch's.

    Args:
        model: a function of tensors, or a module, which is in evaluation mode meanwhile.
        args: a tensor, or a tuple of arguments. Of tensors only shapes and dtypes matter.
        f: a file to write the model to.
        kwargs: further arguments, by name.
        input_names: of the tensors among the arguments, in order; default: those of the parameters.
        output_names: of the tensors that are returned, in order; default: ``output``, or ``output_0`` and so on.
        opset_version: 17 to 22; default 18.
        dynamic_axes: by name of an input, the dimensions whose size may differ, with a name or without. One size may
            differ from call to call; all dimensions that are named have it. What is said of outputs follows by itself.
        export_params, keep_initializers_as_inputs, training, external_data: only their defaults are supported.
        verbose, do_constant_folding, dynamo, optimize, verify: accepted, and make no difference.

    Raises:
        ExportError: ONNX has no operation for something; the program decides by values, draws random numbers, or
            writes to tensors that last; more than one size is dynamic, or other things than sizes depend on it.
        NotImplementedError: an argument that is not supported.
        ValueError: an opset that is not supported; a name too many.
    """
    opset = _DEFAULT_OPSET if opset_version is None else opset_version
    if opset not in OPSETS:
        raise ValueError(f"onnx.export: opset_version {opset} is not one of {OPSETS[0]} to {OPSETS[-1]}")
    unsupported = {
        "export_params": not export_params,
        "keep_initializers_as_inputs": keep_initializers_as_inputs,
        "training": training is not None and getattr(training, "value", training) != 0,
        "external_data": external_data,
    }
    for name, is_asked in unsupported.items():
        if is_asked:
            raise NotImplementedError(f"onnx.export: {name} is not supported with another value than its default")
    given = args if isinstance(args, tuple) else (args,)
    program = recorded(model, given, kwargs or {})
    names = _names(input_names, [each.name for each in program.inputs], "input_names")
    count = len(program.graph.roots)
    default = ["output"] if count == 1 else [f"output_{number}" for number in range(count)]
    results = _names(output_names, default, "output_names")
    axis_of, axis_name = _open_axes(dynamic_axes or {}, names, program, results)
    if not axis_of:
        graph = _lowered(program.graph, opset)
        shapes: Mapping[Node, Sequence[Size]] = {node: node.shape for node in graph.nodes}
        attrs: Mapping[Node, tuple[Any, ...]] = {node: node.attrs for node in graph.nodes}
    else:
        graph, shapes, attrs = _opened(
            lambda size: recorded(model, given, kwargs or {}, axis_of, size), program, axis_of, opset
        )
    built = _Writer(program, names, Model(program.name, opset), axis_of, axis_name)
    built.write(graph, shapes, attrs, results)
    found = OnnxModel(built.model.to_bytes())
    if f is not None:
        found.save(f)
    return found


def _names(given: Sequence[str] | None, default: Sequence[str], what: str) -> list[str]:
    if given is None:
        return list(default)
    if len(given) > len(default) or len(set(given)) < len(given):
        raise ValueError(f"onnx.export: expected at most {len(default)} different {what}, but got {list(given)}")
    return [*given, *default[len(given) :]]


def _open_axes(
    dynamic_axes: Mapping[str, Mapping[int, str] | Sequence[int]],
    names: Sequence[str],
    program: Program,
    results: Sequence[str],
) -> tuple[dict[str, int], str]:
    """By the program's own name of each input its open dimension, and what the size is called."""
    own = dict(zip(names, program.inputs, strict=True))
    unknown = dynamic_axes.keys() - own.keys() - set(results)
    if unknown:
        raise ValueError(f"onnx.export: dynamic_axes names {min(unknown)!r}, which is no input and no output")
    axis_of: dict[str, int] = {}
    called: set[str] = set()
    for name in [name for name in names if dynamic_axes.get(name)]:
        asked = dynamic_axes[name]
        if len(asked) > 1:
            raise ExportError(f"onnx.export: {name} has {len(asked)} dynamic axes; one can be")
        axis_of[own[name].name] = next(iter(asked))
        called.update(asked.values() if isinstance(asked, Mapping) else ())
    if len(called) > 1:
        raise ExportError(f"onnx.export: one size can be dynamic, but there are {', '.join(sorted(called))}")
    sizes = {each.type.shape[axis_of[each.name]] for each in program.inputs if each.name in axis_of}
    if len(sizes) > 1:
        raise ExportError(f"onnx.export: the dynamic axes have one size, but in the example {sorted(sizes)}")
    return axis_of, next(iter(called), "size")


def _lowered(graph: Graph, opset: int) -> Graph:
    """The graph without compound operations that ONNX does not have."""

    def rule(node: Node) -> Node | None:
        found = TRANSLATIONS.get(node.op)
        return None if found is not None and found.since <= opset else spelled_out(node)

    return rewrite(graph, rule)


def _opened(
    at: Callable[[int], Program], program: Program, axis_of: Mapping[str, int], opset: int
) -> tuple[Graph, Mapping[Node, Sequence[Size]], Mapping[Node, tuple[Any, ...]]]:
    """The graph, with shapes and attributes that follow from the open size, as found from three sizes."""
    size = next(each.type.shape[axis_of[each.name]] for each in program.inputs if each.name in axis_of)
    reasons = []
    for differences in _OTHER_SIZES:
        try:
            graphs = [_lowered(at(other).graph, opset) for other in sorted([size + more for more in (0, *differences)])]
            template = GraphTemplate(graphs[0], graphs[1])
            if template.size_of(graphs[2]) is None:
                raise NotDynamic("at another size it is another program")
        except (NotDynamic, RuntimeError, ValueError, IndexError) as reason:
            reasons.append(str(reason))
            continue
        nodes = graphs[1].nodes
        shapes = dict(zip(nodes, template.shapes, strict=True))
        return graphs[1], shapes, dict(zip(nodes, template.attrs, strict=True))
    raise ExportError(f"onnx.export: no model serves all sizes of the dynamic axes: {reasons[0]}")


class _Writer:
    """Puts a program into a model.

    Args:
        program: as it was recorded.
        names: of its inputs.
        model: still empty.
        axis_of: the open dimension of inputs, by the program's names.
        axis_name: what its size is called.
    """

    def __init__(
        self, program: Program, names: Sequence[str], model: Model, axis_of: Mapping[str, int], axis_name: str
    ) -> None:
        self.model, self._program, self._axis_name = model, program, axis_name
        self._inputs: list[str] = []
        self._open_size: str | None = None
        for name, each in zip(names, program.inputs, strict=True):
            shape: list[int | str] = list(each.type.shape)
            axis = axis_of.get(each.name)
            if axis is not None:
                shape[axis] = axis_name
            self._inputs.append(model.input(name, _dtype_name(each.type.dtype.name), shape))
            if axis is not None and self._open_size is None:
                sizes = model.add("Shape", self._inputs[-1])
                self._open_size = model.add("Gather", sizes, model.constant(axis), axis=0)

    def write(
        self,
        graph: Graph,
        shapes: Mapping[Node, Sequence[Size]],
        attrs: Mapping[Node, tuple[Any, ...]],
        results: Sequence[str],
    ) -> None:
        """Add all nodes, and name the results."""
        translator = Translator(self.model, shapes, attrs, self._open_size)
        constants = list(self._program.constants.items())
        for node in graph.nodes:
            if node.op is not buffer:
                translator.translate(node)
            elif node["slot"] < len(self._inputs):
                translator.names[node] = self._inputs[node["slot"]]
            else:
                name, array = constants[node["slot"] - len(self._inputs)]
                _dtype_name(array.dtype.name)
                translator.names[node] = self.model.initializer(name, array)
        for root, name in zip(graph.roots, results, strict=True):
            shape = [self._size_text(size) for size in shapes[root]]
            self.model.output(translator.names[root], name, _dtype_name(root.dtype.name), shape)

    def _size_text(self, size: Size) -> int | str:
        if not isinstance(size, Quantity):
            return size
        terms = [(c, power) for power, c in enumerate(size.polynomial.coefficients) if c]
        if terms == [(1, 1)]:
            return self._axis_name
        return " + ".join([" * ".join([str(c), *[self._axis_name] * power]) for c, power in terms])


def _dtype_name(name: str) -> str:
    if name not in DATA_TYPES:
        raise ExportError(f"onnx.export: {name} is not supported")
    return name
