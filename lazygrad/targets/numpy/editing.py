"""A numpy module that shows the functions which others have written in place of its own."""

from __future__ import annotations

import ast
from dataclasses import replace

from lazygrad.codegen.editing import EditedKernel, Edits
from lazygrad.ir.printable import printable
from lazygrad.targets.numpy.module import NumpySource


def with_edited(source: NumpySource, edits: Edits) -> NumpySource:
    """A module in which some kernels are others' work.

    Its text shows their functions. What runs is the edited file itself, with whatever else it defines.
    """
    text = source.text
    for kernel, edited in edits.items():
        name = source.functions[kernel]
        for ending in ("_finish", ""):
            text = _with_function(text, name + ending, edited, edited.name + ending)
    return replace(source, text=text, edits=edits)


def _with_function(text: str, name: str, edited: EditedKernel, other: str) -> str:
    """A module with the edited function in the place of ``name``, as far as it can be found."""
    old, new = _lines_of(text, name), _lines_of(edited.text, other)
    if old is None or new is None:
        return text
    lines = text.splitlines()
    place = f"  # {printable(edited.path)}" if edited.path else ""
    function = [each.replace(f"def {other}(", f"def {name}(") for each in edited.text.splitlines()[new]]
    lines[old] = [f"# This kernel is overridden.{place}", *function]
    return "\n".join(lines) + "\n"


def _lines_of(text: str, name: str) -> slice | None:
    """Where a function stands in a module; None if the module does not define it so, or is none."""
    try:
        body = ast.parse(text).body
    except SyntaxError:
        return None
    functions = [each for each in body if isinstance(each, ast.FunctionDef) and each.name == name]
    if not functions or functions[-1].end_lineno is None:
        return None
    first = min([functions[-1].lineno, *[each.lineno for each in functions[-1].decorator_list]])
    return slice(first - 1, functions[-1].end_lineno)
