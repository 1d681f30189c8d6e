"""What a recorded call reads: every read outside its frame makes a guard, or the call is refused.

The function runs in a copy with hooks (`lazygrad.compiling.instrument`), on the real values. A hook lets pass what is
positively known: plain values, what the call itself has made, tensors, and reads that a guard can repeat. For
everything else it does what Python does and notes the line: such a call is never replayed.
"""

from __future__ import annotations

import builtins
import dis
import functools
import sys
from abc import ABCMeta
from collections import namedtuple
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path
from types import (
    BuiltinFunctionType,
    CodeType,
    FunctionType,
    GeneratorType,
    MemberDescriptorType,
    MethodType,
    ModuleType,
    SimpleNamespace,
)  # fmt: skip
from typing import Any

from lazygrad.compiling.guards import MISSING, Guards
from lazygrad.compiling.instrument import instrumented, is_instrumented
from lazygrad.compiling.plain import (
    ANSWERS,
    CALLING,
    CONTAINERS,
    CONTEXTS,
    DICTS,
    ITERATING,
    NEW_FROM_METHODS,
    PURE_FUNCTIONS,
    PURE_TYPES,
    READING_METHODS,
    SILENT,
    STATEFUL,
    TENSOR_PROPERTIES,
    TUPLES,
    is_plain,
)  # fmt: skip
from lazygrad.compiling.unguardable import Unguardable
from lazygrad.ir.origin import capture
from lazygrad.nn.module import Module
from lazygrad.ops.random.generator import Generator
from lazygrad.optim.optimizer import Optimizer
from lazygrad.tensor import Tensor

PACKAGE = f"{Path(__file__).resolve().parents[1]}/"
_LIBRARIES = (f"{PACKAGE}nn/",)  # programs like the user's own: modules read state and call the user's code
_FUNCTIONS = tuple(
    f"{PACKAGE}{name}"
    for name in "ops/ autograd/ tensor.py linalg.py fft.py special.py signal/ nn/functional.py grad_mode.py "
    "ir/origin.py autocast_mode.py size.py".split()
)
_STEPS = "step zero_grad _record_updates _update_parameter _tensors _compute_updates".split()
_TENSOR_HOOKS = ("_backward_hooks", "_post_accumulate_hooks")
_NAMED_FIELD = type(vars(namedtuple("_", "field"))["field"])
_PLAIN_LOOKUPS = (object.__getattribute__, SimpleNamespace.__getattribute__, tuple.__getattribute__)
_SPECIAL_KINDS = (FunctionType, BuiltinFunctionType, functools.partial)


class Reads:
    """One recorded call as the hooks see it.

    Args:
        given: containers, tensors and objects among the arguments; a call's key says what the first two hold.
        first_serial: nodes of the call have this serial or a later one.
        unwrap: for a compiled function, the function it was made from; otherwise None.

    Attributes:
        guards: hold as long as every read would give the same.
        tensors: those that were read from outside, but for the arguments, with how they were found.
        refusal: the first thing that a replay could not repeat, with its line; or None.
    """

    def __init__(self, given: list[Any], first_serial: int, unwrap: Callable[[Any], Any | None]) -> None:
        self.guards = Guards()
        self.tensors: dict[Tensor, str] = {}
        self.refusal: str | None = None
        self._given = {id(value): value for value in given}
        for value in given:
            if not isinstance(value, (Tensor, *CONTAINERS, *TUPLES)):
                self.guards.refer_weakly(value)
        self._made: dict[int, Any] = {}
        self._entered: dict[int, Any] = {}
        self._first_serial, self._unwrap = first_serial, unwrap
        self._is_active, self._is_promised = True, False

    def finish(self) -> None:
        """The call is over: functions made in it run like any others from now on."""
        self._is_active = False
        self._given.clear()
        self._made.clear()
        self._entered.clear()

    def promise(self, state: Sequence[Any]) -> None:
        """Everything but the arguments and these modules and optimizers stays as it is: the call runs without hooks.

        Raises:
            TypeError: something among them is neither a module, an optimizer, a tensor nor a generator.
        """
        self._is_promised = True
        for value in state:
            if isinstance(value, Module):
                for module in value.modules():
                    self._guard_members(module)
            elif isinstance(value, Optimizer):
                self._guard_optimizer(value)
            elif isinstance(value, Tensor):
                self._tensor(value, "a tensor of the state")
            elif not isinstance(value, Generator):
                raise TypeError(f"compile: state holds a {type(value).__name__}, not modules, optimizers and tensors")
        self._is_active = False

    def _guard_members(self, module: Module) -> None:
        """What a module keeps: its flags, options, hooks, parameters, buffers and submodules."""
        members, name = vars(module), type(module).__name__
        self.guards.keys(members, f"the attributes of a {name}")
        for key, value in members.items():
            if key.endswith("state_dict_hooks") or key in ("_scope_name", "_non_persistent_buffers_set"):
                continue
            if not key.endswith("_hooks"):
                self.guards.entry(members, key, value, f".{key} of a {name}")
            if type(value) in DICTS:
                self._contents(value)
            else:
                self._found(value, f".{key} of a {name}")

    def refuse(self, what: str) -> None:
        """Note why the call cannot be replayed."""
        if self._is_active and self.refusal is None:
            self.refusal = f"{capture()} {what}"

    # Calls.

    def run(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The whole call."""
        result = self.call(function, *args, **kwargs)
        self._check_result(result)
        return result

    def _check_result(self, result: Any) -> None:
        """What is returned is made anew by a replay, so it must not be something that lives on and can change."""
        if isinstance(result, Tensor):
            self._tensor(result, "a returned tensor")
        elif isinstance(result, tuple):
            for item in result:
                self._check_result(item)
        elif type(result) in CONTAINERS:
            if id(result) in self._given or not self._is_own(result):
                self.refuse(f"returns a {type(result).__name__} that lives on")
            for item in result.values() if isinstance(result, dict) else result:
                self._check_result(item)

    def call(self, function: Any, /, *args: Any, **kwargs: Any) -> Any:
        """``function(*args, **kwargs)``."""
        if not self._is_active:
            return function(*args, **kwargs)
        kind = type(function)
        if kind is FunctionType:
            return self._call_function(function, args, kwargs)
        if kind is MethodType:
            return self.call(function.__func__, function.__self__, *args, **kwargs)
        if isinstance(function, type):
            return self._call_class(function, args, kwargs)
        inner = self._unwrap(function)
        if inner is not None:
            return self.call(inner, *args, **kwargs)
        if kind is functools.partial:
            self._guard_partial(function)
            return self.call(function.func, *function.args, *args, **{**function.keywords, **kwargs})
        if kind is BuiltinFunctionType:
            return self._call_builtin(function, args, kwargs)
        method = self._method(function, "__call__")
        if method is not None:
            return self.call(method, function, *args, **kwargs)
        self.refuse(f"calls a {kind.__module__}.{kind.__qualname__}")
        return function(*args, **kwargs)

    def _call_function(self, function: FunctionType, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        code = function.__code__
        if is_instrumented(code):
            return function(*args, **kwargs)
        file = code.co_filename
        runs_as_it_is = not file.startswith(_LIBRARIES) or file.startswith(_FUNCTIONS)
        if file.startswith(PACKAGE) and runs_as_it_is and not self._holds_user_code(function):
            return self._call_library(function, args, kwargs)
        self._enter(function)
        try:
            made = instrumented(function, self)
        except Unguardable as refusal:
            self.refuse(f"calls {function.__qualname__}: {refusal}")
            return function(*args, **kwargs)
        return made(*args, **kwargs)

    def _holds_user_code(self, function: FunctionType) -> bool:
        """Whether a function of the library wraps one that is not, as ``no_grad`` does."""
        for cell in function.__closure__ or ():
            value = _contents(cell)
            if callable(value) and not isinstance(value, type) and not _is_internal(value):
                return True
        return False

    def _call_library(self, function: FunctionType, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """A function of the package that computes with tensors, or an optimizer's."""
        name = function.__name__.strip("_")
        listed = [*args, *kwargs.values()]
        if args and isinstance(args[0], Optimizer) and name in ("step", "zero_grad"):
            self._guard_optimizer(args[0])
            listed = listed[1:]
        elif not function.__code__.co_filename.startswith(_FUNCTIONS) or name in STATEFUL:
            self.refuse(f"calls {function.__module__}.{function.__qualname__}, which may read or change other state")
        for value in listed:
            if not self._is_known(value):
                self.refuse(f"passes a {type(value).__qualname__} to {name}")
        return self._answer(name, function(*args, **kwargs))

    def _answer(self, name: str, result: Any) -> Any:
        """What a function of the library returned, if a replay can tell what it will be."""
        if isinstance(result, (Tensor, *CONTEXTS)):
            self._made[id(result)] = result
        elif isinstance(result, (tuple, list)):
            self._made[id(result)] = result
            for item in result:
                self._answer(name, item)
        elif not (name in ANSWERS or (result is None and name in SILENT) or result is NotImplemented):
            if name in ("item", "tolist", "numpy", "bool", "float", "int", "index", "array"):
                self.refuse("reads a computed value")
            elif not (result is None and name in ("grad",)):
                self.refuse(f"asks {name}, whose answer a replay cannot know")
        return result

    def _call_class(self, cls: type, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if cls in PURE_TYPES:
            given, named = self._arguments(cls, args, kwargs)
            return self.made(cls(*given, **named))
        if cls is type and len(args) == 1:
            self._guard_type(args[0])
            return type(args[0])
        if issubclass(cls, CONTEXTS) and all(map(self._is_known, args)):
            return self.made(cls(*args, **kwargs))
        if issubclass(cls, BaseException) and cls.__module__ == "builtins":
            return cls(*args, **kwargs)
        if type(cls) is type and not _is_internal(cls) and cls.__new__ is object.__new__:
            self._static(cls, "__new__")
            start = self._static(cls, "__init__")
            if isinstance(start, FunctionType) or start is object.__init__:
                instance = self.made(object.__new__(cls))
                if start is not object.__init__:
                    self.call(start, instance, *args, **kwargs)
                return instance
        self.refuse(f"makes a {cls.__module__}.{cls.__qualname__}")
        return cls(*args, **kwargs)

    def _call_builtin(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        special = _BUILTINS.get(function)
        if special is not None and not kwargs:
            return special(self, *args)
        if function in PURE_FUNCTIONS:
            given, named = self._arguments(function, args, kwargs)
            result = function(*given, **named)
            return self.made(result) if function is sorted else result
        if function is id and sys._getframe(2).f_code.co_filename.startswith(PACKAGE):
            return id(*args)
        owner = function.__self__
        if is_plain(owner) and function.__name__ not in ("format", "format_map"):
            for value in (*args, *kwargs.values()):
                self.operand(value, "eq")
            return self.made(function(*args, **kwargs))
        if self._is_own(owner) and type(owner) in (*CONTAINERS, GeneratorType):
            _, named = self._arguments(function, (), kwargs)
            return self._result(function, function(*map(self._stored, args), **named))
        if type(owner) in CONTAINERS and function.__name__ in READING_METHODS and self._contents(owner):
            for value in args:
                self.key(value)
            return self._result(function, function(*args, **kwargs))
        self.refuse(f"calls {_described(function)}")
        return function(*args, **kwargs)

    def _result(self, method: Any, result: Any) -> Any:
        """What a method of a container returned: something new, or one of its items."""
        return self.made(result) if method.__name__ in NEW_FROM_METHODS else result

    def _stored(self, value: Any) -> Any:
        """An argument of a method of a container that the call has made."""
        return self._argument(value) if type(value) in CONTAINERS else value

    def _argument(self, value: Any, takes_items: bool = False) -> Any:
        """An argument of a function that computes with whatever it is given."""
        if is_plain(value) or isinstance(value, Tensor):
            return self.operand(value, "add")
        if type(value) in CONTAINERS or type(value) in TUPLES:
            for item in self._items(value):
                if not (is_plain(item) or isinstance(item, Tensor) or type(item) in (*TUPLES, *CONTAINERS)):
                    self._compared_by_identity(item)
            return value
        if self._is_own(value) and type(value).__module__ in ("builtins", "itertools"):
            return value
        if takes_items:
            return self.iterate(value)
        self.refuse(f"passes a {type(value).__qualname__} to a function")
        return value

    def _arguments(
        self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[list[Any], dict[str, Any]]:
        """The arguments of a pure function; what it will call is called with hooks."""
        called = 1 if function in CALLING else 0
        given = [functools.partial(self.call, value) if value is not None else None for value in args[:called]]
        given += [self._argument(value, function in ITERATING) for value in args[called:]]
        named = {
            name: functools.partial(self.call, value) if name == "key" and value is not None else self._argument(value)
            for name, value in kwargs.items()
        }
        return given, named

    def _items(self, value: Any) -> list[Any]:
        self._contents(value)
        return [*value.keys(), *value.values()] if isinstance(value, dict) else list(value)

    def _guard_partial(self, function: Any) -> None:
        for name in ("func", "args"):
            self.guards.attribute(function, name, getattr(function, name), f"{name} of a partial")
        self.guards.attribute(function, "keywords", function.keywords, "keywords of a partial")
        self._contents(function.keywords)

    def _enter(self, function: FunctionType) -> None:
        """Guard what a function reads by being called: its code, default values, globals and closure."""
        if id(function) in self._entered:
            return
        self._entered[id(function)] = function
        name = function.__qualname__
        self.guards.attribute(function, "__code__", function.__code__, f"the code of {name}")
        for part in ("__defaults__", "__kwdefaults__"):
            value = getattr(function, part)
            self.guards.attribute(function, part, value, f"the default values of {name}")
            if value is not None and part == "__kwdefaults__":
                self._contents(value)
        for variable, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
            value = _contents(cell)
            self.guards.attribute(cell, "cell_contents", value, f"the closure variable {variable!r}")
            self._found(value, f"the closure variable {variable!r}")
        namespace = function.__globals__
        for variable in _globals_of(function.__code__):
            path = f"the global variable {variable!r}"
            if variable in namespace:
                self.guards.entry(namespace, variable, namespace[variable], path)
                self._found(namespace[variable], path)
            else:
                self.guards.without(namespace, variable, path)
                self._guard_entry(vars(builtins), variable, path)

    def _guard_entry(self, owner: dict[Any, Any], key: Any, path: str) -> None:
        if key in owner:
            self.guards.entry(owner, key, owner[key], path)
            self._found(owner[key], path)
        else:
            self.guards.without(owner, key, path)

    def _guard_optimizer(self, optimizer: Optimizer) -> None:
        """Its options and state. Learning rates and step counts are read anew at each replay."""
        if id(optimizer) in self._entered:
            return
        self._entered[id(optimizer)] = optimizer
        cls, path = type(optimizer), type(optimizer).__name__
        self._guard_type(optimizer)
        if not cls.__module__.startswith("lazygrad.optim"):
            self.refuse(f"uses the optimizer {cls.__name__}, which is not lazygrad's")
        members = vars(optimizer)
        self.guards.attribute(optimizer, "__dict__", members, path)
        for name in () if self._is_promised else _STEPS:  # code is what a promise is about
            self.guards.without(members, name, f"{path}.{name}")
            self._static(cls, name)
        for name, value in members.items():
            if "state_dict" in name or name == "defaults":
                continue
            self.guards.entry(members, name, value, f"{path}.{name}")
            if name not in ("param_groups", "state"):
                if not is_plain(value) and not (type(value) in CONTAINERS and not value):
                    self.refuse(f"uses {path} with {name.strip('_')}")
                elif not is_plain(value):
                    self._contents(value)
        self.guards.length(optimizer.param_groups, f"{path}.param_groups")
        for number, group in enumerate(optimizer.param_groups):
            self.guards.element(optimizer.param_groups, number, group, f"{path}.param_groups[{number}]")
            self._guard_state(group, f"{path}.param_groups[{number}]", "lr")
        self.guards.length(optimizer.state, f"{path}.state")
        for parameter, state in optimizer.state.items():
            self._found(parameter, f"{path}.state")
            self.guards.entry(optimizer.state, parameter, state, f"{path}.state[…]")
            self._guard_state(state, f"{path}.state[…]", "step")

    def _guard_state(self, state: dict[str, Any], path: str, unguarded: str) -> None:
        self.guards.keys(state, path)
        for name, value in state.items():
            if name == unguarded and not isinstance(value, Tensor):
                continue
            self.guards.entry(state, name, value, f"{path}.{name}")
            if not is_plain(value) and not isinstance(value, Tensor):
                self._contents(value)
            self._found(value, f"{path}.{name}")

    # Attributes.

    def attribute(self, owner: Any, name: str) -> Any:
        """``owner.name``."""
        if not self._is_active:
            return getattr(owner, name)
        kind = type(owner)
        if isinstance(owner, Tensor):
            return self._tensor_attribute(owner, name)
        if kind is ModuleType:
            return self._module_attribute(owner, name)
        if isinstance(owner, type):
            return self._class_attribute(owner, name)
        if is_plain(owner) or kind in CONTAINERS or kind is GeneratorType:
            return getattr(owner, name)
        if kind in _SPECIAL_KINDS or kind is MethodType:
            if name in ("__dict__", "__self__", "__func__", "__closure__", "__globals__", "__call__"):
                self.refuse(f"reads {name} of a function")
            return self._reread(owner, name)
        if kind is super:
            return self._super_attribute(owner, name)
        if isinstance(owner, (BaseException, *CONTEXTS)) or self._unwrap(owner) is not None:
            return getattr(owner, name)
        return self._object_attribute(owner, name)

    def _reread(self, owner: Any, name: str) -> Any:
        """An attribute of something that runs no code when it is asked; the guard asks again."""
        path = f".{name} of {_named(owner)}"
        value = getattr(owner, name, MISSING)
        self.guards.attribute(owner, name, value, path)
        if value is MISSING:
            return getattr(owner, name)
        return self._found(value, path)

    def _module_attribute(self, module: ModuleType, name: str) -> Any:
        path = f"{module.__name__}.{name}"
        if type(module).__getattribute__ is not ModuleType.__getattribute__ or name == "__dict__":
            self.refuse(f"reads {path}")
        elif name not in vars(module) and "__getattr__" in vars(module):
            self.refuse(f"reads {path}, which is computed")
        else:
            self._guard_entry(vars(module), name, path)
            if name not in vars(module):
                self.guards.without(vars(module), "__getattr__", path)
        return getattr(module, name)

    def _class_attribute(self, cls: type, name: str) -> Any:
        if type(cls) not in (type, ABCMeta) or (name.startswith("__") and name not in ("__init__", "__call__")):
            self.refuse(f"reads {cls.__name__}.{name}")
            return getattr(cls, name)
        if name in dir(type(cls)):
            self.refuse(f"reads {cls.__name__}.{name}")
            return getattr(cls, name)
        found = self._static(cls, name)
        if isinstance(found, classmethod):
            return MethodType(found.__func__, cls)
        bound = found is MISSING or isinstance(found, (FunctionType, staticmethod, type))
        if not bound and hasattr(type(found), "__get__"):
            self.refuse(f"reads {cls.__name__}.{name}, a {type(found).__name__}")
        return getattr(cls, name)

    def _static(self, cls: type, name: str) -> Any:
        """What a class or its bases hold under a name, unbound; `MISSING` if nothing."""
        path = f"{cls.__name__}.{name}"
        if type(cls) not in (type, ABCMeta):
            self.refuse(f"uses {path}, whose class is a {type(cls).__name__}")
        self.guards.lookup(cls, name, path)
        for base in cls.__mro__:
            if name in vars(base):
                return self._found(vars(base)[name], path)
        if hasattr(type(cls), name):
            self.refuse(f"reads {path}, which its class's class has")
        return MISSING

    def _super_attribute(self, owner: Any, name: str) -> Any:
        cls = owner.__self_class__
        order = cls.__mro__
        self._guard_type(owner.__self__)
        self.guards.attribute(cls, "__mro__", order, f"the bases of {cls.__name__}")
        for base in order[order.index(owner.__thisclass__) + 1 :]:
            self._guard_entry(vars(base), name, f"{base.__name__}.{name}")
            if name in vars(base):
                break
        value = getattr(owner, name)
        if not isinstance(value, MethodType) or isinstance(owner.__self__, type):
            self.refuse(f"reads super().{name}")
        return value

    def _object_attribute(self, owner: Any, name: str) -> Any:
        cls = type(owner)
        path = f".{name} of a {cls.__name__}"
        self._guard_type(owner)
        if name == "__class__" and cls.__class__ is type:
            return cls
        lookup = self._static(cls, "__getattribute__")
        plain = any(lookup is each for each in _PLAIN_LOOKUPS)
        if not plain or (name.startswith("__") and name not in ("__call__", "__init__")):
            self.refuse(f"reads {path}")
            return getattr(owner, name)
        found = self._static(cls, name)
        if isinstance(found, property) and found.fget is not None:
            return self.call(found.fget, owner)
        if type(found) is _NAMED_FIELD:
            return self._found(getattr(owner, name), path)  # a field of a named tuple
        if isinstance(found, MemberDescriptorType):
            return getattr(owner, name) if self._is_own(owner) else self._reread(owner, name)
        if found is not MISSING and hasattr(type(found), "__set__"):
            self.refuse(f"reads {path}, a {type(found).__name__}")
            return getattr(owner, name)
        members: Any = getattr(owner, "__dict__", None)
        if members is not None:
            own = self._is_own(owner)
            if not own:
                self.guards.attribute(owner, "__dict__", members, f"the attributes of a {cls.__name__}")
            if name in members:
                if not own:
                    self.guards.entry(members, name, members[name], path)
                return members[name] if own else self._found(members[name], path)
            if not own:
                self.guards.without(members, name, path)
        return self._inherited(owner, name, found, path)

    def _inherited(self, owner: Any, name: str, found: Any, path: str) -> Any:
        """An attribute that the instance's own dictionary lacks."""
        cls = type(owner)
        if found is MISSING:
            fallback = self._static(cls, "__getattr__")
            if fallback is MISSING:
                return getattr(owner, name)
            if fallback is Module.__getattr__:
                return self._registered(owner, name, path)
            return self.call(fallback, owner, name)
        if isinstance(found, FunctionType):
            return MethodType(found, owner)
        if isinstance(found, staticmethod):
            return found.__func__
        if isinstance(found, classmethod):
            return MethodType(found.__func__, cls)
        if hasattr(type(found), "__get__") and not isinstance(found, type):
            self.refuse(f"reads {path}, a {type(found).__name__}")
        return getattr(owner, name)

    def _registered(self, module: Any, name: str, path: str) -> Any:
        """A parameter, buffer or submodule."""
        members = vars(module)
        for kind in ("_parameters", "_buffers", "_modules"):
            self._guard_entry(members, kind, path)
            self._guard_entry(members.get(kind, {}), name, path)
            if name in members.get(kind, ()):
                break
        return getattr(module, name)

    def _tensor_attribute(self, tensor: Tensor, name: str) -> Any:
        self._tensor(tensor)
        path = f".{name} of a tensor"
        given = id(tensor) in self._given
        own = given or not self._is_outside(tensor)
        found = self._static(type(tensor), name)
        if name in tensor.__dict__ and not isinstance(found, property):
            if own:
                self.refuse(f"reads {path}")
            else:
                self._guard_entry(tensor.__dict__, name, path)
            return getattr(tensor, name)
        if isinstance(found, FunctionType):
            return MethodType(found, tensor)
        if found is MISSING and not own:
            self.guards.without(tensor.__dict__, name, path)
        elif (found is not MISSING and (name not in TENSOR_PROPERTIES or (name == "grad" and given))) or (
            found is MISSING and given and tensor.__dict__
        ):
            self.refuse(f"reads {path}")
        elif name == "grad" and not tensor.requires_grad:
            self.refuse(f"reads {path}, which requires no gradient")
        value = getattr(tensor, name)
        if isinstance(value, Tensor):
            self._made[id(value)] = value
        return value

    # Items, operands, conditions, loops.

    def item(self, owner: Any, index: Any) -> Any:
        """``owner[index]``."""
        if not self._is_active:
            return owner[index]
        kind = type(owner)
        if isinstance(owner, Tensor):
            if not self._is_known(index):
                self.refuse(f"picks from a tensor by a {type(index).__qualname__}")
            self.operand(owner, "getitem")
            return self.made(owner[index])
        self.key(index)
        if is_plain(owner) or kind in TUPLES or self._is_own(owner):
            if kind not in (*CONTAINERS, *TUPLES) and not is_plain(owner):
                self.refuse(f"picks from a {kind.__qualname__}")
            return owner[index]
        path = f"[{index!r:.40}] of a {kind.__name__}" if is_plain(index) else f"an item of a {kind.__name__}"
        if kind is list:
            self.guards.length(owner, "the number of items in a list")
            if type(index) is int and -len(owner) <= index < len(owner):
                self.guards.element(owner, index, owner[index], path)
                return self._found(owner[index], path)
            self._contents(owner)
            return self.made(owner[index])
        if kind in DICTS:
            if index not in owner and kind not in (dict,):
                self.refuse(f"asks a {kind.__name__} for a key that it may add")
            self._guard_entry(owner, index, path)
            return owner[index]
        method = self._method(owner, "__getitem__")
        if method is not None:
            return self.call(method, owner, index)
        self.refuse(f"picks from a {kind.__qualname__}")
        return owner[index]

    def slice(self, *bounds: Any) -> slice:
        """``start:stop:step`` between brackets."""
        for bound in bounds:
            if not is_plain(bound) and not isinstance(bound, Tensor) and self._is_active:
                self.refuse(f"slices by a {type(bound).__qualname__}")
        return slice(*bounds)

    def key(self, value: Any) -> Any:
        """What is looked up in a container."""
        if self._is_active and not is_plain(value) and not isinstance(value, (Tensor, slice)):
            if type(value) in TUPLES:
                for item in value:
                    self.key(item)
            else:
                self._compared_by_identity(value)
        return value

    def operand(self, value: Any, name: str) -> Any:
        """A value that an operator computes with."""
        if not self._is_active or is_plain(value):
            return value
        if isinstance(value, Tensor):
            self._tensor(value)
            special = f"__{name}__"
            if hasattr(Tensor, special):
                self._static(type(value), special)
        elif type(value) in CONTAINERS or type(value) in TUPLES:
            for item in self._items(value):
                if isinstance(item, Tensor) and name in ("eq", "ne", "rcontains"):
                    self.refuse("compares tensors inside a container")
                elif name not in ("contains", "bool"):
                    self.operand(item, name)
                elif not is_plain(item):
                    self._compared_by_identity(item)
        elif name in ("eq", "ne", "contains"):
            self._compared_by_identity(value)
        elif self._is_own(value) and not hasattr(type(value), "__dict__"):
            pass
        else:
            self.refuse(f"computes with a {type(value).__qualname__}")
        return value

    def in_place(self, value: Any, name: str) -> None:
        """A variable that is updated, as by ``+=``."""
        if self._is_active and not is_plain(value) and not isinstance(value, Tensor) and type(value) not in TUPLES:
            if not (self._is_own(value) and type(value) in CONTAINERS and id(value) not in self._given):
                self.refuse(f"changes a {type(value).__qualname__}")
        elif self._is_active and isinstance(value, Tensor):
            self.operand(value, f"i{name}")

    def identity(self, value: Any) -> Any:
        """An operand of ``is``."""
        if self._is_active and isinstance(value, Tensor):
            self.refuse("asks which tensor it is")
        return value

    def condition(self, value: Any) -> Any:
        """A value that is asked whether it is true."""
        if not self._is_active or is_plain(value) or isinstance(value, Tensor) or type(value) in TUPLES:
            return self.operand(value, "bool") if isinstance(value, Tensor) else value
        kind = type(value)
        if kind in CONTAINERS:
            if not self._is_own(value):
                self.guards.length(value, f"the number of items in a {kind.__name__}")
        elif isinstance(value, Module) and self._static(kind, "__bool__") is MISSING:
            length = self._static(kind, "__len__")
            if length is not MISSING and not _is_internal(length):
                self.refuse(f"asks whether a {kind.__name__} is true")
            elif length is not MISSING:
                self.iterate(value)
        elif kind in (FunctionType, MethodType, BuiltinFunctionType):
            pass
        elif self._static(kind, "__bool__") is not MISSING or self._static(kind, "__len__") is not MISSING:
            self.refuse(f"asks whether a {kind.__qualname__} is true")
        else:
            self._guard_type(value)
        return value

    def iterate(self, value: Any) -> Any:
        """Something whose items are taken one after the other, all of them."""
        if not self._is_active or is_plain(value) or type(value) in TUPLES:
            return value
        kind = type(value)
        if isinstance(value, Tensor):
            self.operand(value, "iter")
            rows = list(value)
            for row in rows:
                self.made(row)
            return rows
        if kind in CONTAINERS:
            self._contents(value)
            if kind in (set, frozenset) and not all(map(is_plain, value)):
                self.refuse("takes the items of a set, whose order may change")
            return value
        if self._is_own(value) or (kind is GeneratorType and is_instrumented(value.gi_code)):
            return value
        method = self._method(value, "__iter__")
        if method is not None:
            return self.call(method, value)
        self.refuse(f"takes the items of a {kind.__qualname__}")
        return value

    def rows(self, values: Any) -> Any:
        """Items that are taken apart."""
        return map(self.iterate, values) if self._is_active else values

    def unpack_deep(self, value: Any) -> Any:
        """A value that is taken apart, and its items too."""
        if self._is_active:
            self.refuse("takes nested values apart")
        return value

    def mapping(self, value: Any) -> Any:
        """What ``**`` takes apart."""
        if self._is_active and not (type(value) in DICTS and self._contents(value)):
            self.refuse(f"takes a {type(value).__qualname__} apart")
        return value

    def formatted(self, value: Any) -> Any:
        """A value in an f-string."""
        if self._is_active and not is_plain(value):
            self.refuse(f"formats a {type(value).__qualname__}")
        return value

    def context(self, value: Any) -> Any:
        """What ``with`` enters."""
        if self._is_active and not isinstance(value, CONTEXTS):
            self.refuse(f"enters a {type(value).__qualname__}")
        return value

    def decorator(self, function: Any) -> Any:
        """What a function made in the call is decorated with."""
        return functools.partial(self.call, function)

    def made(self, value: Any) -> Any:
        """Something that the call itself has made, so that nobody else changes it."""
        if self._is_active and not is_plain(value):
            self._made[id(value)] = value
        return value

    def enter(self, value: Any) -> Any:
        """The result of a lambda."""
        return value

    def target(self, owner: Any, name: str | None = None) -> Any:
        """What an attribute or item of is assigned or deleted."""
        if not self._is_active:
            return owner
        if isinstance(owner, Tensor):
            self._tensor(owner)
            if name in (None, "grad", "data"):
                return owner
        elif self._is_own(owner) and id(owner) not in self._given:
            return owner
        what = "an item" if name is None else f".{name}"
        self.refuse(f"changes {what} of a {type(owner).__qualname__}")
        return owner

    def updated(self, owner: Any, *_: Any) -> Any:
        """What an attribute or item of is updated, as by ``+=``."""
        if self._is_active and not isinstance(owner, Tensor):
            self.refuse(f"changes a {_kind_of(owner)}")
        return self.target(owner)

    # What the rules above share.

    def _is_own(self, value: Any) -> bool:
        """Whether the call has made it, or its key says what it holds."""
        return id(value) in self._made or (id(value) in self._given and type(value) in (*CONTAINERS, *TUPLES))

    def _is_outside(self, tensor: Tensor) -> bool:
        if id(tensor) in self._given or id(tensor) in self._made:
            return False
        return tensor in self.tensors or tensor._storage.value.serial < self._first_serial

    def _found(self, value: Any, path: str) -> Any:
        if isinstance(value, Tensor):
            if id(value) in self._given:
                self.refuse(f"finds an argument again: {path}")
            self._tensor(value, path)
        return value

    def _tensor(self, tensor: Tensor, path: str | None = None) -> None:
        """Note a tensor from outside: its value is read anew at each replay, everything else is guarded."""
        if type(tensor).__module__.partition(".")[0] != "lazygrad":
            self.refuse(f"uses a tensor of the class {type(tensor).__name__}")
        if id(tensor) in self._given and any(name in _TENSOR_HOOKS for name in tensor.__dict__):
            self.refuse("is given a tensor with hooks")
        if not self._is_outside(tensor) or tensor in self.tensors:
            return
        path = path or f"a tensor at {capture()}"
        self.tensors[tensor] = path
        self.guards.attribute(tensor, "_chain", tensor._chain, f"the view {path}")
        self.guards.attribute(tensor, "_storage", tensor._storage, f"the storage of {path}")
        members = tensor.__dict__
        self.guards.attributes(tensor, f"the hooks and attributes of {path}")
        for name in _TENSOR_HOOKS:
            if members.get(name):
                self.refuse("uses a tensor with hooks")
            elif name in members:
                self.guards.length(members[name], f"the hooks of {path}")

    def _contents(self, value: Any) -> bool:
        """Guard everything in a container, and their order."""
        if self._is_own(value) or type(value) in TUPLES:
            return True
        kind = type(value)
        if kind is list and any(isinstance(item, Tensor) and not self._is_outside(item) for item in value):
            self._made[id(value)] = value  # Python made it in the call, where an assignment takes a value apart
            return True
        path = f"the items of a {kind.__name__}"
        if kind is list:
            self.guards.length(value, f"the number of items in {path}")
            for number, item in enumerate(value):
                self.guards.element(value, number, item, path)
                self._found(item, path)
        elif kind in DICTS:
            self.guards.keys(value, path)
            for key, item in value.items():
                self.guards.entry(value, key, item, path)
                self._found(item, path)
        elif kind in (set, frozenset) and all(map(is_plain, value)):
            self.guards.equal(value, path)
        else:
            self.refuse(f"reads the items of a {kind.__qualname__}")
            return False
        return True

    def _is_known(self, value: Any) -> bool:
        """Whether a function of the library may be given ``value``: it runs no code, and what it holds is guarded."""
        if isinstance(value, Tensor):
            self._tensor(value)
            return True
        if is_plain(value) or isinstance(value, CONTEXTS) or any(value is each for each in (int, float, bool, complex)):
            return True
        if type(value) in TUPLES or type(value) in (list, dict):
            return self._contents(value) and all(map(self._is_known, self._items(value)))
        if isinstance(value, slice):
            return all(map(self._is_known, (value.start, value.stop, value.step)))
        return type(value) is GeneratorType and is_instrumented(value.gi_code)

    def _guard_type(self, value: Any) -> None:
        known = is_plain(value) or self._is_own(value) or id(value) in self._given
        if not known and (not isinstance(value, Tensor) or self._is_outside(value)):
            self.guards.instance(value, f"the class of a {type(value).__name__}")

    def _method(self, owner: Any, name: str) -> FunctionType | None:
        """The Python method that an expression calls by itself; None if there is none."""
        if isinstance(owner, type) or type(owner).__module__ == "builtins":
            return None
        self._guard_type(owner)
        found = self._static(type(owner), name)
        return found if isinstance(found, FunctionType) else None

    def _compared_by_identity(self, value: Any) -> None:
        """An object in a container or beside ``==``, which must be content with Python's own comparison."""
        kind = type(value)
        if kind in (FunctionType, BuiltinFunctionType, type, MethodType) or isinstance(value, Tensor):
            return
        if kind in CONTAINERS or kind in TUPLES:
            return
        self._guard_type(value)
        for name, own in (("__eq__", object.__eq__), ("__hash__", object.__hash__)):
            if self._static(kind, name) is not own:
                self.refuse(f"compares a {kind.__qualname__}")

    # Functions of Python that read what the program names.

    def _getattr(self, owner: Any, name: str, *default: Any) -> Any:
        if default:
            try:
                return self.attribute(owner, name)
            except AttributeError:
                return default[0]
        return self.attribute(owner, name)

    def _hasattr(self, owner: Any, name: str) -> bool:
        try:
            self.attribute(owner, name)
        except AttributeError:
            return False
        return True

    def _setattr(self, owner: Any, name: str, value: Any) -> None:
        setattr(self.target(owner, name), name, value)

    def _isinstance(self, value: Any, classes: Any) -> bool:
        for cls in classes if isinstance(classes, tuple) else (classes,):
            if type(cls) is not type and not (type(cls) is ABCMeta and isinstance(value, Tensor)):
                self.refuse(f"asks whether something is a {getattr(cls, '__name__', cls)}")
        if isinstance(value, Tensor):
            self._tensor(value)
        self._guard_type(value)
        kind = type(value)
        if kind.__module__ not in ("builtins",):
            self.guards.attribute(kind, "__mro__", kind.__mro__, f"the bases of {kind.__name__}")
        return isinstance(value, classes)

    def _issubclass(self, cls: Any, classes: Any) -> bool:
        self.refuse("asks whether a class is another's subclass")
        return issubclass(cls, classes)

    def _len(self, value: Any) -> int:
        if isinstance(value, Tensor) or is_plain(value) or type(value) in TUPLES or self._is_own(value):
            return len(value)
        if type(value) in CONTAINERS:
            self.guards.length(value, f"the number of items in a {type(value).__name__}")
            return len(value)
        method = self._method(value, "__len__")
        if method is not None:
            return int(self.call(method, value))
        self.refuse(f"asks for the length of a {type(value).__qualname__}")
        return len(value)

    def _next(self, iterator: Any, *default: Any) -> Any:
        if not (self._is_own(iterator) or (type(iterator) is GeneratorType and is_instrumented(iterator.gi_code))):
            self.refuse(f"takes the next item of a {type(iterator).__qualname__}")
        return next(iterator, *default)

    def _iter(self, value: Any) -> Any:
        return self.made(iter(self.iterate(value)))


_BUILTINS: dict[Any, Callable[..., Any]] = {
    getattr: Reads._getattr, hasattr: Reads._hasattr, setattr: Reads._setattr, isinstance: Reads._isinstance,
    issubclass: Reads._issubclass, len: Reads._len, next: Reads._next, iter: Reads._iter,
}  # fmt: skip


def _is_internal(value: Any) -> bool:
    module = getattr(value, "__module__", None) or getattr(type(value), "__module__", "")
    return str(module).partition(".")[0] == "lazygrad"


def _contents(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:
        return MISSING


def _kind_of(value: Any) -> str:
    return "numpy array" if type(value).__qualname__ == "ndarray" else type(value).__qualname__


def _named(value: Any) -> str:
    return getattr(value, "__qualname__", None) or f"a {type(value).__name__}"


def _described(function: Any) -> str:
    """A function's name as its callers write it."""
    module, name = getattr(function, "__module__", None), getattr(function, "__qualname__", repr(function))
    return name if module in (None, "builtins") else f"{module}.{name}"


@lru_cache(maxsize=1024)
def _globals_of(code: CodeType) -> tuple[str, ...]:
    """Names of the global variables that a function and those inside it read."""
    names = {each.argval for each in dis.get_instructions(code) if each.opname in ("LOAD_GLOBAL", "LOAD_NAME")}
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            names.update(_globals_of(constant))
    return tuple(sorted(names))
