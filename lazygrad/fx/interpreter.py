"""Running a graph node by node: `Interpreter` with values, `Transformer` with proxies."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from lazygrad.fx._symbolic_trace import Tracer
from lazygrad.fx.graph import Graph
from lazygrad.fx.graph_module import GraphModule
from lazygrad.fx.node import Node, map_aggregate, map_arg
from lazygrad.fx.proxy import Proxy
from lazygrad.nn import Module

__all__ = ["Interpreter", "Transformer"]


class Interpreter:
    """Runs the graph of a module, one node after another; derived classes change what a kind of node does.

    Args:
        module: a `GraphModule`, or the module that a graph names attributes of.
        garbage_collect_values: let go of a value once nobody reads it any more.
        graph: another graph than that of the module.
    """

    def __init__(self, module: Module, garbage_collect_values: bool = True, graph: Graph | None = None) -> None:
        self.module = module
        self.submodules = dict(module.named_modules())
        self.graph: Graph = module.graph if graph is None else graph
        self.env: dict[Node, Any] = {}
        self.name = "Interpreter"
        self.garbage_collect_values = garbage_collect_values
        self.extra_traceback = True
        self.args_iter: Iterator[Any] = iter(())

    def run(self, *args: Any, initial_env: dict[Node, Any] | None = None, enable_io_processing: bool = True) -> Any:
        """What the graph returns for some arguments.

        Args:
            *args: the arguments, in order.
            initial_env: values of nodes that are not computed.
            enable_io_processing: changes nothing, as there are no codegens to process arguments.

        Raises:
            RuntimeError: an argument is missing.
        """
        self.env = dict(initial_env or {})
        self.args_iter = iter(args)
        unused = self._last_reads() if self.garbage_collect_values else {}
        for node in self.graph.nodes:
            if node not in self.env:
                self.env[node] = self._run_named(node)
                for read in unused.get(node, ()):
                    self.env.pop(read, None)
            if node.op == "output":
                return self.env[node]
        return None

    def boxed_run(self, args_list: list[Any]) -> Any:
        """`run` with a list of arguments, which is emptied."""
        args = list(args_list)
        args_list.clear()
        return self.run(*args)

    def _last_reads(self) -> dict[Node, list[Node]]:
        last: dict[Node, Node] = {}
        for node in self.graph.nodes:
            for read in node.all_input_nodes:
                last[read] = node
        reads: dict[Node, list[Node]] = {}
        for read, node in last.items():
            reads.setdefault(node, []).append(read)
        return reads

    def _run_named(self, node: Node) -> Any:
        try:
            return self.run_node(node)
        except Exception as error:
            if self.extra_traceback and node.op != "placeholder":
                message = f"While executing {node.format_node()}"
                if not any(message in note for note in getattr(error, "__notes__", ())):
                    error.add_note(message)
            raise

    def run_node(self, n: Node) -> Any:
        """What a node's value is: calls the method of this class that is named after its kind."""
        args, kwargs = self.fetch_args_kwargs_from_env(n)
        return getattr(self, n.op)(n.target, args, kwargs)

    # The kinds of nodes.

    def placeholder(self, target: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The next argument, or the default."""
        if target.startswith("*"):
            return list(self.args_iter)
        try:
            return next(self.args_iter)
        except StopIteration:
            if args:
                return args[0]
            raise RuntimeError(
                f"Expected positional argument for parameter {target}, but one was not passed in!"
            ) from None

    def get_attr(self, target: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """What the module has at a dotted path."""
        return self.fetch_attr(target)

    def call_function(self, target: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """A call of a function."""
        return target(*args, **kwargs)

    def call_method(self, target: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """A call of a method of the first argument."""
        self_obj, *rest = args
        return getattr(self_obj, target)(*rest, **kwargs)

    def call_module(self, target: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """A call of a submodule."""
        return self.fetch_attr(target)(*args, **kwargs)

    def output(self, target: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The result."""
        return args[0]

    # What derived classes call.

    def fetch_attr(self, target: str) -> Any:
        """What the module has at a dotted path.

        Raises:
            RuntimeError: nothing.
        """
        found: Any = self.module
        for i, name in enumerate(atoms := target.split(".")):
            if not hasattr(found, name):
                raise RuntimeError(f"Node referenced nonexistent target {'.'.join(atoms[: i + 1])}")
            found = getattr(found, name)
        return found

    def fetch_args_kwargs_from_env(self, n: Node) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """A node's arguments as values."""
        args, kwargs = self.map_nodes_to_values(n.args, n), self.map_nodes_to_values(n.kwargs, n)
        return args, kwargs

    def map_nodes_to_values(self, args: Any, n: Node) -> Any:
        """Some arguments of a node as values."""

        def value_of(read: Node) -> Any:
            if read not in self.env:
                raise RuntimeError(
                    f"Node {n} referenced nonexistent value {read}! Run Graph.lint() to diagnose such issues"
                )
            return self.env[read]

        return map_arg(args, value_of)


class Transformer(Interpreter):
    """Records a graph anew, node by node; derived classes change what becomes of a kind of node.

    Args:
        module: whose graph.
    """

    def __init__(self, module: GraphModule) -> None:
        super().__init__(module, garbage_collect_values=False)
        self.new_graph = Graph()

        class TransformerTracer(Tracer):
            def __init__(self, graph: Graph) -> None:
                super().__init__()
                self.graph = graph

            def is_leaf_module(self, m: Module, module_qualified_name: str) -> bool:
                return True

        self.tracer = TransformerTracer(self.new_graph)
        self.tracer.root = module

    def placeholder(self, target: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Proxy:
        default = args[0] if args else ...
        return Proxy(self.new_graph.placeholder(target, default_value=default), self.tracer)

    def get_attr(self, target: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        return self.tracer.create_proxy("get_attr", target, args, kwargs)

    def call_module(self, target: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        return self.tracer.create_proxy("call_module", target, args, kwargs)

    def call_function(self, target: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        return self.tracer.create_proxy("call_function", target, args, kwargs)

    def transform(self) -> GraphModule:
        """The module of the new graph."""
        result = super().run(enable_io_processing=False)
        if result is not None:

            def node_of(part: Any) -> Any:
                return part.node if isinstance(part, Proxy) else part

            old = self.graph.output_node()
            made = self.new_graph.output(map_aggregate(result, node_of), type_expr=old.type)
            made.meta = dict(old.meta)
        return GraphModule(self.module, self.new_graph)
