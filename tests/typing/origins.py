"""Where a name that a module uses was made, read from the source: what only a type checker imports is found too."""

from __future__ import annotations

import ast
import importlib.util
from functools import cache
from pathlib import Path
from typing import NamedTuple


class Origin(NamedTuple):
    """A module, or something that one defines."""

    module: str
    name: str | None  # None for the module itself


@cache
def origin(module: str, name: str) -> Origin | None:
    """Where ``name``, as ``module`` uses it, was defined; None where the module binds no such name."""
    bound = _bindings(module).get(name)
    if bound is None:
        return None
    if bound.name is None or bound == Origin(module, name) or not bound.module.startswith("lazygrad"):
        return bound
    return origin(bound.module, bound.name) or _submodule(bound)


def _submodule(bound: Origin) -> Origin:
    return Origin(f"{bound.module}.{bound.name}", None)


@cache
def _bindings(module: str) -> dict[str, Origin]:
    """The names that a module's own statements bind, under ``if TYPE_CHECKING`` as well."""
    spec = importlib.util.find_spec(module)
    assert spec is not None and spec.origin is not None, module
    source = Path(spec.origin)
    source = source.with_name(f"{source.name.partition('.')[0]}.py")  # a compiled module lies beside its source
    if not source.is_file():
        return {}
    found: dict[str, Origin] = {}
    for statement in _flat(ast.parse(source.read_text()).body):
        match statement:
            case ast.Import(names):
                found.update({alias.asname or alias.name: Origin(alias.name, None) for alias in names})
            case ast.ImportFrom(module=str(package), names=names, level=0):
                found.update({alias.asname or alias.name: Origin(package, alias.name) for alias in names})
            case ast.ClassDef(name=name) | ast.FunctionDef(name=name):
                found[name] = Origin(module, name)
            case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
                found[name] = Origin(module, name)
    return found


def _flat(body: list[ast.stmt]) -> list[ast.stmt]:
    return [
        part for statement in body for part in (_flat(statement.body) if isinstance(statement, ast.If) else [statement])
    ]
