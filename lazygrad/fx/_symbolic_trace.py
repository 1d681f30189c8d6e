"""`Tracer` runs a module with proxies and records what it does; `symbolic_trace` makes a module of that."""

from __future__ import annotations

import inspect
import math
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping
from types import FunctionType, ModuleType
from typing import Any

from lazygrad.fx.graph import Graph
from lazygrad.fx.graph_module import GraphModule
from lazygrad.fx.node import Node, base_types
from lazygrad.fx.patching import Patches
from lazygrad.fx.proxy import Proxy, TracerBase
from lazygrad.fx.wrapping import patch_functions, patch_wrapped, wrap
from lazygrad.ir.user_warning import warn_user
from lazygrad.nn import Module, Parameter, Sequential
from lazygrad.ops.objects.assertions import _assert
from lazygrad.overrides.placing import in_place, lasting_form
from lazygrad.tensor import Tensor

__all__ = ["PH", "Tracer", "symbolic_trace", "wrap"]


class PHBase:
    """Marks an argument in ``concrete_args`` that stays a placeholder."""

    def __repr__(self) -> str:
        return "PH"


PH = PHBase()


class Tracer(TracerBase):
    """Records a module's ``forward``, or a function, as a `Graph`.

    Args:
        autowrap_modules: modules whose functions are recorded as calls where proxies are given to them.
        autowrap_functions: such functions of the traced program.
        param_shapes_constant: read shapes of parameters instead of recording them.
    """

    def __init__(
        self,
        autowrap_modules: tuple[ModuleType, ...] = (math,),
        autowrap_functions: tuple[Callable[..., Any], ...] = (),
        param_shapes_constant: bool = False,
    ) -> None:
        super().__init__()
        self._autowrapped: list[Callable[..., Any]] = [
            value
            for module in autowrap_modules
            for name, value in vars(module).items()
            if not name.startswith("_") and callable(value)
        ]
        self._autowrapped += autowrap_functions
        self._autowrap_modules = autowrap_modules
        self.param_shapes_constant = param_shapes_constant
        self.root: Module = Module()
        self.proxy_buffer_attributes = False
        self.module_stack: OrderedDict[str, tuple[str, Any]] = OrderedDict()
        self._parameter_proxies: dict[str, Proxy] = {}

    # What a derived class may decide.

    def is_leaf_module(self, m: Module, module_qualified_name: str) -> bool:
        """Whether calls of a submodule become one node each; by default those of lazygrad's layers do."""
        path = type(m).__module__
        return path.startswith(("lazygrad.nn", "torch.nn")) and not isinstance(m, Sequential)

    def call_module(self, m: Module, forward: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """A call of a submodule: one node if it is a leaf, what it does otherwise."""
        path = self.path_of_module(m)
        self.module_stack[path] = (path, type(m))
        try:
            if self.is_leaf_module(m, path):
                return self.create_proxy("call_module", path, args, kwargs)
            return forward(*args, **kwargs)
        finally:
            self.module_stack.popitem()

    def getattr(self, attr: str, attr_val: Any, parameter_proxy_cache: dict[str, Any]) -> Any:
        """An attribute that a module reads: parameters become nodes, one each."""
        members: Iterable[tuple[str, Tensor]] = ()
        if isinstance(attr_val, Parameter):
            members = self.root.named_parameters()
        elif self.proxy_buffer_attributes and isinstance(attr_val, Tensor):
            members = self.root.named_buffers()
        for name, member in members:
            if member is attr_val:
                if name not in parameter_proxy_cache:
                    parameter_proxy_cache[name] = self.create_proxy("get_attr", name, (), {})
                return parameter_proxy_cache[name]
        return attr_val

    def path_of_module(self, mod: Module) -> str:
        """The path of a submodule in the traced module.

        Raises:
            NameError: it is none.
        """
        for name, module in self.root.named_modules():
            if module is mod:
                return name
        raise NameError("module is not installed as a submodule")

    # Arguments.

    def create_node(
        self,
        kind: str,
        target: Any,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        name: str | None = None,
        type_expr: Any | None = None,
    ) -> Node:
        node = super().create_node(kind, target, args, kwargs, name, type_expr)
        if self.module_stack:
            node.meta["nn_module_stack"] = OrderedDict(self.module_stack)
        return node

    def create_arg(self, a: Any) -> Any:
        """See `TracerBase.create_arg`; tensors and parameters become attributes of the module."""
        if isinstance(a, Parameter):
            for name, parameter in self.root.named_parameters():
                if parameter is a:
                    return self.create_node("get_attr", name, (), {})
            raise NameError("parameter is not a member of this module")
        if isinstance(a, Tensor):
            return self.create_node("get_attr", self._path_of_tensor(a), (), {})
        if isinstance(a, tuple) and hasattr(a, "_fields"):
            parts = tuple([self.create_arg(part) for part in a])
            return self.create_node("call_function", type(a), parts, {})
        if isinstance(a, Module):
            return self.create_node("get_attr", self.path_of_module(a), (), {})
        return super().create_arg(a)

    def _path_of_tensor(self, tensor: Tensor) -> str:
        """Where the module has a tensor; it is given one that it does not have."""
        for prefix, module in self.root.named_modules():
            for name, value in (*module._buffers.items(), *vars(module).items()):
                if value is tensor:
                    return f"{prefix}.{name}" if prefix else name
        path = self.get_fresh_qualname("_tensor_constant")
        setattr(self.root, path, tensor)
        return path

    def get_fresh_qualname(self, prefix: str) -> str:
        """A name of an attribute that the module does not have yet."""
        number = 0
        while hasattr(self.root, f"{prefix}{number}"):
            number += 1
        return f"{prefix}{number}"

    # The trace.

    def trace(self, root: Module | Callable[..., Any], concrete_args: Mapping[str, Any] | None = None) -> Graph:
        """The graph of what a module or a function does with proxies.

        Args:
            root: a module, whose ``forward`` is run, or a function.
            concrete_args: values of arguments by name, which the graph is made for.

        Raises:
            TraceError: what it does next depends on a value.
        """
        if isinstance(root, Module):
            self.root, function = root, type(root).forward
        else:
            self.root, function = Module(), root
        self.graph = Graph(tracer_cls=type(self))
        if not isinstance(function, FunctionType):
            raise AssertionError(f"Expected FunctionType, got {type(function)}")
        given = self._arguments(function, isinstance(root, Module), dict(concrete_args or {}))
        self._parameter_proxies = {}
        self.module_stack.clear()
        with Patches() as patches, in_place():
            self._patch(patches, function.__globals__)
            result = self.create_arg(_of_plain_arguments(function)(*given))
        self.create_node(
            "output", "output", (result,), {}, None, getattr(function, "__annotations__", {}).get("return")
        )
        return self.graph

    def _patch(self, patches: Patches, namespace: dict[str, Any]) -> None:
        call, read = Module.__call__, Module.__getattr__

        def module_call(mod: Module, *args: Any, **kwargs: Any) -> Any:
            def forward(*args: Any, **kwargs: Any) -> Any:
                return call(mod, *args, **kwargs)

            return self.call_module(mod, forward, args, kwargs)

        def module_getattr(mod: Module, name: str) -> Any:
            return self.getattr(name, read(mod, name), self._parameter_proxies)

        patches.attribute(Module, "__call__", module_call)
        patches.attribute(Module, "__getattr__", module_getattr)
        patch_wrapped(patches)
        for found in (namespace, *map(vars, self._autowrap_modules)):
            patch_functions(patches, found, self._autowrapped)

    def _arguments(self, function: Any, is_method: bool, concrete: dict[str, Any]) -> list[Any]:
        """A placeholder for each argument, those of ``*args`` and ``**kwargs`` last; their proxies, or values."""
        hints = getattr(function, "__annotations__", {})
        given: list[Any] = [self.root] if is_method else []
        starred = []
        for parameter in list(inspect.signature(function).parameters.values())[len(given) :]:
            if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
                stars = "*" if parameter.kind is parameter.VAR_POSITIONAL else "**"
                starred.append(stars + parameter.name)
            else:
                given.append(self._argument(parameter, hints.get(parameter.name), concrete))
        return given + [self.create_proxy("placeholder", name, (), {}) for name in starred]

    def _argument(self, parameter: inspect.Parameter, hint: Any, concrete: dict[str, Any]) -> Any:
        name, default = parameter.name, () if parameter.default is parameter.empty else (parameter.default,)
        if name in concrete and not isinstance(concrete[name], PHBase):
            return self._concrete(name, concrete[name], default)
        return self.create_proxy("placeholder", name, default, {}, type_expr=hint)

    def _concrete(self, name: str, value: Any, default: tuple[Any, ...]) -> Any:
        """The value, and a placeholder that says what it has to be."""
        proxy = self.create_proxy("placeholder", f"{name}_1", default, {})
        message = f"{name} has been specialized to have value {value} but got another value"
        if value is None:
            self.create_proxy("call_function", _assert_is_none, (proxy, message), {})
        elif isinstance(value, base_types):
            self.create_proxy("call_function", lasting_form(_assert), (proxy == value, message), {}, name="_assert")
        else:
            warn_user(
                f"Was not able to add assertion to guarantee correct input {name} to specialized function. It is up to "
                f"the user to make sure that your inputs match the inputs you specialized the function with.",
            )
        return value


def _assert_is_none(value: Any, msg: str) -> None:
    assert value is None, msg


def _of_plain_arguments(function: Any) -> Callable[..., Any]:
    """The function with each of its arguments as a positional one: ``*args`` is then whatever is given for it."""
    code = function.__code__
    has_rest = code.co_flags & (inspect.CO_VARARGS | inspect.CO_VARKEYWORDS)
    if not has_rest and not code.co_kwonlyargcount:
        return function
    count = code.co_argcount + code.co_kwonlyargcount
    count += bool(code.co_flags & inspect.CO_VARARGS) + bool(code.co_flags & inspect.CO_VARKEYWORDS)
    flags = code.co_flags & ~(inspect.CO_VARARGS | inspect.CO_VARKEYWORDS)
    plain = code.replace(co_argcount=count, co_posonlyargcount=0, co_kwonlyargcount=0, co_flags=flags)
    return FunctionType(plain, function.__globals__, function.__name__, None, function.__closure__)


def symbolic_trace(root: Module | Callable[..., Any], concrete_args: Mapping[str, Any] | None = None) -> GraphModule:
    """A module whose graph is what a module or a function does with its arguments.

    Args:
        root: a module, whose submodules of lazygrad's classes are kept as calls; or a function.
        concrete_args: values of arguments by name: the graph is made for these.

    Raises:
        TraceError: what the program does next depends on a value.
        NotImplementedError: an argument that a graph cannot hold, such as a function.
    """
    tracer = Tracer()
    graph = tracer.trace(root, concrete_args)
    name = type(root).__name__ if isinstance(root, Module) else root.__name__
    return GraphModule(tracer.root, graph, name)
