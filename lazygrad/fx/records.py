"""Nodes as values that can be pickled."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from lazygrad.fx.node import Node, map_aggregate, map_arg

Record = tuple[str, str, Any, Any, Any, Any, dict[str, Any]]
"""A node: op, name, target, args, kwargs, type, and what code needs of meta. Nodes in arguments are named."""


class _Reference:
    """Stands for a node in a record."""

    def __init__(self, name: str) -> None:
        self.name = name


def records_of(nodes: Iterable[Node]) -> list[Record]:
    """Nodes as records."""

    def named(node: Node) -> Any:
        return _Reference(node.name)

    return [
        (n.op, n.name, n.target, map_arg(n.args, named), map_arg(n.kwargs, named), n.type,
         {"is_wrapped": True} if n.meta.get("is_wrapped") else {})
        for n in nodes
    ]  # fmt: skip


def create_recorded(records: Iterable[Record], create_node: Callable[..., Node]) -> None:
    """Make nodes of records, by a graph's ``create_node``."""
    nodes: dict[str, Node] = {}

    def found(part: Any) -> Any:
        return nodes[part.name] if isinstance(part, _Reference) else part

    for op, name, target, args, kwargs, type_expr, meta in records:
        given, named = map_aggregate(args, found), map_aggregate(kwargs, found)
        nodes[name] = create_node(op, target, given, named, name, type_expr)
        nodes[name].meta.update(meta)
