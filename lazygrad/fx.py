"""``lazygrad.fx``: PyTorch's graphs of Python code are not there; tensors show the graph they were recorded in."""

from __future__ import annotations

from typing import Any

from lazygrad.left_out import stand_in, stand_in_class

__all__ = [
    "Graph",
    "GraphModule",
    "Interpreter",
    "Node",
    "Proxy",
    "Tracer",
    "Transformer",
    "replace_pattern",
    "symbolic_trace",
    "wrap",
]

_GRAPH = (
    "operations are recorded as they run: call the module and look at result.graph(), or at all forms of the program "
    "with lazygrad.stages(result)"
)
_REWRITE = "recorded graphs are not edited; wrap or replace modules, with hooks or Module.set_submodule"

symbolic_trace = stand_in("fx.symbolic_trace", _GRAPH)
replace_pattern = stand_in("fx.replace_pattern", _REWRITE)
Graph = stand_in_class("fx.Graph", _GRAPH)
GraphModule = stand_in_class("fx.GraphModule", _GRAPH)
Node = stand_in_class("fx.Node", _GRAPH)
Proxy = stand_in_class("fx.Proxy", _GRAPH)
Tracer = stand_in_class("fx.Tracer", _GRAPH)
Interpreter = stand_in_class("fx.Interpreter", _REWRITE)
Transformer = stand_in_class("fx.Transformer", _REWRITE)


def wrap(fn_or_name: Any) -> Any:
    """``fn_or_name`` itself: a note to a tracer that is not there."""
    return fn_or_name
