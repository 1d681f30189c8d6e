"""The part of a snapshot that follows code: functions, what they close over, classes and modules."""

from __future__ import annotations

import builtins
import functools
import sys
from types import CellType, FunctionType, MethodType, ModuleType
from typing import Any

from lazygrad.compiling.classes import in_package, is_descriptor
from lazygrad.compiling.execution import facts_of, is_trusted
from lazygrad.compiling.purity import describe, impure_names, is_pure, is_pure_module
from lazygrad.compiling.unguardable import Unguardable
from lazygrad.compiling.walk import Walk

_PACKAGE = __name__.partition(".")[0]


class CodeWalk(Walk):
    """Visits whatever leads to code, as far as the code that ran mentions it."""

    def _visit_globals(self, code: Any, namespace: dict[str, Any]) -> None:
        facts = facts_of(code)
        for name in sorted(facts.globals):
            if name in namespace:
                self._entry(namespace, name, f"the global variable {name!r}")
            else:
                self.guards.without(namespace, name, f"the global variable {name!r}")
                self._visit(getattr(builtins, name, None), name)
        for name in facts.imports:
            if name in sys.modules:
                self._visit(sys.modules[name], name)

    def _visit_code(self, value: Any, path: str) -> None:
        if isinstance(value, FunctionType):
            if value.__code__ in self._execution.codes:
                self._visit_function(value, path)
            elif is_trusted(value.__code__.co_filename):
                self._visit_closure(value)  # a wrapper, such as no_grad's, around a function that is not
        elif isinstance(value, MethodType):
            self._visit(value.__func__, path)
            self._visit(value.__self__, f"{path}.__self__")
        elif isinstance(value, functools.partial):
            for part in (value.func, value.args, value.keywords):
                self._visit(part, path)
        elif isinstance(value, type):
            self._visit_class(value)
        elif isinstance(value, ModuleType):
            self._visit_python_module(value)
        else:
            self._visit_c_function(value, path)

    def _visit_function(self, function: FunctionType, path: str) -> None:
        self.guards.attribute(function, "__code__", function.__code__, f"the code of {path}")
        for name in ("__defaults__", "__kwdefaults__"):
            defaults = getattr(function, name)
            self.guards.attribute(function, name, defaults, f"the default values of {path}")
            self._visit(defaults, f"the default values of {path}")
        self._visit_closure(function)
        for name in vars(function):
            if self._mentions(name) or name == "__wrapped__":
                self._entry(vars(function), name, f"{path}.{name}")

    def _visit_closure(self, function: FunctionType) -> None:
        for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
            self._visit_cell(cell, f"the closure variable {name!r}")

    def _visit_cell(self, cell: CellType, path: str) -> None:
        try:
            value = cell.cell_contents
        except ValueError:
            raise Unguardable(f"{path} has no value yet") from None
        self.guards.attribute(cell, "cell_contents", value, path)
        self._visit(value, path)

    def _visit_c_function(self, function: Any, path: str) -> None:
        owner = getattr(function, "__self__", None)
        if owner is not None and not isinstance(owner, (ModuleType, type)):
            self._visit(owner, f"{path}.__self__")
        # Where it is called on the spot, the watched execution knows whether it is.
        if not is_pure(function) and getattr(function, "__name__", None) in self._execution.values:
            raise Unguardable(f"it may call {describe(function)}, whose result may change")

    def _visit_class(self, cls: type) -> None:
        """Class variables and methods that the code mentions, of classes that are written in Python."""
        for base in cls.__mro__:
            if in_package(base) or is_pure_module(base.__module__):
                continue
            for name, value in list(vars(base).items()):
                function = getattr(value, "__func__", getattr(value, "fget", value))
                if isinstance(function, FunctionType):
                    if function.__code__ in self._execution.codes:
                        if not isinstance(value, classmethod):  # which makes a new method whenever it is read
                            self.guards.attribute(base, name, getattr(base, name), f"{base.__name__}.{name}")
                        self._visit(function, f"{base.__name__}.{name}")
                elif self._mentions(name) and not is_descriptor(value):
                    self.guards.attribute(base, name, value, f"{base.__name__}.{name}")
                    self._visit(value, f"{base.__name__}.{name}")

    def _visit_python_module(self, module: ModuleType) -> None:
        if module.__name__.partition(".")[0] == _PACKAGE:
            return
        if is_pure_module(module.__name__):
            impure = sorted(name for name in impure_names(module) if self._mentions(name))
            if impure and module.__name__ != "builtins":
                raise Unguardable(f"it may use {module.__name__}.{impure[0]}")
            return
        for name in sorted(vars(module)):
            if self._mentions(name):
                self._entry(vars(module), name, f"{module.__name__}.{name}")
