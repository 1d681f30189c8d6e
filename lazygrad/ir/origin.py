"""Provenance: which user line, inside which nn.Module, made a node.

Capturing costs a fraction of a microsecond: only the code object and the instruction offset are kept; the
line number is computed when somebody asks.
"""

from __future__ import annotations

import os
import sys
import threading
from functools import lru_cache
from pathlib import Path
from types import CodeType, FunctionType

from lazygrad.ir.printable import printable

_PACKAGE = os.path.join(Path(__file__).resolve().parents[1], "")
_is_internal: dict[str, bool] = {}


class _Scope:
    """Where a thread is.

    Attributes:
        path: of the modules that are called, dotted.
        outer: the paths to go back to.
        line: what `capture` answers inside `from_one_line`.
    """

    __slots__ = ("line", "outer", "path")

    def __init__(self) -> None:
        self.path = ""
        self.outer: list[str] = []
        self.line: Origin | None = None


class _Thread(threading.local):
    """A look at a thread's own attributes takes several times as long as one at an object's; so there is one."""

    def __init__(self) -> None:
        self.scope = _Scope()


_thread = _Thread()


def enter_module(name: str) -> None:
    """Called by ``nn.Module.__call__``: nodes recorded from here on belong to ``name`` inside the current module."""
    scope = _thread.scope
    scope.outer.append(scope.path)
    scope.path = f"{scope.path}.{name}" if scope.path else name


def exit_module() -> None:
    scope = _thread.scope
    scope.path = scope.outer.pop()


class Origin:
    """A user's source position and module path.

    Attributes:
        scope: dotted module path such as ``Sequential.0``; empty outside modules.
        label: what a derived node stands for, such as ``grad of linear``; empty for recorded nodes.
    """

    __slots__ = ("_code", "_instruction", "label", "scope")

    def __init__(self, code: CodeType | None, instruction: int, scope: str, label: str = "") -> None:
        self._code, self._instruction, self.scope, self.label = code, instruction, scope, label

    def labelled(self, label: str) -> Origin:
        return Origin(self._code, self._instruction, self.scope, label)

    def same_place(self, other: Origin) -> bool:
        """Whether both come from one operation of the user's: the same instruction, not just the same line."""
        return (self._code, self._instruction) == (other._code, other._instruction)

    @property
    def place_number(self) -> int:
        """Of the instruction: the same for all that it records, and as long as its code lives no other's."""
        return id(self._code) ^ self._instruction << 48

    @property
    def file(self) -> str:
        return self._code.co_filename if self._code else ""

    @property
    def line(self) -> int:
        return _line_of(self._code, self._instruction) if self._code else 0

    @property
    def place(self) -> str:
        """``file:line`` and the module path, without the label, as printable text on one line."""
        return _place(self._code, self._instruction, self.scope)

    def __str__(self) -> str:
        return " ".join(part for part in (self.place, f"({self.label})" if self.label else "") if part)


@lru_cache(maxsize=4096)
def _place(code: CodeType | None, instruction: int, scope: str) -> str:
    position = f"{Path(code.co_filename).name}:{_line_of(code, instruction)}" if code else ""
    return printable(" ".join(part for part in (position, scope) if part))


@lru_cache(maxsize=4096)
def _line_of(code: CodeType, instruction: int) -> int:
    found = 0
    for start, end, line in code.co_lines():
        if start <= instruction < end and line is not None:
            found = line
    return found


def capture(callers: int = 1) -> Origin:
    """The innermost frame outside this package, with the current module path.

    Args:
        callers: how many of the innermost calls belong to the package for sure, so that nobody needs to look.
    """
    scope = _thread.scope
    if scope.line is not None:
        return scope.line
    frame = sys._getframe(callers + 1 if _HAS_FRAMES else 0)
    while True:
        code = frame.f_code
        internal = _is_internal.get(code.co_filename)
        if internal is None:
            internal = _is_internal[code.co_filename] = _is_file_of_ours(code.co_filename)
        if not internal:
            origin = Origin.__new__(Origin)  # without the call of the class: every recorded operation comes by
            origin._code = code
            origin._instruction = frame.f_lasti
            origin.scope = scope.path
            origin.label = ""
            return origin
        if frame.f_back is None:
            return Origin(None, 0, scope.path)
        frame = frame.f_back


_HAS_FRAMES = isinstance(capture, FunctionType)  # compiled functions have none


def is_of_package(code: CodeType) -> bool:
    """Whether code is this package's own, generated code included."""
    name = code.co_filename
    internal = _is_internal.get(name)
    if internal is None:
        internal = _is_internal[name] = _is_file_of_ours(name)
    return internal


def _is_file_of_ours(name: str) -> bool:
    return name.startswith(_PACKAGE) or name.startswith("<lazygrad")


class from_one_line:
    """Nodes recorded inside this context come from the line that entered it, which is found once for all of them."""

    def __enter__(self) -> None:
        self.outer = _thread.scope.line
        _thread.scope.line = capture()

    def __exit__(self, *_: object) -> None:
        _thread.scope.line = self.outer
