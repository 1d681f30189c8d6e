"""Whether a graph is well formed."""

from __future__ import annotations

from typing import Any

from lazygrad.fx.node import Node
from lazygrad.nn import Module


def lint(graph: Any) -> None:
    """Check a `Graph`, which lies above this file.

    Raises:
        RuntimeError: a node is read before it is made, a name occurs twice or a target does not exist.
    """
    seen: set[Node] = set()
    names: set[str] = set()
    for node in graph.nodes:
        if node.graph is not graph:
            raise RuntimeError(f"Node '{node}' does not belong to this Graph!")
        for read in node.all_input_nodes:
            _require_seen(graph, node, read, seen)
        seen.add(node)
        if node.name in names:
            raise RuntimeError(f"Node redefined name {node.name}!")
        names.add(node.name)
        if graph.owning_module is not None and node.op in ("get_attr", "call_module"):
            _require_target(graph.owning_module, node)


def _require_seen(graph: Any, node: Node, read: Node, seen: set[Node]) -> None:
    if read.graph is not graph:
        raise RuntimeError(f"Argument '{read}' of Node '{node}' does not belong to this Graph, but was used as an "
                           f"argument! If you are copying nodes from another graph, make sure to use ``arg_transform`` "
                           f"on node_copy() to remap values\n{graph}")  # fmt: skip
    if read not in seen:
        raise RuntimeError(f"Argument '{read}' of Node '{node}' was used before it has been defined! Please check that "
                           f"Nodes in the graph are topologically ordered\n{graph}")  # fmt: skip


def _require_target(module: Module, node: Node) -> None:
    found: Any = module
    atoms = str(node.target).split(".")
    for i, atom in enumerate(atoms):
        found = getattr(found, atom, None)
        if found is None:
            raise RuntimeError(f"Node {node} target {node.target} references nonexistent attribute {atom} of "
                               f"{'.'.join(atoms[:i])}")  # fmt: skip
        if node.op == "call_module" and not isinstance(found, Module):
            raise RuntimeError(f"Node {node} target {node.target} {atom} of {'.'.join(atoms[:i])} does not reference "
                               f"an nn.Module")  # fmt: skip
