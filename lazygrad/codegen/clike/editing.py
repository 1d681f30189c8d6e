"""Functions of a kernel that somebody edited, in a file of a C-like language: where they stand, and how they return."""

from __future__ import annotations

import re

from lazygrad.codegen.editing import EditedKernel
from lazygrad.ir.printable import printable

_BEGIN, _END = "/* The kernel: what may be edited begins here. */", "/* What may be edited ends here. */"
_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)


def marked(functions: str) -> str:
    """The functions between two comments that say what may be edited."""
    return f"{_BEGIN}\n{functions}\n{_END}"


def inside_marks(text: str) -> tuple[str, int]:
    """What stands between the two comments, and the number of its first line; all of a text that has none."""
    above, begins, rest = text.partition(f"{_BEGIN}\n")
    if not begins:
        return text, 1
    return rest.partition(_END)[0], above.count("\n") + 2


def functions_of(edited: EditedKernel, name: str) -> str:
    """The edited functions, for a plan in which the kernel is called ``name``.

    Compilers name the user's file and line where they find fault with them.
    """
    functions, line = inside_marks(edited.text)
    place = printable(edited.path or f"edited {edited.name}").replace("\\", "\\\\").replace('"', '\\"')
    return f'#line {line} "{place}"\n{renamed(functions, edited.name, name).rstrip()}\n'


def renamed(functions: str, name: str, other: str) -> str:
    """Functions of a kernel called ``name`` as those of one called ``other``; their names begin with the kernel's."""
    return functions if name == other else re.sub(rf"\b{re.escape(name)}(?=\b|_)", other, functions)


def code_alone(functions: str) -> str:
    """Source without comments and empty lines."""
    lines = _COMMENT.sub("", functions).splitlines()
    return "\n".join([line.strip() for line in lines if line.strip()])
