"""Proxies: what a tracer gives a program in place of values. What is done with them becomes nodes."""

from __future__ import annotations

import dis
import enum
import inspect
import operator
import sys
from collections.abc import Callable, Iterator
from typing import Any

from lazygrad.fx.code import FORMATS
from lazygrad.fx.graph import Graph
from lazygrad.fx.immutable_collections import immutable_dict, immutable_list
from lazygrad.fx.node import Node, base_types, map_aggregate
from lazygrad.ir.device import Device
from lazygrad.ir.dtype import DType
from lazygrad.ir.memory_format import Layout, MemoryFormat
from lazygrad.ops.objects.assertions import _assert
from lazygrad.overrides.lists import is_tensor_method_or_property
from lazygrad.overrides.placing import lasting_form

__all__ = ["Attribute", "GraphAppendingTracer", "Proxy", "TraceError", "TracerBase"]

_CONSTANTS = (*base_types, DType, Device, Layout, MemoryFormat, type(...), enum.Enum, range)


class TraceError(ValueError):
    """A program cannot be traced: what it does next depends on values."""


class TracerBase:
    """What makes nodes of what is done with proxies.

    Attributes:
        graph: where the nodes go.
    """

    graph: Graph
    trace_asserts = False
    record_stack_traces = False

    def create_node(
        self,
        kind: str,
        target: Any,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        name: str | None = None,
        type_expr: Any | None = None,
    ) -> Node:
        """A node at the graph's insert point."""
        return self.graph.create_node(kind, target, args, kwargs, name, type_expr)

    def proxy(self, node: Node) -> Proxy:
        """What stands for a node's value."""
        return Proxy(node, self)

    def create_proxy(
        self,
        kind: str,
        target: Any,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        name: str | None = None,
        type_expr: Any | None = None,
        proxy_factory_fn: Callable[[Node], Any] | None = None,
    ) -> Any:
        """A node of arguments that may hold proxies, and a proxy of it."""
        given, named = self.create_arg(tuple(args)), self.create_arg(dict(kwargs))
        node = self.create_node(kind, target, given, named, name, type_expr)
        return (proxy_factory_fn or self.proxy)(node)

    def create_arg(self, a: Any) -> Any:
        """An argument as nodes have it: nodes for proxies, and constants.

        Raises:
            NotImplementedError: of a type that nodes cannot have.
            RuntimeError: a key of a dictionary is a proxy.
        """
        if isinstance(a, Proxy):
            return a.node
        if isinstance(a, tuple):
            parts = [self.create_arg(part) for part in a]
            return type(a)(*parts) if hasattr(a, "_fields") else tuple(parts)
        if isinstance(a, list):
            return immutable_list([self.create_arg(part) for part in a])
        if isinstance(a, dict):
            return immutable_dict({self._key(key): self.create_arg(value) for key, value in a.items()})
        if isinstance(a, slice):
            return slice(*[self.create_arg(part) for part in (a.start, a.stop, a.step)])
        if isinstance(a, (Node, *_CONSTANTS)):
            return a
        raise NotImplementedError(f"argument of type: {type(a)}")

    def _key(self, key: Any) -> Any:
        found = self.create_arg(key)

        def refuse(part: Any) -> Any:
            if isinstance(part, Node):
                raise RuntimeError(f"Keys for dictionaries used as an argument cannot contain a Node. Got key: {found}")
            return part

        return map_aggregate(found, refuse)

    def to_bool(self, obj: Proxy) -> bool:
        """Called where a proxy decides what runs next; a tracer may know better than to raise TraceError."""
        raise TraceError("symbolically traced variables cannot be used as inputs to control flow")

    def iter(self, obj: Proxy) -> Iterator[Any]:
        """Called where a proxy is iterated over; a tracer may know better than to raise TraceError."""
        raise TraceError(
            "Proxy object cannot be iterated. This can be attempted when the Proxy is used in a loop or as a *args or "
            "**kwargs function argument. See the torch.fx docs on pytorch.org for a more detailed explanation of what "
            "types of control flow can be traced, and check out the Proxy docstring for help troubleshooting Proxy "
            "iteration errors"
        )

    def keys(self, obj: Proxy) -> Any:
        """What ``proxy.keys()`` is, which ``**proxy`` asks for."""
        return Attribute(obj, "keys")()


class GraphAppendingTracer(TracerBase):
    """Makes nodes in a graph that is there."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph


class Proxy:
    """Stands for the value of a node: functions, operators, methods and attributes of it become nodes.

    Args:
        node: whose value.
        tracer: what makes nodes; by default they are appended to the graph of ``node``.
    """

    def __init__(self, node: Node, tracer: TracerBase | None = None) -> None:
        self.tracer = GraphAppendingTracer(node.graph) if tracer is None else tracer
        self.node = node

    def __repr__(self) -> str:
        return f"Proxy({self.node.name})"

    def __getattr__(self, k: str) -> Attribute:
        if k in ("node", "tracer") or (k.startswith("__") and k.endswith("__")):
            raise AttributeError(k)  # what Python and libraries ask objects for
        return Attribute(self, k)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.tracer.create_proxy("call_method", "__call__", (self, *args), kwargs)

    def __iter__(self) -> Iterator[Any]:
        unpacked = _unpacked_by(sys._getframe(1))
        return self.tracer.iter(self) if unpacked is None else (self[i] for i in range(unpacked))  # type: ignore[index]

    def __bool__(self) -> bool:
        frame = sys._getframe(1)
        if self.tracer.trace_asserts and _is_asserted(frame):
            _assertion(self, frame)
            return True
        return self.tracer.to_bool(self)

    def __len__(self) -> int:
        raise RuntimeError(
            "'len' is not supported in symbolic tracing by default. If you want this call to be recorded, please call "
            "torch.fx.wrap('len') at module scope"
        )

    def __contains__(self, item: Any) -> bool:
        return self.tracer.to_bool(self)

    def keys(self) -> Any:
        return self.tracer.keys(self)

    @classmethod
    def __torch_function__(
        cls, orig_method: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        """A call of a function or of a tensor's method becomes a node."""
        given = kwargs or {}
        tracer = _tracer_of((args, given))
        if is_tensor_method_or_property(orig_method):
            return tracer.create_proxy("call_method", orig_method.__name__, args, given)
        name = getattr(orig_method, "__name__", None)  # under which it is public
        return tracer.create_proxy("call_function", lasting_form(orig_method), args, given, name=name)


class Attribute(Proxy):
    """An attribute of a proxy: a method when it is called, and otherwise a node when something is done with it."""

    def __init__(self, root: Proxy, attr: str) -> None:
        self.root, self.attr, self.tracer = root, attr, root.tracer
        self._node: Node | None = None

    @property
    def node(self) -> Node:  # type: ignore[override]
        if self._node is None:
            self._node = self.tracer.create_proxy("call_function", getattr, (self.root, self.attr), {}).node
        return self._node

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.tracer.create_proxy("call_method", self.attr, (self.root, *args), kwargs)


def _tracer_of(arguments: Any) -> TracerBase:
    """The tracer of the first proxy in some arguments."""
    found: dict[TracerBase, None] = {}

    def note(part: Any) -> Any:
        if isinstance(part, Proxy):
            found.setdefault(part.tracer)
        return part

    map_aggregate(arguments, note)
    if len({id(tracer) for tracer in found if not isinstance(tracer, GraphAppendingTracer)}) > 1:
        raise RuntimeError(f"Found multiple different tracers {list(found)} while trying to trace operations")
    return next(iter(found))


def _unpacked_by(frame: Any) -> int | None:
    """Into how many names a statement unpacks what it iterates over; None where it does something else."""
    instruction = frame.f_lasti
    for found in dis.get_instructions(frame.f_code):
        if found.offset == instruction:
            return found.argval if found.opname == "UNPACK_SEQUENCE" else None
    return None


def _is_asserted(frame: Any) -> bool:
    """Whether what is asked for its truth is what a statement ``assert`` asserts."""
    found = [each for each in dis.get_instructions(frame.f_code) if each.offset >= frame.f_lasti]
    return len(found) > 1 and "JUMP" in found[0].opname and found[1].opname == "LOAD_ASSERTION_ERROR"


def _assertion(proxy: Proxy, frame: Any) -> None:
    line = inspect.getframeinfo(frame)
    text = line.code_context[0].strip() if line.code_context else "assert"
    proxy.tracer.create_proxy("call_function", lasting_form(_assert), (proxy, f"{text} failed"), {}, name="_assert")


def _operators() -> None:
    """Give `Proxy` Python's operators."""
    reflected = "add sub mul floordiv truediv mod pow lshift rshift and_ or_ xor matmul".split()
    for function in (*FORMATS, operator.abs):
        name = function.__name__.strip("_")
        setattr(Proxy, f"__{name}__", _operator_method(function, False))
        if function.__name__ in reflected:
            setattr(Proxy, f"__r{name}__", _operator_method(function, True))


def _operator_method(function: Callable[..., Any], is_reflected: bool) -> Callable[..., Any]:
    def impl(self: Proxy, *args: Any) -> Any:
        operands = (*args, self) if is_reflected else (self, *args)
        return self.tracer.create_proxy("call_function", function, operands, {})

    return impl


_operators()
Proxy.__hash__ = object.__hash__  # type: ignore[method-assign]
