"""Everything a call can read: the values reachable from a function, its arguments and the code it runs.

A run of a program is determined by what it reads. The walk therefore visits what the code that ran can get at: the
globals it names, closures, default values, arguments, and from there attributes that some of this code mentions,
containers in full, modules and optimizers in full. Each place gets a guard, each tensor is noted, and what can neither
be compared nor followed (an iterator, a file, a lock, a numpy array) is unguardable.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from types import (
    BuiltinFunctionType,
    ClassMethodDescriptorType,
    FunctionType,
    MethodDescriptorType,
    MethodType,
    MethodWrapperType,
    ModuleType,
    WrapperDescriptorType,
)
from typing import Any

import numpy as np

from lazygrad.compiling.classes import class_names, has_hidden_state, in_package, slot_names
from lazygrad.compiling.code_walk import CodeWalk
from lazygrad.compiling.execution import Execution
from lazygrad.compiling.purity import is_pure_module
from lazygrad.compiling.unguardable import Unguardable
from lazygrad.compiling.values import is_atom
from lazygrad.nn.module import Module
from lazygrad.ops.random.generator import Generator, default_generator
from lazygrad.optim.optimizer import Optimizer
from lazygrad.tensor import Tensor

_C_FUNCTIONS = (
    BuiltinFunctionType, MethodDescriptorType, MethodWrapperType, WrapperDescriptorType, ClassMethodDescriptorType,
)  # fmt: skip
_LIMIT = 100_000  # guards; a data set held in a list is better passed as tensors
# What a module keeps for its own book-keeping: no forward pass reads it.
_UNREAD_BY_FORWARD = frozenset(
    "_non_persistent_buffers_set _state_dict_pre_hooks _state_dict_hooks _load_state_dict_pre_hooks "
    "_load_state_dict_post_hooks _scope_name".split()
)
_UNREAD_BY_STEP = frozenset(
    "_state_dict_pre_hooks _state_dict_post_hooks _load_state_dict_pre_hooks _load_state_dict_post_hooks "
    "defaults".split()
)
_TENSOR_HOOKS = ("_backward_hooks", "_post_accumulate_hooks")


class Snapshot(CodeWalk):
    """The state before a call.

    Args:
        roots: values with their names, such as the function and the objects among its arguments.
        execution: an earlier run of the same function, which says what code to expect.
        unwrap: for a compiled function, the function it was made from; otherwise None.

    Attributes:
        guards: hold as long as nothing but tensors' values changes.
        tensors: all reachable ones with their names. Gradients are not among them.

    Raises:
        Unguardable: something that can neither be compared nor followed is within reach.
    """

    def __init__(
        self, roots: Iterable[tuple[Any, str]], execution: Execution, unwrap: Callable[[Any], Any | None]
    ) -> None:
        super().__init__(execution)
        self.tensors: dict[Tensor, str] = {}
        self._unwrap = unwrap
        self._seen: dict[int, Any] = {}
        self._generators: list[Generator] = [default_generator]
        for value, path in roots:
            self._visit(value, path)
        for code, namespace in execution.codes.items():
            self._visit_globals(code, namespace)
        self._streams = [generator.stream.get_state().tobytes() for generator in self._generators]
        self._seen.clear()

    def first_change(self) -> str | None:
        """What the call changed beside tensors' values, in words."""
        for generator, state in zip(self._generators, self._streams, strict=True):
            if generator.stream.get_state().tobytes() != state:
                return "the state of a Generator: it draws random numbers at once, outside the graph"
        return self.guards.first_change()

    # One visit per kind of value.

    def _visit(self, value: Any, path: str) -> None:
        if is_atom(value) or id(value) in self._seen:
            return
        self._seen[id(value)] = value
        if len(self.guards) > _LIMIT:
            raise Unguardable(f"more than {_LIMIT} Python values are within reach, the last in {path}")
        inner = self._unwrap(value)
        if inner is not None:
            self._visit(inner, path)
        elif isinstance(value, Tensor):
            self._visit_tensor(value, path)
        elif isinstance(value, Module):
            self._visit_module(value, path)
        elif isinstance(value, Optimizer) and in_package(type(value)):
            self._visit_optimizer(value, path)
        elif isinstance(value, Generator):
            self._generators.append(value)
        elif isinstance(value, (FunctionType, MethodType, functools.partial, type, ModuleType, *_C_FUNCTIONS)):
            self._visit_code(value, path)
        elif isinstance(value, (dict, list, tuple, set, frozenset)):
            self._visit_container(value, path)
        else:
            self._visit_object(value, path)

    def _visit_tensor(self, tensor: Tensor, path: str) -> None:
        self.tensors[tensor] = path
        self.guards.attribute(tensor, "_chain", tensor._chain, f"the view {path}")  # t_() changes it
        if tensor._chain or tensor._detached:  # requires_grad_() gives such a tensor another storage
            self.guards.attribute(tensor, "_storage", tensor._storage, f"the storage of {path}")
        members = tensor.__dict__
        if tensor.requires_grad:
            self.guards.length(members, f"the hooks and attributes of {path}")
        for name in list(members):
            if name != "_name" and (name in _TENSOR_HOOKS or self._mentions(name)):
                self._entry(members, name, f"{path}.{name}")

    def _visit_module(self, module: Module, path: str) -> None:
        members = vars(module)
        self.guards.length(members, path)
        own = in_package(type(module))
        for name, value in members.items():
            if name in _UNREAD_BY_FORWARD:
                continue
            self.guards.entry(members, name, value, f"{path}.{name}")
            registry = name in ("_parameters", "_buffers", "_modules")
            if registry or name.endswith("_hooks") or own or self._mentions(name):
                self._visit(value, path if registry else f"{path}.{name}")
        self._visit(type(module), type(module).__name__)

    def _visit_optimizer(self, optimizer: Optimizer, path: str) -> None:
        """Its options and state. Learning rates and step counts are read anew at each replay, unless user code does."""
        if "state" in self._names:
            raise Unguardable(f"it may read {path}.state, which changes in every step")
        read_anew = () if "param_groups" in self._names else ("lr",)
        for name, value in vars(optimizer).items():
            if name not in _UNREAD_BY_STEP:
                self.guards.entry(vars(optimizer), name, value, f"{path}.{name}")
                if name not in ("param_groups", "state"):
                    self._visit(value, f"{path}.{name}")
        self.guards.length(optimizer.param_groups, f"{path}.param_groups")
        for number, group in enumerate(optimizer.param_groups):
            self.guards.element(optimizer.param_groups, number, group, f"{path}.param_groups[{number}]")
            self._visit_dict(group, f"{path}.param_groups[{number}]", read_anew)
        self._visit_dict(optimizer.state, f"{path}.state", visit_items=False)
        for state in optimizer.state.values():
            self._visit_dict(state, f"{path}.state[…]", ("step",))

    def _visit_container(self, value: Any, path: str) -> None:
        if isinstance(value, dict):
            self._visit_dict(value, path)
        elif isinstance(value, list):
            self._visit_list(value, path)
        elif isinstance(value, tuple):
            for number, item in enumerate(value):
                self._visit(item, f"{path}[{number}]")
        elif all(map(is_atom, value)):
            self.guards.equal(value, path)
        else:
            raise Unguardable(f"{path} is a set of objects")
        if type(value).__module__ not in ("builtins", "collections") and hasattr(value, "__dict__"):
            self._visit_attributes(value, path)

    def _visit_dict(
        self, value: dict[Any, Any], path: str, unguarded: tuple[str, ...] = (), visit_items: bool = True
    ) -> None:
        self.guards.length(value, path)
        for key, item in value.items():
            if isinstance(key, str) and key in unguarded:
                continue
            inner = f"{path}.{key}" if isinstance(key, str) and key.isidentifier() else f"{path}[{key!r:.40}]"
            if isinstance(key, Tensor):
                self._visit(key, path)
                inner = f"{path}[…]"
            elif type(key).__hash__ is object.__hash__:
                self._visit(key, f"a key of {path}")
            elif not is_atom(key):
                raise Unguardable(f"{path} is a dict with keys of type {type(key).__name__}")
            self.guards.entry(value, key, item, inner)
            if visit_items:
                self._visit(item, inner)

    def _visit_list(self, value: list[Any], path: str) -> None:
        self.guards.length(value, path)
        for number, item in enumerate(value):
            self.guards.element(value, number, item, f"{path}[{number}]")
            self._visit(item, f"{path}[{number}]")

    def _visit_object(self, value: Any, path: str) -> None:
        if isinstance(value, functools._lru_cache_wrapper):
            raise Unguardable(f"{path} remembers its results (functools.cache)")
        if isinstance(value, np.ufunc) or (callable(value) and is_pure_module(type(value).__module__)):
            return
        if isinstance(value, np.ndarray):
            raise Unguardable(f"{path} is a numpy array, whose elements can change unseen; make it a tensor")
        if has_hidden_state(type(value)):
            raise Unguardable(f"{path} is a {type(value).__module__}.{type(value).__qualname__}")
        self._visit_attributes(value, path)
        self._visit(type(value), type(value).__name__)

    def _visit_attributes(self, value: Any, path: str) -> None:
        everything = in_package(type(value))
        members = getattr(value, "__dict__", {})
        for name, item in list(members.items()):
            if everything or self._mentions(name):
                self.guards.entry(members, name, item, f"{path}.{name}")
                self._visit(item, f"{path}.{name}")
        for name in class_names(type(value)):
            if self._mentions(name) and name not in members:
                self.guards.without(members, name, f"{path}.{name}")
        for name in slot_names(type(value)):
            if (everything or self._mentions(name)) and hasattr(value, name):
                self.guards.attribute(value, name, getattr(value, name), f"{path}.{name}")
                self._visit(getattr(value, name), f"{path}.{name}")
