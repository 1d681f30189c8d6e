"""Hooks on calls: which functions run with hooks, which as they are, and what a call of each may be given."""

from __future__ import annotations

import enum
import functools
import sys
from collections.abc import Callable
from types import BuiltinFunctionType, FunctionType, GeneratorType, MethodType
from typing import Any

from lazygrad.compiling.attributes import Attributes
from lazygrad.compiling.conditions import MISSING
from lazygrad.compiling.functions import guard_function, holds_user_code
from lazygrad.compiling.instrument import instrumented, is_instrumented
from lazygrad.compiling.items import Items
from lazygrad.compiling.library import (
    ANSWERS,
    CONTEXTS,
    FUNCTIONS,
    LOOKING,
    PACKAGE,
    SILENT,
    STATEFUL,
    computes,
    file_of,
    is_distribution,
    is_internal,
    is_of_library,
)  # fmt: skip
from lazygrad.compiling.operands import Operands
from lazygrad.compiling.plain import (
    CALLING,
    CONTAINERS,
    ITERATING,
    NEW_FROM_METHODS,
    PURE_FUNCTIONS,
    PURE_TYPES,
    READING_METHODS,
    TUPLES,
    is_plain,
)  # fmt: skip
from lazygrad.compiling.questions import QUESTIONS
from lazygrad.compiling.reads import Reads
from lazygrad.compiling.records import Field, arguments_of, generated_fields, values_of
from lazygrad.compiling.state import guard_optimizer
from lazygrad.compiling.unguardable import Unguardable
from lazygrad.optim.optimizer import Optimizer
from lazygrad.overrides.dispatching import Dispatching
from lazygrad.tensor import Tensor


class Calls:
    """Calls of whatever can be called.

    Args:
        hooks: what functions that run with hooks get.

    Attributes:
        attributes, items: the hooks on these, whose methods and properties are called from here.
    """

    def __init__(self, reads: Reads, operands: Operands, hooks: Any) -> None:
        self._reads, self._operands, self._hooks = reads, operands, hooks
        self.attributes = Attributes(reads, self.call)
        self.items = Items(reads, operands, self.call)
        self._builtins: dict[Any, Callable[..., Any]] = {
            getattr: self.attributes.getattr, hasattr: self.attributes.hasattr, setattr: self._setattr,
            isinstance: self.attributes.isinstance, issubclass: self.attributes.issubclass,
            len: self.items.len, next: self.items.next, iter: self.items.iter,
        }  # fmt: skip

    def call(self, function: Any, /, *args: Any, **kwargs: Any) -> Any:
        """``function(*args, **kwargs)``."""
        if not self._reads.is_active:
            return function(*args, **kwargs)
        kind = type(function)
        if kind in FUNCTIONS:
            return self._call_function(function, args, kwargs)
        if kind is MethodType:
            return self.call(function.__func__, function.__self__, *args, **kwargs)
        if isinstance(function, type):
            return self._call_class(function, args, kwargs)
        inner = self._reads.unwrap(function)
        if inner is not None:
            return self.call(inner, *args, **kwargs)
        if kind is Dispatching and function.asks_nobody(args, kwargs):
            return self.call(function.ordinary, *args, **kwargs)
        if kind is functools.partial:
            self._guard_partial(function)
            return self.call(function.func, *function.args, *args, **{**function.keywords, **kwargs})
        if kind is BuiltinFunctionType:
            return self._call_builtin(function, args, kwargs)
        method = self._reads.method(function, "__call__")
        if method is not None:
            return self.call(method, function, *args, **kwargs)
        self._reads.refuse(f"calls a {kind.__module__}.{kind.__qualname__}")
        return function(*args, **kwargs)

    def _call_function(self, function: FunctionType, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        code = function.__code__
        if is_instrumented(code):
            return function(*args, **kwargs)
        if is_of_library(file_of(function)) and not holds_user_code(function):
            return self._call_library(function, args, kwargs)
        guard_function(function, self._reads)
        if function.__name__ == "__init__" and args:
            fields = generated_fields(function, args[0], self._reads)
            if fields is not None:
                return self._set_fields(function, fields, args, kwargs)
        try:
            made = instrumented(function, self._hooks)
        except Unguardable as refusal:
            self._reads.refuse(f"calls {function.__qualname__}: {refusal}")
            return function(*args, **kwargs)
        return made(*args, **kwargs)

    def _set_fields(
        self, function: FunctionType, fields: tuple[Field, ...], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> None:
        """What a dataclass's generated ``__init__`` does."""
        try:
            given = arguments_of(function, args, kwargs)
        except TypeError:
            self._reads.refuse(f"calls {function.__qualname__} with arguments that do not fit")
            return function(*args, **kwargs)
        instance = self._operands.target(args[0], "__init__")
        for name, value in values_of(fields, type(instance), given, self._made_by):
            object.__setattr__(instance, name, value)
        then = self._reads.static(type(instance), "__post_init__")
        if then is not MISSING:
            self.call(then, instance)

    def _made_by(self, factory: Any) -> Any:
        return self._reads.made(self.call(factory))

    def _call_library(self, function: FunctionType, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """A function of the package that computes with tensors, or an optimizer's."""
        if function in QUESTIONS:
            return function(*args, **kwargs)
        name = function.__name__.strip("_")
        listed = [*args, *kwargs.values()]
        if args and isinstance(args[0], Optimizer) and name in ("step", "zero_grad"):
            guard_optimizer(args[0], self._reads)
            listed = listed[1:]
        elif not computes(file_of(function)) or name in STATEFUL:
            path = f"{function.__module__}.{function.__qualname__}"
            self._reads.refuse(f"calls {path}, which may read or change other state")
        for value in listed:
            if not self._reads.is_known(value):
                self._reads.refuse(f"passes a {type(value).__qualname__} to {name}")
        return self._answer(name, function(*args, **kwargs))

    def _answer(self, name: str, result: Any) -> Any:
        """What a function of the library returned, if a replay can tell what it will be."""
        if isinstance(result, (Tensor, tuple, list, *CONTEXTS)):
            self._reads.made(result)
            for item in result if isinstance(result, (tuple, list)) else ():
                self._answer(name, item)
        elif not (name in ANSWERS or (result is None and name in SILENT) or result is NotImplemented):
            if name in LOOKING:
                self._reads.refuse("reads a computed value")
            elif not (result is None and name == "grad"):
                self._reads.refuse(f"asks {name}, whose answer a replay cannot know")
        return result

    def _call_class(self, cls: type, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if cls in PURE_TYPES:
            given, named = self._arguments(cls, args, kwargs)
            return self._reads.made(cls(*given, **named))
        if cls is type and len(args) == 1:
            self._reads.guard_type(args[0])
            return type(args[0])
        if type(cls) is enum.EnumType:
            return self.call(self._reads.method(cls, "__call__"), cls, *args, **kwargs)
        if issubclass(cls, CONTEXTS) and all(map(self._reads.is_known, args)):
            return self._reads.made(cls(*args, **kwargs))
        if is_distribution(cls) and all(map(self._reads.is_known, (*args, *kwargs.values()))):
            self._reads.static(cls, "_validate_args")
            return self._reads.made(cls(*args, **kwargs))
        if issubclass(cls, BaseException) and cls.__module__ == "builtins":
            return cls(*args, **kwargs)
        if type(cls) is type and not is_internal(cls) and cls.__new__ is object.__new__:
            self._reads.static(cls, "__new__")
            start = self._reads.static(cls, "__init__")
            if isinstance(start, FUNCTIONS) or start is object.__init__:
                instance = self._reads.made(object.__new__(cls))
                if start is not object.__init__:
                    self.call(start, instance, *args, **kwargs)
                return instance
        self._reads.refuse(f"makes a {cls.__module__}.{cls.__qualname__}")
        return cls(*args, **kwargs)

    def _call_builtin(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if function in self._builtins and not kwargs:
            return self._builtins[function](*args)
        if function in PURE_FUNCTIONS:
            given, named = self._arguments(function, args, kwargs)
            result = function(*given, **named)
            return self._reads.made(result) if function is sorted else result
        if function is id and sys._getframe(2).f_code.co_filename.startswith(PACKAGE):
            return id(*args)
        owner = function.__self__
        if is_plain(owner) and function.__name__ not in ("format", "format_map"):
            for value in (*args, *kwargs.values()):
                self._operands.operand(value, "eq")
            return self._reads.made(function(*args, **kwargs))
        if self._reads.is_own(owner) and type(owner) in (*CONTAINERS, GeneratorType):
            _, named = self._arguments(function, (), kwargs)
            return self._result(function, function(*map(self._stored, args), **named))
        if type(owner) in CONTAINERS and function.__name__ in READING_METHODS and self._reads.contents(owner):
            for value in args:
                self.items.key(value)
            return self._result(function, function(*args, **kwargs))
        self._reads.refuse(f"calls {_described(function)}")
        return function(*args, **kwargs)

    def _result(self, method: Any, result: Any) -> Any:
        """What a method of a container returned: something new, or one of its items."""
        return self._reads.made(result) if method.__name__ in NEW_FROM_METHODS else result

    def _stored(self, value: Any) -> Any:
        """An argument of a method of a container that the call has made."""
        return self._argument(value) if type(value) in CONTAINERS else value

    def _argument(self, value: Any, takes_items: bool = False) -> Any:
        """An argument of a function that computes with whatever it is given."""
        if is_plain(value) or isinstance(value, Tensor):
            return self._operands.operand(value, "add")
        if type(value) in CONTAINERS or type(value) in TUPLES:
            for item in self._reads.items(value):
                if not (is_plain(item) or isinstance(item, Tensor) or type(item) in (*TUPLES, *CONTAINERS)):
                    self._reads.compared_by_identity(item)
            return value
        if self._reads.is_own(value) and type(value).__module__ in ("builtins", "itertools"):
            return value
        if takes_items:
            return self.items.iterate(value)
        self._reads.refuse(f"passes a {type(value).__qualname__} to a function")
        return value

    def _arguments(
        self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[list[Any], dict[str, Any]]:
        """The arguments of a pure function; what it will call is called with hooks."""
        called = 1 if function in CALLING else 0
        given = [self._called(value) for value in args[:called]]
        given += [self._argument(value, function in ITERATING) for value in args[called:]]
        named = {n: self._called(value) if n == "key" else self._argument(value) for n, value in kwargs.items()}
        return given, named

    def _called(self, function: Any) -> Any:
        """A function that is handed to something that calls it."""
        return functools.partial(self.call, function) if function is not None else None

    def _guard_partial(self, function: Any) -> None:
        for name in ("func", "args", "keywords"):
            self._reads.guards.attribute(function, name, getattr(function, name), f"{name} of a partial")
        self._reads.contents(function.keywords)

    def _setattr(self, owner: Any, name: str, value: Any) -> None:
        setattr(self._operands.target(owner, name), name, value)


def _described(function: Any) -> str:
    """A function's name as its callers write it."""
    module, name = getattr(function, "__module__", None), getattr(function, "__qualname__", repr(function))
    return name if module in (None, "builtins") else f"{module}.{name}"
