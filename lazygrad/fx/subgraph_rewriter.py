"""`replace_pattern`: parts of a graph that look like one function become what another function does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from lazygrad.fx._symbolic_trace import symbolic_trace
from lazygrad.fx.graph import Graph
from lazygrad.fx.graph_module import GraphModule, _found, copy_attribute
from lazygrad.fx.matching import Nodes, matches
from lazygrad.fx.node import Node, map_arg
from lazygrad.left_out import stand_in
from lazygrad.nn import Module

__all__ = ["Match", "replace_pattern", "replace_pattern_with_filters"]


class Match(NamedTuple):
    """A place where a pattern was found.

    Attributes:
        anchor: the node of the pattern that was looked for first, its last one.
        nodes_map: what the pattern's nodes are in the graph.
    """

    anchor: Node
    nodes_map: Nodes


def replace_pattern(
    gm: GraphModule,
    pattern: Callable[..., Any] | GraphModule,
    replacement: Callable[..., Any] | GraphModule,
) -> list[Match]:
    """Replace each place of a graph that looks like ``pattern``, where places overlap the first of them.

    Args:
        gm: whose graph is changed.
        pattern: what is looked for: a function or module, which is traced. Its arguments stand for any values; what
            it computes but does not return may be read by nobody else.
        replacement: what takes its place, of the same arguments.

    Returns:
        The places.
    """
    looked_for, graph = _graph_of(pattern), gm.graph
    found = list(matches(graph, looked_for))
    source = _graph_of(replacement)
    if isinstance(replacement, Module):
        _take_attributes(gm, replacement)
    changed: dict[Node, Any] = {}
    for match in found:
        _replace(graph, looked_for, source, match, changed)
    gm.recompile()
    anchor = _anchor(looked_for)
    return [Match(anchor, match) for match in found]


def _anchor(pattern: Graph) -> Node:
    return pattern.output_node().all_input_nodes[0]


def _graph_of(program: Any) -> Graph:
    if isinstance(program, GraphModule):
        return program.graph
    if isinstance(program, Graph):
        return program
    return symbolic_trace(program).graph


def _take_attributes(gm: GraphModule, replacement: Module) -> None:
    """Give a module what the graph of the replacement names."""
    traced = replacement if isinstance(replacement, GraphModule) else symbolic_trace(replacement)
    for node in traced.graph.nodes:
        if node.op in ("call_module", "get_attr") and _found(gm, node.target) is None:
            copy_attribute(traced, gm, node.target)


def _replace(graph: Graph, pattern: Graph, replacement: Graph, match: Nodes, changed: dict[Node, Any]) -> None:
    given = [node for node in pattern.nodes if node.op == "placeholder"]
    taken = [node for node in replacement.nodes if node.op == "placeholder"]
    if len(given) != len(taken):
        raise AssertionError("pattern and replacement have different arguments")
    for old in given:
        match[old] = changed.get(match[old], match[old]) if isinstance(match[old], Node) else match[old]
    values = {new: match[old] for old, new in zip(given, taken, strict=True)}
    returned = [match[node] for node in pattern.output_node().all_input_nodes]
    users = {user for node in returned for user in node.users}
    first = next(node for node in graph.nodes if node in users)
    with graph.inserting_before(first):
        result = graph.graph_copy(replacement, values)
    new = _nodes_in(result)
    for old, made in zip(returned, new, strict=True):
        old.replace_all_uses_with(made)
        changed[old] = made
    for node in reversed(pattern.nodes):
        if node.op not in ("placeholder", "output") and isinstance(match[node], Node):
            graph.erase_node(match[node])


def _nodes_in(result: Any) -> list[Node]:
    found: list[Node] = []

    def note(node: Node) -> Node:
        found.append(node)
        return node

    map_arg(result, note)
    return found


replace_pattern_with_filters = stand_in(
    "fx.subgraph_rewriter.replace_pattern_with_filters", "replace_pattern, or a loop over the graph's nodes"
)
