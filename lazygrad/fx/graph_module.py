"""`GraphModule`: a module whose ``forward`` is the code of a graph."""

from __future__ import annotations

import copy
import linecache
from collections.abc import Callable, Mapping
from itertools import count
from typing import Any

from lazygrad.fx.graph import Graph
from lazygrad.fx.records import Record
from lazygrad.left_out import stand_in
from lazygrad.nn import Module, Parameter
from lazygrad.tensor import Tensor

__all__ = ["GraphModule"]

_numbers = count()


def _compiled(source: str, names: dict[str, Any]) -> Callable[..., Any]:
    """The function ``forward`` that some code defines, whose lines tracebacks show."""
    file = f"<eval_with_key>.{next(_numbers)}"
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    names = dict(names)
    names["__name__"] = file
    exec(compile(source, file, "exec", dont_inherit=True), names)
    forward: Callable[..., Any] = names["forward"]
    return forward


class GraphModule(Module):
    """A module that computes a graph.

    Args:
        root: the module, or a dictionary of dotted paths, that has the attributes and submodules the graph names.
        graph: the graph; assigning another one, or `recompile` after changes, makes the code anew.
        class_name: what the class calls itself.

    Attributes:
        graph: the graph.
        code: the code of ``forward``.

    Raises:
        RuntimeError: ``root`` lacks something the graph names, or is of another type.
    """

    _graph: Graph

    def __new__(cls, *args: Any, **kwargs: Any) -> GraphModule:
        """An instance of a class of its own, which gets the graph's ``forward``."""
        base = next(kind for kind in cls.__mro__ if "_of_one_graph" not in vars(kind))
        own = type("GraphModuleImpl", (base,), {"_of_one_graph": True})
        return super().__new__(own)

    def __init__(self, root: Module | Mapping[str, Any], graph: Graph, class_name: str = "GraphModule") -> None:
        super().__init__()
        type(self).__name__ = type(self)._scope_name = class_name
        if isinstance(root, Module):
            self.training = root.training
            for node in graph.nodes:
                if node.op in ("get_attr", "call_module"):
                    copy_attribute(root, self, node.target)
        elif isinstance(root, Mapping):
            self._take_from(root, graph)
        else:
            raise RuntimeError(f"Unsupported type {root} passed for root!")
        self.meta: dict[str, Any] = dict(getattr(root, "meta", {}))
        self.graph = graph

    def _take_from(self, root: Mapping[str, Any], graph: Graph) -> None:
        targets = [node.target for node in graph.nodes if node.op in ("get_attr", "call_module")]
        for node in graph.nodes:
            if node.op in ("get_attr", "call_module") and node.target not in root:
                raise RuntimeError(f"Node {node} referenced target {node.target} but that target was not provided in "
                                   f"`root`!")  # fmt: skip
        for target in sorted(set(targets), key=lambda target: target.count(".")):
            _assign(self, target, root[target])

    @property
    def graph(self) -> Graph:
        return self._graph

    @graph.setter
    def graph(self, g: Graph) -> None:
        if not isinstance(g, Graph):
            raise AssertionError(f"Expected a Graph instance, but got {type(g)}")
        self._graph = g
        g.owning_module = self
        self.recompile()

    def __setattr__(self, name: str, value: Any) -> None:
        if name == "graph":  # a property, which modules do not look for
            type(self).graph.fset(self, value)  # type: ignore[attr-defined]
        else:
            super().__setattr__(name, value)

    def recompile(self) -> Any:
        """Make the code anew, after the graph was changed.

        Returns:
            The `PythonCode`.
        """
        found = self._graph.python_code("self")
        self._code = found.src
        type(self).forward = _compiled(found.src, found.globals)
        return found

    @property
    def code(self) -> str:
        """The code of ``forward``."""
        if not hasattr(self, "_code"):
            raise RuntimeError("Code has not been generated! Please report a bug to PyTorch")
        return self._code

    # Submodules.

    def add_submodule(self, target: str, m: Module) -> bool:
        """Put a module at a dotted path, with empty modules on the way; False where something else is in the way."""
        *path, name = target.split(".")
        place: Module = self
        for item in path:
            found = getattr(place, item, None)
            if found is None:
                found = Module()
                setattr(place, item, found)
            if not isinstance(found, Module):
                return False
            place = found
        place.add_module(name, m)
        return True

    def delete_submodule(self, target: str) -> bool:
        """Remove the module at a dotted path; False where there is none."""
        path, _, name = target.rpartition(".")
        try:
            parent = self.get_submodule(path)
        except AttributeError:
            return False
        if not isinstance(getattr(parent, name, None), Module):
            return False
        delattr(parent, name)
        return True

    def delete_all_unused_submodules(self) -> None:
        """Remove the modules that the graph neither calls nor reads anything of."""
        used = set()
        for node in self._graph.nodes:
            if node.op in ("call_module", "get_attr"):
                path = node.target.split(".")
                used |= {".".join(path[:length]) for length in range(1, len(path) + 1)}
                found = _found(self, node.target)
                if node.op == "call_module" and isinstance(found, Module):
                    used |= {f"{node.target}.{name}" for name, _ in found.named_modules() if name}
        for name in [name for name, _ in self.named_modules() if name and name not in used]:
            self.delete_submodule(name)

    # Copies and texts.

    def __deepcopy__(self, memo: dict[int, Any]) -> GraphModule:
        parts = Module()
        parts.__dict__.update({name: copy.deepcopy(value, memo) for name, value in self._parts().items()})
        return self._with_parts(parts, copy.deepcopy(self._graph, memo))

    def __copy__(self) -> GraphModule:
        return self._with_parts(self, copy.deepcopy(self._graph))

    def _parts(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name not in ("_graph", "_code")}

    def _with_parts(self, parts: Module, graph: Graph) -> GraphModule:
        """A module with the attributes of another one, those that the graph does not name too."""
        made = _made(type(self).__mro__[1], type(self).__name__, parts.__dict__, graph)
        memo = {name: value for name, value in made.__dict__.items() if name in ("_parameters", "_buffers", "_modules")}
        made.__dict__.update({name: dict(value) for name, value in memo.items()})
        return made

    def __reduce__(self) -> Any:
        cls = type(self).__mro__[1]
        return _rebuilt, (cls, type(self).__name__, self._parts(), self._graph.records())

    def print_readable(self, print_output: bool = True, **kwargs: Any) -> str:
        """The code of this module and of the graph modules in it, as classes; also printed."""
        body = "\n".join(f"    {line}" if line else "" for line in self.code.strip("\n").split("\n"))
        texts = [f"class {type(self).__name__}(torch.nn.Module):\n{body.rstrip()}\n"]
        for child in self.children():
            if isinstance(child, GraphModule):
                inner = child.print_readable(print_output=False).rstrip("\n").split("\n")
                texts.append("\n".join(f"    {line}" if line else "" for line in inner) + "\n")
        text = "\n".join(texts)
        if print_output:
            print(text)
        return text

    def __str__(self) -> str:
        hint = "# To see more debug info, please use `graph_module.print_readable()`"
        return "\n".join([repr(self), self._code, hint])

    to_folder = stand_in("fx.GraphModule.to_folder", "write its code to a file, and its state_dict with torch.save")


def _found(module: Module, target: str) -> Any:
    found: Any = module
    for name in target.split("."):
        found = getattr(found, name, None)
    return found


def copy_attribute(source: Module, target: Module, path: str) -> None:
    """Give a module what another one has at a dotted path, with empty modules on the way."""
    *holders, name = path.split(".")
    for holder in holders:
        found = getattr(source, holder)
        if found is getattr(target, holder, None):
            return  # the whole module is there
        if getattr(target, holder, None) is None:
            setattr(target, holder, Module())
        source, target = found, getattr(target, holder)
    _set(target, name, getattr(source, name))


def _assign(module: Module, path: str, value: Any) -> None:
    *holders, name = path.split(".")
    for holder in holders:
        if getattr(module, holder, None) is None:
            setattr(module, holder, Module())
        module = getattr(module, holder)
    _set(module, name, value)


def _set(module: Module, name: str, value: Any) -> None:
    if isinstance(value, Tensor) and not isinstance(value, Parameter):
        module.register_buffer(name, value)
    else:
        setattr(module, name, value)


def _rebuilt(cls: type[GraphModule], class_name: str, parts: dict[str, Any], records: list[Record]) -> GraphModule:
    return _made(cls, class_name, parts, Graph.of_records(records))


def _made(cls: type[GraphModule], class_name: str, parts: dict[str, Any], graph: Graph) -> GraphModule:
    made = cls.__new__(cls)
    made.__dict__.update(parts)
    type(made).__name__ = type(made)._scope_name = class_name
    made.graph = graph
    return made
