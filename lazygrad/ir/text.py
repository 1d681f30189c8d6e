"""The text form of a graph: one typed line per node, deterministic, and readable back.

%0: f32[128,784]  = buffer slot=0                 "x"
%3: f32[128,512]  = linear %0 %1 %2               # train.py:14 Sequential.0
return %3
"""

from __future__ import annotations

import ast
import json
import re
from typing import Any

from lazygrad.ir.device import CPU, device_of
from lazygrad.ir.dtype import dtype_named
from lazygrad.ir.graph import Graph
from lazygrad.ir.node import Kind, Node, TensorType, make_node, registry, tensor_type
from lazygrad.ir.origin import Origin
from lazygrad.ir.printing import print_attribute

_HEAD = re.compile(r"%(\d+): (\w+)\[([\d,]*)\](?:@([\w:]+))?\s*= (\w+)")
_TOKEN = re.compile(
    r"\s+(?:%(?P<input>\d+)|(?P<attr>\w+)=(?P<value>'[^']*'|\([^ ]*\)|[^ ]+)"
    r"|(?P<name>\"(?:[^\"\\]|\\.)*\")|#\s?(?P<note>.*))"
)


class ParsedOrigin(Origin):
    """A provenance comment read back from text: only its words survive."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        super().__init__(None, 0, "")
        self.text = text

    def __str__(self) -> str:
        return self.text


def parse(text: str) -> Graph:
    """Read a graph back from its text.

    Raises:
        ValueError: a line that is not in the text form, with its number; a type that the op does not give.
    """
    nodes: dict[int, Node] = {}
    names: dict[Node, str] = {}
    roots: list[Node] = []
    for line_number, line in enumerate(text.splitlines(), 1):
        stripped = line.strip()
        if not stripped or stripped.startswith("#"):
            continue
        try:
            if stripped.startswith("return"):
                roots = [nodes[int(word[1:])] for word in stripped.split()[1:]]
            else:
                number, node, name = _parse_line(stripped, nodes)
                nodes[number] = node
                if name is not None:
                    names[node] = name
        except (ValueError, KeyError, SyntaxError, RuntimeError) as error:
            raise ValueError(f"line {line_number} is not a graph line ({error}): {stripped}") from error
    return Graph(roots, names)


def _parse_line(line: str, nodes: dict[int, Node]) -> tuple[int, Node, str | None]:
    head = _HEAD.match(line)
    if head is None:
        raise ValueError("expected '%N: dtype[shape] = op …'")
    number, short, sizes, place, op_name = head.groups()
    shape = tuple(int(size) for size in sizes.split(",") if size)
    type = tensor_type(shape, dtype_named(short), device_of(place) if place else CPU)
    inputs, attrs, name, note = [], {}, None, None
    position = head.end()
    while position < len(line):
        token = _TOKEN.match(line, position)
        if token is None:
            raise ValueError(f"cannot read {line[position:]!r}")
        if token["input"] is not None:
            inputs.append(nodes[int(token["input"])])
        elif token["attr"] is not None:
            attrs[token["attr"]] = _parse_value(token["value"])
        elif token["name"] is not None:
            name = json.loads(token["name"])
        else:
            note = token["note"]
        position = token.end()
    node = _rebuild(op_name, tuple(inputs), attrs, type)
    node.origin = ParsedOrigin(note) if note else None
    return int(number), node, name


def _parse_value(word: str) -> Any:
    if word.lstrip("-") in ("inf", "nan"):
        return float(word)
    if word.endswith(("j", "j)")):
        return complex(word)  # as a literal it would be a sum, which loses the signs of zeros
    return ast.literal_eval(word)


def _rebuild(op_name: str, inputs: tuple[Node, ...], attrs: dict[str, Any], type: TensorType) -> Node:
    if op_name not in registry:
        raise ValueError(f"there is no op called {op_name!r}")
    op = registry[op_name]
    values = tuple(attrs.get(name) for name in op.attr_names)
    if op.kind is Kind.LEAF:
        return Node(op, inputs, values, type)
    node = make_node(op, inputs, values, None)
    if (node.shape, node.dtype) != (type.shape, type.dtype):
        raise ValueError(f"{op_name} gives {node.type}, the text says {type}")
    return Node(op, inputs, values, type)


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
