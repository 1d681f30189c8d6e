"""The text form of a graph: one typed line per node, deterministic, and readable back.

%0: f32[128,784]  = buffer slot=0                 "x"
%3: f32[128,512]  = linear %0 %1 %2               # train.py:14 Sequential.0
return %3
"""

from __future__ import annotations

import re
from typing import Any

from lazygrad.ir.attribute_text import parse_attribute, print_attribute
from lazygrad.ir.device import CPU, device_of
from lazygrad.ir.dtype import Category, dtype_named
from lazygrad.ir.graph import Graph
from lazygrad.ir.network import text_of_json
from lazygrad.ir.node import Node, TensorType, make_node, tensor_type
from lazygrad.ir.op import Kind, Op, registry
from lazygrad.ir.origin import Origin
from lazygrad.ir.primitives.leaf import buffer, constant, placeholder
from lazygrad.ir.printable import printable, shortened, unquoted
from lazygrad.ir.shape import numel

_HEAD = re.compile(r"%([0-9]+): (\w+)\[((?:[0-9]+(?:,[0-9]+)*)?)\](?:@([\w:]+))?\s*= (\w+)", re.ASCII)
_TOKEN = re.compile(
    r"\s+(?:%(?P<input>[0-9]+)(?!\S)|(?P<attr>\w+)=|(?P<name>\"(?:[^\"\\]|\\.)*\")(?!\S)|#\s?(?P<note>.*))", re.ASCII
)
_MOST_AXES, _MOST_BYTES = 64, 1 << 63
_SHOWN = 200  # characters of a line in an error message


class ParsedOrigin(Origin):
    """A provenance comment read back from text: only its words survive."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        super().__init__(None, 0, "")
        self.text = printable(text)

    def __str__(self) -> str:
        return self.text


def parse(text: str) -> Graph:
    """Read a graph back from its text, or from the JSON of `Graph.to_json`.

    Raises:
        ValueError: anything that is not the text of a graph, with the number of the line and what is wrong with it.
        TypeError: ``text`` is not a string.
    """
    if not isinstance(text, str):
        raise TypeError(f"parse: expected the text of a graph, not {type(text).__name__}")
    if text.lstrip().startswith("{"):
        text = text_of_json(text)
    reader, number = _Reader(), 0
    for number, line in enumerate(text.splitlines(), 1):
        stripped = line.strip()
        if stripped and not stripped.startswith("#"):
            try:
                reader.read(stripped)
            except (ValueError, RuntimeError) as error:  # RuntimeError: a device that does not exist
                raise ValueError(_not_a_graph_line(number, str(error), stripped)) from error
    if reader.roots is None:
        raise ValueError(_not_a_graph_line(number, "the graph ends without 'return'", ""))
    return Graph(reader.roots, reader.names)


def _not_a_graph_line(number: int, reason: str, line: str) -> str:
    reason, line = printable(shortened(reason, _SHOWN)), printable(shortened(line, _SHOWN))
    return f"line {number} is not a graph line ({reason}): {line}"


class _Reader:
    """Reads a graph line by line.

    Attributes:
        nodes: by the numbers they have in the text.
        names: of nodes that have one.
        roots: what is returned; None before that line.
    """

    def __init__(self) -> None:
        self.nodes: dict[int, Node] = {}
        self.names: dict[Node, str] = {}
        self.roots: list[Node] | None = None

    def read(self, line: str) -> None:
        """One line that is not empty. The errors say what is wrong with it."""
        if self.roots is not None:
            raise ValueError("nothing follows 'return'")
        first, *words = line.split()
        if first == "return":
            self.roots = [self._root(word) for word in words]
            return
        number, node, name = self._node(line)
        if number in self.nodes:
            raise ValueError(f"%{number} is defined above")
        self.nodes[number] = node
        if name is not None:
            self.names[node] = name

    def _root(self, word: str) -> Node:
        if not (word.startswith("%") and word[1:].isascii() and word[1:].isdigit()):
            raise ValueError(f"expected a number such as %0 instead of {shortened(word, 20)!r}")
        return self._defined(word[1:])

    def _defined(self, number: str) -> Node:
        node = self.nodes.get(int(number))
        if node is None:
            raise ValueError(f"%{number} is not defined above")
        return node

    def _node(self, line: str) -> tuple[int, Node, str | None]:
        head = _HEAD.match(line)
        if head is None:
            raise ValueError("expected '%N: dtype[shape] = op …'")
        number, short, sizes, place, op_name = head.groups()
        inputs, attrs, name, note = [], {}, None, None
        position = head.end()
        while position < len(line):
            token = _TOKEN.match(line, position)
            if token is None:
                raise ValueError(f"cannot read {line[position : position + 20]!r}")
            position = token.end()
            if token["input"] is not None:
                inputs.append(self._defined(token["input"]))
            elif token["attr"] is not None:
                if token["attr"] in attrs:
                    raise ValueError(f"{token['attr']} is given twice")
                attrs[token["attr"]], position = parse_attribute(line, position)
            elif token["name"] is not None:
                name = unquoted(token["name"])
            else:
                note = token["note"]
        node = _rebuild(_op_named(op_name), tuple(inputs), attrs, _type_of(short, sizes, place))
        node.origin = ParsedOrigin(note) if note else None
        return int(number), node, name


def _op_named(name: str) -> Op:
    if name not in registry:
        raise ValueError(f"there is no op called {name!r}")
    return registry[name]


def _type_of(short: str, sizes: str, place: str | None) -> TensorType:
    try:
        dtype = dtype_named(short)
    except KeyError:
        raise ValueError(f"there is no dtype called {short!r}") from None
    shape = tuple([int(size) for size in sizes.split(",")]) if sizes else ()
    if len(shape) > _MOST_AXES:
        raise ValueError(f"no array has more than {_MOST_AXES} dimensions")
    if max(shape, default=0) >= _MOST_BYTES or numel(shape) * dtype.itemsize >= _MOST_BYTES:
        raise ValueError("no memory is that large")
    return tensor_type(shape, dtype, device_of(place) if place else CPU)


def _rebuild(op: Op, inputs: tuple[Node, ...], attrs: dict[str, Any], type: TensorType) -> Node:
    values = tuple([attrs.pop(name, None) for name in op.attr_names])
    if attrs:
        raise ValueError(f"{op.name} has no attribute {next(iter(attrs))!r}")
    if op.kind is Kind.LEAF:
        _check_leaf(op, inputs, values, type)
        return Node(op, inputs, values, type)
    try:
        node = make_node(op, inputs, values, None)
        found = str(node.type)
    except Exception as error:  # type rules raise whatever they like at what nobody recorded
        raise ValueError(f"{op.name} does not take such inputs and attributes: {error}") from error
    if (node.shape, node.dtype) != (type.shape, type.dtype):
        raise ValueError(f"{op.name} gives {found}, the text says {type}")
    if inputs and node.device is not type.device:
        raise ValueError(f"{op.name} computes on {node.device}, the text says {type.device}")
    return Node(op, inputs, values, type)


def _check_leaf(op: Op, inputs: tuple[Node, ...], values: tuple[Any, ...], type: TensorType) -> None:
    """A leaf has no type rule that would find mistakes."""
    if inputs:
        raise ValueError(f"{op.name} has no inputs")
    if op is placeholder:
        return
    slot = None if op is constant else values[-1]
    if slot is not None and (slot.__class__ is not int or slot < 0):
        raise ValueError(f"the number of a slot cannot be {slot!r}")
    if op is not buffer and not _is_number(values[0], type):
        raise ValueError(f"{values[0]!r} is not a number of type {type}")


def _is_number(value: Any, type: TensorType) -> bool:
    """Whether a constant of this type can have this value: one number, of no higher category."""
    kinds = {Category.FLOAT: (int, float), Category.COMPLEX: (int, float, complex)}
    return type.shape == () and isinstance(value, kinds.get(type.dtype.category, int))


def same_graph(first: Graph, second: Graph) -> bool:
    """Structural equality: ops, attributes, types, edges, names and roots; provenance may differ."""
    return _signature(first) == _signature(second)


def _signature(graph: Graph) -> tuple[Any, ...]:
    numbers = {node: i for i, node in enumerate(graph.nodes)}
    rows = [
        (
            node.op,
            tuple(numbers[i] for i in node.inputs),
            print_attribute(tuple(node.attrs)),
            node.type,
            graph.names.get(node),
        )
        for node in graph.nodes
    ]
    return tuple(rows), tuple(numbers[root] for root in graph.roots)
