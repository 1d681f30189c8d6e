"""The list of a graph's nodes, the place where new ones go, and the list as a table."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from types import TracebackType
from typing import Any

from lazygrad.fx.names import public_name
from lazygrad.fx.node import Node


class NodeList:
    """The nodes of a graph, as it is at the moment; nodes may be erased or put in while somebody iterates."""

    def __init__(self, graph: Any, is_reversed: bool = False) -> None:
        self._graph, self._is_reversed = graph, is_reversed

    def __len__(self) -> int:
        return self._graph._len

    def __iter__(self) -> Iterator[Node]:
        root = self._graph._root
        node = root.prev if self._is_reversed else root.next
        while node is not root:
            if not node._erased:
                yield node
            node = node.prev if self._is_reversed else node.next

    def __reversed__(self) -> Iterator[Node]:
        return iter(NodeList(self._graph, not self._is_reversed))


class InsertPoint:
    """Where new nodes go, while this context lasts or until the next such call."""

    def __init__(self, graph: Any, insert: Callable[[Node], None]) -> None:
        self._graph, self._outer = graph, graph._insert
        graph._insert = insert

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: type | None, value: BaseException | None, trace: TracebackType | None) -> None:
        self._graph._insert = self._outer


def tabular(nodes: Iterable[Node]) -> str:
    """Nodes as a table; without the package ``tabulate``, in plain columns."""
    rows = [(n.op, n.name, public_name(n.target) if callable(n.target) else n.target, n.args, n.kwargs) for n in nodes]
    headers = ("opcode", "name", "target", "args", "kwargs")
    try:
        from tabulate import tabulate
    except ModuleNotFoundError:
        return _columns([headers, *[tuple(map(str, row)) for row in rows]])
    return str(tabulate(rows, headers=headers))


def _columns(rows: list[tuple[str, ...]]) -> str:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    ruled = [rows[0], tuple("-" * width for width in widths), *rows[1:]]
    return "\n".join("  ".join(map(str.ljust, row, widths)).rstrip() for row in ruled)
