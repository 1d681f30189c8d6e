"""Functions in which every read of something outside passes through the hooks of `lazygrad.compiling.hooks`.

The function's syntax tree is rewritten and compiled again, with its lines and its name; Python runs it.
"""

from __future__ import annotations

import ast
import copy
from types import CellType, CodeType, FunctionType
from typing import Any

from lazygrad.compiling.function_source import find_source, nested_codes
from lazygrad.compiling.rewriting import HOOKS, Rewriting
from lazygrad.compiling.unguardable import Unguardable

_NAME = "__lazygrad_function__"
_known: dict[CodeType, CodeType | Unguardable] = {}
_made: set[CodeType] = set()


def is_instrumented(code: CodeType) -> bool:
    """Whether the code, or the one around it, was made here."""
    return HOOKS in code.co_freevars or code in _made


def instrumented(function: FunctionType, hooks: Any) -> FunctionType:
    """``function`` with hooks in place.

    Raises:
        Unguardable: its source cannot be had.
    """
    code = function.__code__
    if code not in _known:
        try:
            _known[code] = _compiled(code)
        except Unguardable as refusal:
            _known[code] = refusal
    made = _known[code]
    if isinstance(made, Unguardable):
        raise made
    cells = dict(zip(code.co_freevars, function.__closure__ or (), strict=True))
    cells[HOOKS] = CellType(hooks)
    closure = tuple([cells[name] for name in made.co_freevars])
    copied = FunctionType(made, function.__globals__, function.__name__, function.__defaults__, closure)
    copied.__kwdefaults__ = function.__kwdefaults__
    return copied


def _compiled(code: CodeType) -> CodeType:
    if code.co_flags & 0x280:  # coroutines
        raise Unguardable(f"{code.co_qualname} is a coroutine")
    found = find_source(code)
    definition = copy.deepcopy(found.definition)
    Rewriting(found.class_name, frozenset(code.co_freevars)).rewrite(definition)
    body: list[ast.stmt] = [definition if isinstance(definition, ast.FunctionDef) else ast.Expr(definition)]
    name = code.co_name
    if isinstance(definition, ast.FunctionDef):  # under its own name it would hide the variable that it calls itself by
        name = definition.name = _NAME
        definition.decorator_list, definition.returns = [], None
    names = [ast.arg(name) for name in dict.fromkeys([*code.co_freevars, HOOKS])]
    around = ast.FunctionDef("around", _arguments(names), body, [], None, None)
    if "type_params" in around._fields:
        around.type_params = []  # type: ignore[attr-defined]  # since Python 3.12
    module = ast.fix_missing_locations(ast.Module([around], []))
    outer = compile(module, code.co_filename, "exec", dont_inherit=True).co_consts[0]
    made = next(each for each in outer.co_consts if isinstance(each, CodeType) and each.co_name == name)
    if set(made.co_freevars) - {HOOKS} != set(code.co_freevars):
        raise Unguardable(f"{code.co_qualname} is compiled otherwise")
    made = made.replace(co_name=code.co_name, co_qualname=code.co_qualname)
    _made.update(nested_codes(made))
    return made


def _arguments(names: list[ast.arg]) -> ast.arguments:
    return ast.arguments([], names, None, [], [], None, [])
