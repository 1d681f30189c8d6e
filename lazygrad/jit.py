"""``lazygrad.jit``: TorchScript is not there, but functions that are decorated for it run.

Programs use `torch.jit` in two ways. A function below ``@torch.jit.script`` is called like any other, and the decorator
is there for speed: PyTorch itself leaves such functions as they are when its compiler is switched off. So they are left
as they are here, with one warning that says that nothing was compiled. A scripted or traced module, in contrast, is
saved and loaded elsewhere, or looked into; it is refused, with what to use.
"""

from __future__ import annotations

import builtins
import inspect
import typing
from typing import Any, TypeVar

from lazygrad.host.warn_once import warn_once
from lazygrad.left_out import stand_in, stand_in_class

__all__ = [
    "Attribute",
    "CompilationUnit",
    "Error",
    "Final",
    "RecursiveScriptModule",
    "ScriptFunction",
    "ScriptModule",
    "TracedModule",
    "TracerWarning",
    "annotate",
    "export",
    "fork",
    "freeze",
    "ignore",
    "interface",
    "is_scripting",
    "is_tracing",
    "isinstance",
    "load",
    "optimize_for_inference",
    "save",
    "script",
    "script_if_tracing",
    "script_method",
    "trace",
    "trace_module",
    "unused",
    "wait",
]

Value = TypeVar("Value")


class TracerWarning(Warning):
    """What `trace` would warn of; programs name it to silence it."""


Final = typing.Final

_COMPILE = (
    "there is no TorchScript; a module runs without it, and lazygrad.compile(module) records its calls and replays them"
)
_SAVE = "there is no TorchScript; lazygrad.save(module.state_dict(), path) keeps the values of a module"
_LOAD = "there is no TorchScript; make the module in Python, and give it lazygrad.load(path)'s state dict"
_TASKS = "there is no TorchScript; call the function, whose operations are computed when they are needed"


def script(obj: Value, *args: Any, **kwargs: Any) -> Value:
    """A function or a class of plain Python, as it is, with a warning at the first one.

    Args:
        obj: a function, or a class that is no module.

    Raises:
        NotImplementedError: a module.
    """
    if not (inspect.isroutine(obj) or inspect.isclass(obj)):
        stand_in("jit.script of modules", _COMPILE)()
    warn_once(
        "jit.script",
        "jit.script compiles nothing here: the function runs as it is, and its operations are fused as all others are; "
        "lazygrad.compile records whole calls",
    )
    return obj


def is_scripting() -> bool:
    """Whether TorchScript compiles this code: False."""
    return False


def is_tracing() -> bool:
    """Whether TorchScript traces this code: False."""
    return False


# Notes to TorchScript's compiler, without which the code means the same.


def ignore(drop: Any = False, **kwargs: Any) -> Any:
    """The decorated function itself; used as ``@ignore`` and as ``@ignore(…)``."""
    return drop if callable(drop) else lambda function: function


def unused(fn: Value) -> Value:
    """``fn`` itself."""
    return fn


def _overload(func: Value) -> Value:
    """``func`` itself: one of several signatures of a function, whose last definition is the one that runs."""
    return func


_overload_method = _overload


def export(fn: Value) -> Value:
    """``fn`` itself."""
    return fn


def interface(obj: Value) -> Value:
    """``obj`` itself."""
    return obj


def script_method(fn: Value) -> Value:
    """``fn`` itself."""
    return fn


def script_if_tracing(fn: Value) -> Value:
    """``fn`` itself: nothing is traced."""
    return fn


def annotate(the_type: Any, the_value: Value) -> Value:
    """``the_value`` itself."""
    return the_value


def Attribute(value: Value, type: Any) -> Value:
    """``value`` itself."""
    return value


def isinstance(obj: Any, target_type: Any) -> bool:
    """Python's ``isinstance``, which also takes ``list[int]`` and its kin, whose items it does not look at."""
    given = target_type if type(target_type) is tuple else (target_type,)
    types: list[Any] = [typing.get_origin(each) or each for each in given]
    return builtins.isinstance(obj, tuple(types))


trace = stand_in("jit.trace", _COMPILE)
trace_module = stand_in("jit.trace_module", _COMPILE)
freeze = stand_in("jit.freeze", _COMPILE)
optimize_for_inference = stand_in("jit.optimize_for_inference", _COMPILE)
save = stand_in("jit.save", _SAVE)
load = stand_in("jit.load", _LOAD)
fork = stand_in("jit.fork", _TASKS)
wait = stand_in("jit.wait", _TASKS)
ScriptModule = stand_in_class("jit.ScriptModule", _COMPILE)
RecursiveScriptModule = stand_in_class("jit.RecursiveScriptModule", _COMPILE)
TracedModule = stand_in_class("jit.TracedModule", _COMPILE)
ScriptFunction = stand_in_class("jit.ScriptFunction", _COMPILE)
CompilationUnit = stand_in_class("jit.CompilationUnit", _COMPILE)


class Error(RuntimeError):
    """Raised nowhere: what TorchScript's compiler reports."""
