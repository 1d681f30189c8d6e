"""What code a call runs outside this package, found by watching it with the interpreter's profiling hook."""

from __future__ import annotations

import _weakrefset
import abc
import contextlib
import dis
import enum
import functools
import sys
import sysconfig
import typing
import weakref
from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, NamedTuple

import numpy as np

from lazygrad.compiling.purity import describe, is_pure
from lazygrad.host.collector import collector_waits

# Code that is known to have no state of its own. All other code, also the standard library's, is looked into,
# unless trusted code called it for its own ends.
_TRUSTED_FOLDERS = tuple(f"{Path(file).resolve().parent}/" for file in (Path(__file__).parent, str(np.__file__)))
_TRUSTED_MODULES = (f"{__name__.partition('.')[0]}.", "namedtuple_")  # also where code is generated
_LIBRARY = f"{sysconfig.get_path('stdlib')}/"
_INSTALLED = ("/site-packages/", "/dist-packages/")
_DEPENDENCIES = ("scipy/", "ml_dtypes/", "networkx/", "opt_einsum/", "jinja2/", "threadpoolctl.py")
_TRUSTED_FILES = frozenset(
    module.__file__ for module in (_weakrefset, abc, contextlib, enum, functools, typing, weakref)
)
# With these, code can reach attributes that it does not name.
_DYNAMIC = frozenset("getattr setattr delattr vars dir __dict__ __getattribute__ attrgetter methodcaller".split())


class CodeFacts(NamedTuple):
    """What the instructions of a code object refer to.

    Attributes:
        names: globals, attributes and string constants.
        globals: names of global variables that are read.
        assigned: names of global variables that are assigned or deleted.
        values: names of globals and attributes that are used otherwise than by calling them on the spot.
        imports: modules that are imported.
    """

    names: frozenset[str]
    globals: frozenset[str]
    assigned: frozenset[str]
    values: frozenset[str]
    imports: frozenset[str]


@lru_cache(maxsize=1024)
def facts_of(code: CodeType) -> CodeFacts:
    """The facts about one code object, without those nested in it."""
    read, assigned, values, imports = set(), set(), set(), set()
    for instruction in dis.get_instructions(code):
        name, operation = instruction.argval, instruction.opname
        if operation in ("LOAD_GLOBAL", "LOAD_NAME"):
            read.add(name)
        elif operation in ("STORE_GLOBAL", "DELETE_GLOBAL"):
            assigned.add(name)
        elif operation == "IMPORT_NAME":
            imports.add(name)
        if isinstance(name, str) and not _is_called(instruction):
            values.add(name)
    strings = {constant for constant in code.co_consts if isinstance(constant, str)}
    return CodeFacts(*map(frozenset, ({*code.co_names, *strings}, read, assigned, values, imports)))


def _is_called(instruction: dis.Instruction) -> bool:
    """Whether a load only serves the call that follows; the interpreter then prepares the stack for it."""
    if instruction.opname == "LOAD_METHOD":
        return True
    in_lowest_bit = instruction.opname == "LOAD_GLOBAL" or (
        instruction.opname == "LOAD_ATTR" and sys.version_info >= (3, 12)
    )
    return in_lowest_bit and bool((instruction.arg or 0) & 1)


class Execution:
    """One watched call.

    Attributes:
        codes: the code objects that ran outside this package, with their global variables.
        impurity: the first thing seen that a replay must not leave out; None where there was none.
    """

    def __init__(self) -> None:
        self.codes: dict[CodeType, dict[str, Any]] = {}
        self.impurity: str | None = None
        self._trusted: set[CodeType] = set()

    @contextlib.contextmanager
    def watching(self) -> Iterator[None]:
        """Watch this thread. A profiler that is at work misses what happens meanwhile.

        The garbage collector waits: whatever it calls back is not the function's doing.
        """
        outer: Callable[..., Any] | None = sys.getprofile()
        with collector_waits():
            sys.setprofile(self._observe)
            try:
                yield
            finally:
                sys.setprofile(outer)

    def same_code(self, other: Execution) -> bool:
        """Whether both ran the same code objects."""
        return self.codes.keys() == other.codes.keys()

    @property
    def names(self) -> frozenset[str]:
        """All names that the code mentions."""
        return frozenset().union(*[facts_of(code).names for code in self.codes])

    @property
    def reaches_any_attribute(self) -> bool:
        """Whether the code can reach attributes without naming them."""
        return not _DYNAMIC.isdisjoint(self.names)

    @property
    def values(self) -> frozenset[str]:
        """All names that are used otherwise than by calling them on the spot."""
        return frozenset().union(*[facts_of(code).values for code in self.codes])

    def _observe(self, frame: FrameType, event: str, argument: Any) -> None:
        code = frame.f_code
        if event == "call":
            if code in self.codes or code in self._trusted:
                return
            if is_trusted(code.co_filename) or frame.f_globals.get("__name__", "").startswith(_TRUSTED_MODULES):
                self._trusted.add(code)
            elif not _is_library(code.co_filename) or self._was_called_by_user(frame):
                self._enter(code, frame)
        elif event == "c_call" and code in self.codes and self.impurity is None and not is_pure(argument):
            self.impurity = f"{_place(frame)} calls {describe(argument)}"

    def _was_called_by_user(self, frame: FrameType) -> bool:
        return frame.f_back is not None and frame.f_back.f_code in self.codes

    def _enter(self, code: CodeType, frame: FrameType) -> None:
        self.codes[code] = frame.f_globals
        assigned = facts_of(code).assigned
        if assigned and self.impurity is None:
            self.impurity = f"{code.co_name} assigns the global variable {min(assigned)!r}"


@lru_cache(maxsize=4096)
def is_trusted(filename: str) -> bool:
    """Whether the code in a file has no state of its own."""
    return filename.startswith((*_TRUSTED_FOLDERS, "<lazygrad", "<frozen ")) or filename in _TRUSTED_FILES


@lru_cache(maxsize=4096)
def _is_library(filename: str) -> bool:
    for folder in _INSTALLED:
        if folder in filename:
            return filename.partition(folder)[2].startswith(_DEPENDENCIES)
    return filename.startswith(_LIBRARY)


def _place(frame: FrameType) -> str:
    return f"{Path(frame.f_code.co_filename).name}:{frame.f_lineno}"
