"""Graphs: lists of nodes in the order in which they are computed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lazygrad.fx.code import PythonCode, python_code
from lazygrad.fx.lint import lint
from lazygrad.fx.names import Namespace, name_of_target
from lazygrad.fx.node import Node, map_arg
from lazygrad.fx.node_list import InsertPoint, NodeList, tabular
from lazygrad.fx.records import Record, create_recorded, records_of
from lazygrad.ir.user_warning import warn_user
from lazygrad.left_out import stand_in
from lazygrad.nn import Module

__all__ = ["Graph", "PythonCode"]


class Graph:
    """A program as a list of nodes: arguments first, an ``output`` last.

    Args:
        owning_module: the module whose attributes and submodules the nodes name.
        tracer_cls: of the tracer that recorded it.
    """

    def __init__(self, owning_module: Module | None = None, tracer_cls: type | None = None) -> None:
        self._root = Node(self, "", "root", "", (), {})
        self._insert: Callable[[Node], None] = self._root.prepend
        self._len = 0
        self._namespace = Namespace()
        self.owning_module = owning_module
        self._tracer_cls = tracer_cls

    # Reading it.

    @property
    def nodes(self) -> NodeList:
        """All nodes in order: iterable, reversible, with a length."""
        return NodeList(self)

    def output_node(self) -> Node:
        """The node of the result."""
        return next(node for node in reversed(self.nodes) if node.op == "output")

    def find_nodes(self, *, op: str, target: Any = None, sort: bool = True) -> list[Node]:
        """The nodes of a kind, or only those with a target.

        Raises:
            AssertionError: ``op`` is ``call_function`` or the like, and there is no target to look for.
        """
        return [node for node in self.nodes if node.op == op and (target is None or node.target == target)]

    # Making nodes.

    def create_node(
        self,
        op: str,
        target: Any,
        args: tuple[Any, ...] | None = None,
        kwargs: dict[str, Any] | None = None,
        name: str | None = None,
        type_expr: Any | None = None,
    ) -> Node:
        """A new node at the insert point.

        Args:
            op: its kind, see `Node`.
            target: what is called or named.
            args, kwargs: nodes and constants.
            name: what its value is called; made unique.
            type_expr: an annotation.
        """
        candidate = name if name is not None else name_of_target(target)
        unique = self._namespace.create_name(candidate)
        node = Node(self, unique, op, target, args or (), kwargs or {}, type_expr)
        self._insert(node)
        self._len += 1
        return node

    def placeholder(self, name: str, type_expr: Any | None = None, default_value: Any = ...) -> Node:
        """An argument; ``default_value`` left out means that it is required."""
        return self.create_node(
            "placeholder", name, () if default_value is ... else (default_value,), {}, None, type_expr
        )

    def get_attr(self, qualified_name: str, type_expr: Any | None = None) -> Node:
        """An attribute of the owning module, by its dotted path. Warns if it has none."""
        found: Any = self.owning_module
        for name in qualified_name.split("."):
            found = getattr(found, name, None)
        if found is None and self.owning_module is not None:
            warn_user(
                "Attempted to insert a get_attr Node with no underlying reference in the owning GraphModule! Call "
                "GraphModule.add_submodule to add the necessary submodule, GraphModule.add_parameter to add the "
                "necessary Parameter, or nn.Module.register_buffer to add the necessary buffer",
            )
        return self.create_node("get_attr", qualified_name, (), {}, None, type_expr)

    def call_module(
        self,
        module_name: str,
        args: tuple[Any, ...] | None = None,
        kwargs: dict[str, Any] | None = None,
        type_expr: Any | None = None,
    ) -> Node:
        """A call of a submodule of the owning module, by its dotted path."""
        if self.owning_module is not None:
            self.owning_module.get_submodule(module_name)
        return self.create_node("call_module", module_name, args, kwargs, None, type_expr)

    def call_method(
        self,
        method_name: str,
        args: tuple[Any, ...] | None = None,
        kwargs: dict[str, Any] | None = None,
        type_expr: Any | None = None,
    ) -> Node:
        """A call of a method of the first argument."""
        return self.create_node("call_method", method_name, args, kwargs, None, type_expr)

    def call_function(
        self,
        the_function: Callable[..., Any],
        args: tuple[Any, ...] | None = None,
        kwargs: dict[str, Any] | None = None,
        type_expr: Any | None = None,
        name: str | None = None,
    ) -> Node:
        """A call of a function."""
        return self.create_node("call_function", the_function, args, kwargs, name, type_expr)

    def output(self, result: Any, type_expr: Any | None = None) -> Node:
        """The result: a node, or a structure of nodes."""
        return self.create_node("output", "output", (result,), {}, None, type_expr)

    def node_copy(self, node: Node, arg_transform: Callable[[Node], Any] = lambda node: node) -> Node:
        """A copy of another graph's node at the insert point; ``arg_transform`` maps the nodes that it reads."""
        args, kwargs = map_arg(node.args, arg_transform), map_arg(node.kwargs, arg_transform)
        made = self.create_node(node.op, node.target, args, kwargs, node.name, node.type)
        made.meta = dict(node.meta)
        return made

    def graph_copy(self, g: Graph, val_map: dict[Node, Any], return_output_node: bool = False) -> Any:
        """Copies of all nodes of another graph but its output, at the insert point.

        Args:
            g: the other graph.
            val_map: what stands for nodes of it; those that are copied are added.
            return_output_node: also return the output node of ``g``.

        Returns:
            What ``g`` returns, in nodes of this graph; None where it has no output.
        """
        for node in g.nodes:
            if node in val_map:
                continue
            if node.op == "output":
                result = map_arg(node.args[0], val_map.__getitem__)
                return (result, node) if return_output_node else result
            val_map[node] = self.node_copy(node, val_map.__getitem__)
        return None

    def records(self) -> list[Record]:
        """The nodes as values that can be pickled, see `of_records`."""
        return records_of(self.nodes)

    @staticmethod
    def of_records(records: list[Record]) -> Graph:
        """The graph that `records` was called of."""
        graph = Graph()
        create_recorded(records, graph.create_node)
        return graph

    def __reduce__(self) -> Any:
        return Graph.of_records, (self.records(),)

    def __deepcopy__(self, memo: dict[int, Any] | None = None) -> Graph:
        copied = Graph(tracer_cls=self._tracer_cls)
        val_map: dict[Node, Any] = {}
        found = copied.graph_copy(self, val_map, return_output_node=True)
        if found is not None:
            result, old = found
            made = copied.create_node("output", "output", (result,), {}, old.name, old.type)
            made.meta = dict(old.meta)
        return copied

    # Changing it.

    def inserting_before(self, n: Node | None = None) -> InsertPoint:
        """Have new nodes go before a node; without one, to the beginning. A context, or until the next such call."""
        if n is None:
            return self.inserting_after(self._root)
        if n.graph is not self:
            raise AssertionError("Node to insert before is not in graph.")
        return InsertPoint(self, n.prepend)

    def inserting_after(self, n: Node | None = None) -> InsertPoint:
        """Have new nodes go after a node; without one, to the end. A context, or until the next such call."""
        if n is None:
            return self.inserting_before(self._root)
        if n.graph is not self:
            raise AssertionError("Node to insert after is not in graph.")
        return InsertPoint(self, n.append)

    def erase_node(self, to_erase: Node) -> None:
        """Remove a node that nobody reads.

        Raises:
            RuntimeError: it is of another graph, or somebody reads it.
        """
        if to_erase.users:
            raise RuntimeError(
                f"Tried to erase Node {to_erase} but it still had {len(to_erase.users)} users in the graph: "
                f"{to_erase.users}!"
            )
        if to_erase.graph is not self:
            raise RuntimeError(f"Attempting to remove {to_erase} from wrong graph!")
        if to_erase._erased:
            return
        to_erase._take_out()
        to_erase._erased = True
        self._len -= 1
        to_erase._read((), {})

    def eliminate_dead_code(self, is_impure_node: Callable[[Node], bool] | None = None) -> bool:
        """Remove nodes that nobody reads, but for arguments and what has effects.

        Args:
            is_impure_node: which nodes stay all the same; by default `Node.is_impure`.

        Returns:
            Whether there were any.
        """
        self.lint()
        is_impure = is_impure_node or Node.is_impure
        before = self._len
        for node in reversed(self.nodes):
            if not node.users and not is_impure(node):
                self.erase_node(node)
        return self._len < before

    def lint(self) -> None:
        """Check that the graph is well formed: nodes are read after they are made, names differ, targets exist.

        Raises:
            RuntimeError: it is not.
        """
        lint(self)

    # Its texts.

    def python_code(self, root_module: str, *, verbose: bool = False) -> PythonCode:
        """The code of a ``forward`` that computes the graph; ``root_module`` is what it calls the module."""
        return python_code(self.nodes, root_module)

    def print_tabular(self) -> None:
        """Print all nodes as a table; without the package ``tabulate``, in plain columns."""
        print(tabular(self.nodes))

    def __str__(self) -> str:
        lines = [node.format_node() for node in self.nodes]
        return "graph():" + "".join(f"\n    {line}" for line in lines)

    set_codegen = stand_in("fx.Graph.set_codegen", "rewrite the graph's nodes; their code follows")
    on_generate_code = stand_in("fx.Graph.on_generate_code", "rewrite the graph's nodes; their code follows")
