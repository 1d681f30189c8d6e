"""Where a graph looks like another one."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any

from lazygrad.fx.graph import Graph
from lazygrad.fx.node import Node, map_aggregate

Nodes = dict[Node, Any]


def matches(graph: Graph, pattern: Graph) -> Iterator[Nodes]:
    """What the nodes of ``pattern`` are at each place of ``graph`` that looks like it; places do not overlap."""
    taken: set[Node] = set()
    returned = pattern.output_node().all_input_nodes
    for candidates in _candidates(graph, returned):
        found: Nodes = {}
        for wanted, node in zip(returned, candidates, strict=True):
            extended = _extended(found, wanted, node)
            if extended is None:
                break
            found = extended
        else:
            inner = {node for wanted, node in found.items() if wanted.op != "placeholder" and isinstance(node, Node)}
            if not inner & taken and _is_closed(found, returned, inner):
                taken |= inner
                yield found


def _candidates(graph: Graph, returned: list[Node]) -> Iterator[list[Node]]:
    """Choices of a node of the graph for each that the pattern returns."""
    if not returned:
        yield []
        return
    for node in list(graph.nodes):
        if _look_alike(returned[0], node):
            for rest in _candidates(graph, returned[1:]):
                if node not in rest:
                    yield [node, *rest]


def _look_alike(wanted: Node, node: Node) -> bool:
    if wanted.op == "placeholder":
        return True
    return wanted.op == node.op and bool(wanted.target == node.target)


def _is_closed(found: Nodes, returned: list[Node], inner: set[Node]) -> bool:
    """Whether nobody else reads what the pattern computes and does not return."""
    kept = {found[node] for node in returned}
    return all(node in kept or set(node.users) <= inner for node in inner)


def _extended(found: Nodes, wanted: Node, node: Any) -> Nodes | None:
    """What is known, and that ``wanted`` is ``node``; None where that does not fit."""
    if wanted in found:
        return found if found[wanted] is node or (not isinstance(node, Node) and found[wanted] == node) else None
    if wanted.op == "placeholder":
        return {**found, wanted: node}
    if not isinstance(node, Node) or not _look_alike(wanted, node):
        return None
    if any(node is other for other in found.values()):
        return None
    extended: Nodes | None = {**found, wanted: node}
    mine, theirs = _arguments(wanted, node)
    if len(mine) != len(theirs):
        return None
    for one, other in zip(mine, theirs, strict=True):
        if isinstance(one, Node) and extended is not None:
            extended = _extended(extended, one, other)
        elif isinstance(other, Node) or type(one) is not type(other) or one != other:
            return None
        if extended is None:
            return None
    return extended


def _arguments(wanted: Node, node: Node) -> tuple[list[Any], list[Any]]:
    """The arguments of both, one by one: as they are where they are spelled alike, bound to the signature otherwise."""
    one, other = (wanted.args, wanted.kwargs), (node.args, node.kwargs)
    if len(wanted.args) != len(node.args) or list(wanted.kwargs) != list(node.kwargs):
        one, other = _bound(wanted), _bound(node)
    return _flat(one), _flat(other)


def _bound(node: Node) -> Any:
    if node.op != "call_function":
        return node.args, node.kwargs
    try:
        bound = inspect.signature(node.target).bind(*node.args, **node.kwargs)
    except (TypeError, ValueError):
        return node.args, node.kwargs
    bound.apply_defaults()
    return dict(bound.arguments)


def _flat(arguments: Any) -> list[Any]:
    """The values in a structure, and the structure itself as text."""
    found: list[Any] = []

    def note(value: Any) -> Any:
        found.append(value)
        return None

    shape = map_aggregate(arguments, note)
    return [repr(shape), *found]
