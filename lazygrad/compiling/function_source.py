"""The syntax tree of a function, found again in its file and checked against the code that runs."""

from __future__ import annotations

import ast
import linecache
from collections.abc import Iterator
from functools import lru_cache
from types import CodeType
from typing import NamedTuple

from lazygrad.compiling.unguardable import Unguardable

Definition = ast.FunctionDef | ast.Lambda


class Found(NamedTuple):
    """A function's definition, and the class in whose body it stands, if any."""

    definition: Definition
    class_name: str | None


class _File(NamedTuple):
    definitions: dict[int, list[Found]]
    codes: frozenset[CodeType]


def find_source(code: CodeType) -> Found:
    """The definition that ``code`` was compiled from.

    Raises:
        Unguardable: there is none, or the file has other code by now.
    """
    text = "".join(linecache.getlines(code.co_filename))
    if not text:
        raise Unguardable(f"the source of {code.co_qualname} is not at hand")
    file = _parsed(code.co_filename, text)
    if code not in file.codes:
        raise Unguardable(f"the source of {code.co_qualname} is not what runs")
    found = [each for each in file.definitions.get(code.co_firstlineno, ()) if _fits(each.definition, code)]
    if not found:
        raise Unguardable(f"the source of {code.co_qualname} cannot be told from others")
    return min(found, key=lambda each: _extent(each.definition))


@lru_cache(maxsize=256)
def _parsed(name: str, text: str) -> _File:
    try:
        tree = ast.parse(text, name)
        codes = frozenset(nested_codes(compile(tree, name, "exec", dont_inherit=True)))
    except (SyntaxError, ValueError):
        return _File({}, frozenset())
    definitions: dict[int, list[Found]] = {}
    pending: list[tuple[ast.AST, str | None]] = [(tree, None)]
    while pending:
        node, class_name = pending.pop()
        if isinstance(node, (ast.FunctionDef, ast.Lambda)):
            decorators = node.decorator_list if isinstance(node, ast.FunctionDef) else []
            line = min([node.lineno, *[each.lineno for each in decorators]])
            definitions.setdefault(line, []).append(Found(node, class_name))
        inner = node.name if isinstance(node, ast.ClassDef) else class_name
        pending += [(child, inner) for child in ast.iter_child_nodes(node)]
    return _File(definitions, codes)


def nested_codes(code: CodeType) -> Iterator[CodeType]:
    """A code object and all those inside it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from nested_codes(constant)


def _fits(definition: Definition, code: CodeType) -> bool:
    name = definition.name if isinstance(definition, ast.FunctionDef) else "<lambda>"
    if name != code.co_name:
        return False
    start, end = _range(definition)
    # What does not stand in the body is the interpreter's: the start of the frame.
    places = [(line, column) for line, _, column, _ in code.co_positions() if line is not None and column]
    return all(start <= place <= end for place in places)


def _range(definition: Definition) -> tuple[tuple[int, int], tuple[int, int]]:
    end = (definition.end_lineno or 0, definition.end_col_offset or 0)
    return (definition.lineno, definition.col_offset), end


def _extent(definition: Definition) -> tuple[int, int]:
    (line, column), (end_line, end_column) = _range(definition)
    return end_line - line, end_column - column
