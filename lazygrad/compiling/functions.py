"""What a Python function reads by being called."""

from __future__ import annotations

import builtins
import dis
from functools import lru_cache
from types import CellType, CodeType, FunctionType
from typing import Any

from lazygrad.compiling.conditions import MISSING
from lazygrad.compiling.library import is_internal
from lazygrad.compiling.reads import Reads


def guard_function(function: FunctionType, reads: Reads) -> None:
    """Guard what a function reads by being called: its code, default values, globals and closure."""
    if not reads.enters(function):
        return
    name = function.__qualname__
    is_own = is_internal(function)  # the package's functions may be replaced, but nobody puts other code into them
    for part in () if is_own else ("__code__", "__defaults__", "__kwdefaults__"):
        value = getattr(function, part)
        reads.guards.attribute(function, part, value, f"{part.strip('_')} of {name}")
        if value is not None and part == "__kwdefaults__":
            reads.contents(value)
    for variable, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        value = _inside(cell)
        reads.guards.attribute(cell, "cell_contents", value, f"the closure variable {variable!r}")
        reads.found(value, f"the closure variable {variable!r}")
    namespace = function.__globals__
    for variable in _globals_of(function.__code__):
        path = f"the global variable {variable!r}"
        reads.entry(namespace, variable, path)
        if variable not in namespace:
            reads.entry(vars(builtins), variable, path)


def holds_user_code(function: FunctionType) -> bool:
    """Whether a function of the library wraps one that is not, as ``no_grad`` does."""
    values = [_inside(cell) for cell in function.__closure__ or ()]  # none where compiled: those wrap their own
    return any(callable(value) and not isinstance(value, type) and not is_internal(value) for value in values)


def _inside(cell: CellType) -> Any:
    try:
        return cell.cell_contents
    except ValueError:
        return MISSING


@lru_cache(maxsize=1024)
def _globals_of(code: CodeType) -> tuple[str, ...]:
    """Names of the global variables that a function and those inside it read."""
    names = {each.argval for each in dis.get_instructions(code) if each.opname in ("LOAD_GLOBAL", "LOAD_NAME")}
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            names.update(_globals_of(constant))
    return tuple(sorted(names))
