"""The Python code of a graph: one line a node, with names that mean what they mean in the code's globals."""

from __future__ import annotations

import builtins
import enum
import math
import operator
import re
import types
from collections.abc import Callable, Reversible
from dataclasses import dataclass, field
from typing import Any

import lazygrad.ir.device
from lazygrad.fx.names import name_of_call, public_name
from lazygrad.fx.node import Node, map_arg
from lazygrad.ir.device import Device
from lazygrad.ir.spoken_name import package
from lazygrad.overrides.lists import resolve_name

_BINARY = {
    "eq": "==", "ne": "!=", "lt": "<", "gt": ">", "le": "<=", "ge": ">=", "add": "+", "sub": "-", "mul": "*",
    "floordiv": "//", "truediv": "/", "mod": "%", "pow": "**", "lshift": "<<", "rshift": ">>", "and_": "&", "or_": "|",
    "xor": "^", "matmul": "@",
}  # fmt: skip
_UNARY = {"pos": "+", "neg": "-", "invert": "~"}
_IN_PLACE = {
    "iadd": "+=", "iand": "&=", "ifloordiv": "//=", "ilshift": "<<=", "imod": "%=", "imul": "*=", "imatmul": "@=",
    "ior": "|=", "ipow": "**=", "irshift": ">>=", "isub": "-=", "itruediv": "/=", "ixor": "^=",
}  # fmt: skip
FORMATS: dict[Callable[..., Any], str] = {
    getattr(operator, name): f"{{}} {sign} {{}}" for name, sign in _BINARY.items()
}
FORMATS |= {getattr(operator, name): f"{sign}{{}}" for name, sign in _UNARY.items()}
FORMATS[operator.getitem] = "{}[{}]"
"""Functions that the code writes as operators."""


@dataclass
class PythonCode:
    """Code of a graph.

    Attributes:
        src: the text.
        globals: what its names mean.
    """

    src: str
    globals: dict[str, Any] = field(default_factory=dict)


def python_code(nodes: Reversible[Node], root: str) -> PythonCode:
    """A function ``forward`` that computes the nodes of a graph; ``root`` is what it calls the module."""
    return _Writer(nodes, root).written()


class _Writer:
    """Writes the code of one graph.

    Attributes:
        globals: what names mean.
        wrapped: names of global functions that a tracer of the code records as calls.
    """

    def __init__(self, nodes: Reversible[Node], root: str) -> None:
        self.nodes, self.root = nodes, root
        self.globals: dict[str, Any] = {
            "inf": math.inf, "nan": math.nan, "NoneType": type(None), "device": lazygrad.ir.device.Device,
            package.name: lazygrad,
        }  # fmt: skip
        self.wrapped: dict[str, None] = {}
        self.parameters: list[str] = []
        self.returned = ""

    def written(self) -> PythonCode:
        unused = self._last_reads()
        body = "".join(f"    {self._statement(node)}{self._forgetting(node, unused)}\n" for node in self.nodes)
        body = "".join(f"    {line}\n" for line in self._renamed()) + (body.replace("    \n", "") or "    pass\n")
        wraps = "\n".join(f'{package.name}.fx._symbolic_trace.wrap("{name}")' for name in self.wrapped)
        parameters = ", ".join([self.root, *self.parameters])
        return PythonCode(f"\n{wraps}\n\ndef forward({parameters}){self.returned}:\n{body}    ", self.globals)

    def _renamed(self) -> list[str]:
        arguments = [node for node in self.nodes if node.op == "placeholder"]
        raw = [(node.name, node.target.replace("*", "")) for node in arguments]
        return [f"{name} = {target}" for name, target in raw if name != target]

    def _last_reads(self) -> dict[Node, list[Node]]:
        """Which values are read by a node for the last time."""
        last: dict[Node, Node] = {}
        reads: dict[Node, list[Node]] = {}
        for node in reversed(self.nodes):

            def note(read: Node, node: Node = node) -> Node:
                if read not in last:
                    last[read] = node
                    reads.setdefault(node, []).append(read)
                return read

            map_arg((node.args, node.kwargs), note)
        return reads

    def _forgetting(self, node: Node, unused: dict[Node, list[Node]]) -> str:
        """What lets go of values that nobody reads any more."""
        if node.op in ("placeholder", "output"):
            return ""
        names = [read.name for read in unused.get(node, ())] + ([] if node.users else [node.name])
        return f";  {' = '.join([*names, 'None'])}" if names else ""

    def _statement(self, node: Node) -> str:
        if node.op == "placeholder":
            self._parameter(node)
            return ""
        if node.op == "output":
            if node.type is not None:
                self.returned = f" -> {self._type(node.type)}"
            return f"return {self._text(node.args[0])}"
        left = f"{node.name}{f' : {self._type(node.type)}' if node.type is not None else ''} = "
        if node.op == "call_function":
            return self._call(node, left)
        return left + self._of_module_or_method(node)

    def _parameter(self, node: Node) -> None:
        annotation = f" : {self._type(node.type)}" if node.type is not None else ""
        default = f" = {self._text(node.args[0])}" if node.args else ""
        self.parameters.append(f"{node.target}{annotation}{default}")

    def _of_module_or_method(self, node: Node) -> str:
        if node.op == "call_method":
            return f"{self._operand(node.args[0])}.{node.target}({self._arguments(node.args[1:], node.kwargs)})"
        place = self.root
        for name in node.target.split("."):
            place = f"{place}.{name}" if name.isidentifier() else f'getattr({place}, "{name}")'
        return place if node.op == "get_attr" else f"{place}({self._arguments(node.args, node.kwargs)})"

    def _call(self, node: Node, left: str) -> str:
        args, name = node.args, getattr(node.target, "__name__", "")
        if node.target in FORMATS and not node.kwargs:
            return left + FORMATS[node.target].format(*[self._text(argument) for argument in args])
        if getattr(node.target, "__module__", "") == "_operator" and name in _IN_PLACE and not node.kwargs:
            first, second = self._text(args[0]), self._text(args[1])
            return f"{first} {_IN_PLACE[name]} {second};  {left}{first}"
        if node.target is getattr and len(args) == 2 and isinstance(args[1], str) and args[1].isidentifier():
            return f"{left}{self._operand(args[0])}.{args[1]}"
        function = name_of_call(node.target, bool(node.kwargs)) or self._global(node.target)
        if node.meta.get("is_wrapped"):
            self.wrapped[function] = None
        return f"{left}{function}({self._arguments(args, node.kwargs)})"

    def _operand(self, value: Any) -> str:
        """A value before a dot."""
        text = self._text(value)
        return text if isinstance(value, Node) else f"({text})"

    def _arguments(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
        return ", ".join([*map(self._text, args), *(f"{key} = {self._text(value)}" for key, value in kwargs.items())])

    def _text(self, value: Any) -> str:
        """A value as an expression."""
        if isinstance(value, tuple) and hasattr(value, "_fields"):
            return f"{self._global(type(value))}({', '.join(map(self._text, value))})"
        if type(value) is tuple:
            return f"({', '.join(map(self._text, value))}{',' if len(value) == 1 else ''})"
        if isinstance(value, list):
            return f"[{', '.join(map(self._text, value))}]"
        if isinstance(value, dict):
            return "{" + ", ".join(f"{key!r}: {self._text(item)}" for key, item in value.items()) + "}"
        if isinstance(value, slice):
            return f"slice({', '.join(map(self._text, (value.start, value.stop, value.step)))})"
        if isinstance(value, Node):
            return value.name
        if isinstance(value, enum.Enum):
            return f"{self._global(type(value))}.{value.name}"
        if isinstance(value, Device):
            return repr(value)
        return self._global(value) if callable(value) and hasattr(value, "__name__") else repr(value)

    def _type(self, kind: Any) -> str:
        """An annotation as an expression."""
        if isinstance(kind, str):  # which Python did not evaluate
            name = re.sub(r"\W+", "_", repr(kind))
            self.globals[name] = kind
            return name
        parts = [*map(self._type, getattr(kind, "__args__", ()))]
        if isinstance(kind, types.UnionType):
            return "|".join(parts)
        if isinstance(kind, types.GenericAlias):
            return f"{self._type(kind.__origin__)}[{','.join(parts)}]"
        if isinstance(kind, type):
            return "NoneType" if kind is type(None) else self._global(kind)
        name = f"_type_{len(self.globals)}"
        self.globals[name] = kind
        return name

    def _global(self, obj: Any) -> str:
        """What the code calls a function or a class; its globals get it."""
        known = resolve_name(obj)
        if known is not None:
            return known
        name = getattr(obj, "__name__", type(obj).__name__)
        if vars(builtins).get(name) is obj:
            return str(name)
        text = public_name(obj)
        if _lies_at(obj, text):
            return text
        module = "_operator" if getattr(obj, "__module__", "") == "_operator" else text.rpartition(".")[0]
        hint = f"{module}_{name}".replace(".", "_").replace("<", "_").replace(">", "_")
        while self.globals.get(hint, obj) is not obj:
            hint += "_"
        self.globals[hint] = obj
        return hint


def _lies_at(obj: Any, text: str) -> bool:
    """Whether an expression that begins with the package's name leads to an object."""
    if not text.startswith(f"{package.name}."):
        return False
    found: Any = lazygrad
    for name in text.split(".")[1:]:
        found = getattr(found, name, None)
    return found is obj
