"""``torch.fx``: programs recorded as graphs of Python's calls, which can be read, rewritten and run.

This is PyTorch's tool for rewriting models. What lazygrad itself records and compiles is another graph
(``result.graph()``, ``lazygrad.stages``); a `GraphModule` is recorded there like any other module.
"""

from lazygrad.fx import passes
from lazygrad.fx._symbolic_trace import PH, Tracer, symbolic_trace
from lazygrad.fx.graph import Graph
from lazygrad.fx.graph_module import GraphModule
from lazygrad.fx.interpreter import Interpreter, Transformer
from lazygrad.fx.node import Node, has_side_effect, map_arg
from lazygrad.fx.proxy import Proxy
from lazygrad.fx.subgraph_rewriter import replace_pattern
from lazygrad.fx.wrapping import wrap

__all__ = [
    "PH",
    "Graph",
    "GraphModule",
    "Interpreter",
    "Node",
    "Proxy",
    "Tracer",
    "Transformer",
    "has_side_effect",
    "map_arg",
    "passes",
    "replace_pattern",
    "symbolic_trace",
    "wrap",
]
