"""Functions written in C, whose insides cannot be watched: which of them a replay may leave out.

They are those whose result depends on their arguments alone, and that change nothing but their arguments, where
guards would see it.
"""

from __future__ import annotations

from types import ModuleType
from typing import Any

_PURE_MODULES = frozenset(
    "_bisect _collections _functools _heapq _operator _statistics _struct builtins cmath collections functools "
    "itertools math numpy operator types typing _typing abc _abc contextlib enum numbers".split()
)
_IMPURE = {
    "builtins": frozenset("print input open breakpoint exec eval compile __import__ globals locals id".split()),
    "numpy": frozenset("random empty empty_like load loadtxt genfromtxt fromfile memmap save savez savetxt".split()),
}


def impure_names(module: ModuleType) -> frozenset[str]:
    """The names in a module of pure functions that are not."""
    return _IMPURE.get(module.__name__, frozenset())


def is_pure_module(name: str) -> bool:
    """Whether a module's functions are pure, but for its `impure_names`."""
    return name.partition(".")[0] in _PURE_MODULES and not name.startswith("numpy.random")


def is_pure(function: Any) -> bool:
    """Whether a call of a built-in function or method may be left out of a replay."""
    owner = getattr(function, "__self__", None)
    name = getattr(function, "__name__", "")
    if owner is None or isinstance(owner, ModuleType):
        defined_in = getattr(function, "__objclass__", None)
        module = defined_in.__module__ if defined_in is not None else getattr(function, "__module__", None) or ""
    else:
        module = _defining_class(owner if isinstance(owner, type) else type(owner), name).__module__
    return is_pure_module(module) and name not in _IMPURE.get(module.partition(".")[0], ())


def describe(function: Any) -> str:
    """A function's name as its callers write it."""
    name = getattr(function, "__qualname__", repr(function))
    module = getattr(function, "__module__", None)
    return name if module in (None, "builtins") else f"{module}.{name}"


def _defining_class(cls: type, name: str) -> type:
    return next((base for base in cls.__mro__ if name in vars(base)), cls)
