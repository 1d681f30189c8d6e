"""A node of a graph: one operation, with what it reads and who reads it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from lazygrad.fx.immutable_collections import immutable_dict, immutable_list
from lazygrad.fx.names import public_name
from lazygrad.left_out import stand_in
from lazygrad.tensor import Tensor

__all__ = ["Node", "has_side_effect", "map_aggregate", "map_arg"]

OPS = ("placeholder", "get_attr", "call_function", "call_module", "call_method", "output", "root")
base_types = (str, int, float, bool, complex, type(None))

# Functions that are kept though nobody reads what they return, by public name without the package.
_IMPURE = frozenset(
    "_assert manual_seed set_rng_state bernoulli multinomial normal poisson rand_like randn_like randint_like".split()
)
_impure_functions: set[Callable[..., Any]] = set()


def has_side_effect(fn: Callable[..., Any]) -> Callable[..., Any]:
    """Have calls of a function kept by `Graph.eliminate_dead_code`; the function itself."""
    _impure_functions.add(fn)
    return fn


def map_aggregate(a: Any, fn: Callable[[Any], Any]) -> Any:
    """``a`` with ``fn`` of each value in it, through tuples, lists, dictionaries and slices."""
    if isinstance(a, tuple):
        parts = [map_aggregate(part, fn) for part in a]
        return type(a)(*parts) if hasattr(a, "_fields") else tuple(parts)
    if isinstance(a, list):
        return immutable_list([map_aggregate(part, fn) for part in a])
    if isinstance(a, dict):
        return immutable_dict({key: map_aggregate(value, fn) for key, value in a.items()})
    if isinstance(a, slice):
        return slice(*[map_aggregate(part, fn) for part in (a.start, a.stop, a.step)])
    return fn(a)


def map_arg(a: Any, fn: Callable[[Node], Any]) -> Any:
    """``a`` with ``fn`` of each node in it."""
    if not callable(fn):
        raise AssertionError("torch.fx.map_arg(a, fn): fn must be a callable")
    return map_aggregate(a, lambda value: fn(value) if isinstance(value, Node) else value)


class Node:
    """One operation of a `Graph`, which makes it.

    Attributes:
        op: ``placeholder``, ``get_attr``, ``call_function``, ``call_module``, ``call_method`` or ``output``.
        name: of its value in the code.
        target: the function that is called, or the name of the method, module, attribute or argument.
        args, kwargs: nodes and constants; assigning keeps ``users`` of the nodes right.
        users: the nodes that read it, as keys.
        type: what an annotation said of the value.
        meta: anything that somebody wants to say of it.
    """

    def __init__(
        self,
        graph: Any,  # a `Graph`, which lies above this file
        name: str,
        op: str,
        target: Any,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        return_type: Any | None = None,
    ) -> None:
        if op not in OPS:
            raise AssertionError(f"op '{op}' is not in _legal_ops")
        if op == "call_function":
            if not callable(target):
                raise ValueError(
                    f"Node [graph = {graph}, name = '{name}'] target {target} has type {type(target)} but a Callable "
                    f"is expected"
                )
        elif not isinstance(target, str):
            raise ValueError(
                f"Node [graph = {graph}, name = '{name}'] target {target} has type {type(target)} but a str is expected"
            )
        self.graph, self.name, self.op, self.target, self.type = graph, name, op, target, return_type
        self.users: dict[Node, None] = {}
        self.meta: dict[str, Any] = {}
        self._input_nodes: dict[Node, None] = {}
        self._args: tuple[Any, ...] = ()
        self._kwargs: dict[str, Any] = {}
        self._prev = self._next = self
        self._erased = False
        self._read(args, kwargs)

    # Its place in the list of the graph.

    @property
    def next(self) -> Node:
        """The node after this one."""
        return self._next

    @property
    def prev(self) -> Node:
        """The node before this one."""
        return self._prev

    def prepend(self, x: Node) -> None:
        """Put another node of the same graph before this one."""
        if x.graph is not self.graph:
            raise AssertionError("Attempting to move a Node into a different Graph")
        if x is self:
            return
        x._take_out()
        before = self._prev
        before._next, x._prev, x._next, self._prev = x, before, self, x

    def append(self, x: Node) -> None:
        """Put another node of the same graph after this one."""
        self._next.prepend(x)

    def _take_out(self) -> None:
        self._prev._next, self._next._prev = self._next, self._prev

    # What it reads.

    @property
    def args(self) -> tuple[Any, ...]:
        return self._args

    @args.setter
    def args(self, a: tuple[Any, ...]) -> None:
        self._read(a, self._kwargs)

    @property
    def kwargs(self) -> dict[str, Any]:
        return self._kwargs

    @kwargs.setter
    def kwargs(self, k: dict[str, Any]) -> None:
        self._read(self._args, k)

    @property
    def all_input_nodes(self) -> list[Node]:
        """The nodes in its arguments, each once."""
        return list(self._input_nodes)

    def _read(self, args: Iterable[Any], kwargs: dict[str, Any]) -> None:
        for node in self._input_nodes:
            node.users.pop(self, None)
        self._input_nodes = {}

        def noted(node: Node) -> Node:
            self._input_nodes[node] = None
            node.users.setdefault(self)
            return node

        self._args, self._kwargs = map_arg(tuple(args), noted), map_arg(dict(kwargs), noted)

    def update_arg(self, idx: int, arg: Any) -> None:
        """Replace the positional argument at a position."""
        args = list(self._args)
        args[idx] = arg
        self.args = tuple(args)

    def insert_arg(self, idx: int, arg: Any) -> None:
        """Insert a positional argument before a position."""
        if not 0 <= idx <= len(self._args):
            raise AssertionError("insert_args index must be between 0 and len(self.args)")
        self.args = (*self._args[:idx], arg, *self._args[idx:])

    def update_kwarg(self, key: str, arg: Any) -> None:
        """Replace or add an argument by keyword."""
        self.kwargs = {**self._kwargs, key: arg}

    def replace_input_with(self, old_input: Node, new_input: Node) -> None:
        """Read another node instead of ``old_input``."""

        def replaced(node: Node) -> Node:
            return new_input if node is old_input else node

        self._read(map_arg(self._args, replaced), map_arg(self._kwargs, replaced))

    def replace_all_uses_with(
        self,
        replace_with: Node,
        delete_user_cb: Callable[[Node], bool] = lambda user: True,
        *,
        propagate_meta: bool = False,
    ) -> list[Node]:
        """Have those who read this node read another one.

        Args:
            replace_with: what they read instead.
            delete_user_cb: which of them.
            propagate_meta: also hand ``meta`` on; the other node must have none.

        Returns:
            The nodes that were changed.
        """
        if propagate_meta:
            if replace_with.meta:
                raise AssertionError("Called node.replace_all_uses_with(replace_with, propagate_meta=True), but "
                                     "replace_with already has .meta keys")  # fmt: skip
            replace_with.meta.update(self.meta)
        changed = [user for user in list(self.users) if delete_user_cb(user)]
        for user in changed:
            user.replace_input_with(self, replace_with)
        return changed

    # What it is.

    @property
    def stack_trace(self) -> str | None:
        """The lines that recorded it, if a tracer has kept them."""
        return self.meta.get("stack_trace")

    @stack_trace.setter
    def stack_trace(self, trace: str | None) -> None:
        self.meta["stack_trace"] = trace

    def is_impure(self, impure_random: bool = True) -> bool:
        """Whether the node stays though nobody reads it: arguments, results, assertions, random draws."""
        if self.op in ("placeholder", "output"):
            return True
        if self.op == "call_function":
            own = public_name(self.target).partition(".")[2]
            return self.target in _impure_functions or (own in _IMPURE and (impure_random or own == "_assert"))
        if self.op == "call_module" and self.graph.owning_module is not None:
            return bool(getattr(self.graph.owning_module.get_submodule(self.target), "_is_impure", False))
        return False

    normalized_arguments = stand_in("fx.Node.normalized_arguments", "inspect.signature of the target binds them")

    def format_node(
        self, placeholder_names: list[str] | None = None, maybe_return_typename: list[str] | None = None
    ) -> str | None:
        """The node as a line of its graph's text; with ``placeholder_names``, arguments are collected there instead."""
        if self.op == "placeholder":
            if placeholder_names is not None:
                placeholder_names.append(self.name + self._annotation(" : "))
                return None
            default = f"(default={self._args[0]})" if self._args else ""
            return f"{self._left()} = {self.op}[target={self.target}]{default}"
        if self.op == "output":
            if maybe_return_typename and self.type:
                maybe_return_typename[0] = f" -> {type_text(self.type)}"
            return f"return {self._args[0]}"
        if self.op == "get_attr":
            return f"{self._left()} = {self.op}[target={self.target}]"
        target = public_name(self.target) if callable(self.target) else self.target
        args, kwargs = argument_text(self._args), argument_text(self._kwargs)
        return f"{self._left()} = {self.op}[target={target}](args = {args}, kwargs = {kwargs})"

    def _left(self) -> str:
        return f"%{self.name} : {self._annotation('', ' ')}[num_users={len(self.users)}]"

    def _annotation(self, before: str, behind: str = "") -> str:
        return f"{before}{type_text(self.type)}{behind}" if self.type is not None else ""

    def __repr__(self) -> str:
        return self.name


def type_text(kind: Any) -> str:
    """An annotation as the code says it."""
    if isinstance(kind, str):  # which Python did not evaluate
        return repr(kind)
    if kind is Tensor:
        return public_name(kind)
    if isinstance(kind, type) and getattr(kind, "__module__", "") == "builtins" and not hasattr(kind, "__args__"):
        return kind.__name__
    return str(kind) if hasattr(kind, "__args__") or not isinstance(kind, type) else public_name(kind)


def argument_text(argument: Any) -> str:
    """An argument in a graph's text, with nodes as ``%name``."""
    if isinstance(argument, list):
        return f"[{', '.join(map(argument_text, argument))}]"
    if isinstance(argument, tuple) and not hasattr(argument, "_fields") and type(argument) is tuple:
        items = ", ".join(map(argument_text, argument))
        return f"({items},)" if len(argument) == 1 else f"({items})"
    if isinstance(argument, dict):
        return "{" + ", ".join(f"{key}: {argument_text(value)}" for key, value in argument.items()) + "}"
    return f"%{argument}" if isinstance(argument, Node) else str(argument)
