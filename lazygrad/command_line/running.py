"""``python -m lazygrad run script.py``: a program written for PyTorch runs on lazygrad, unchanged.

The program finds what Python itself would give it: its own ``__main__``, ``sys.argv`` and ``sys.path``, tracebacks that
begin at its own lines, and the exit status of ``python script.py``.
"""

from __future__ import annotations

import builtins
import importlib.util
import io
import os
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from types import CodeType, ModuleType, TracebackType
from typing import Any

from lazygrad.torch_imports import as_torch


def run_script(path: str, arguments: Sequence[str]) -> None:
    """Runs a file as ``python path arguments…`` does, with lazygrad in place of PyTorch.

    Args:
        path: of the source; a folder or a zip archive with a ``__main__.py`` is none.
        arguments: what follows the file's name on the command line.

    Raises:
        SystemExit: the file cannot be read; also what the program itself exits with.
    """
    place = os.path.abspath(path)
    try:
        with io.open_code(place) as file:
            source = file.read()
    except OSError as error:
        print(f"{sys.executable}: can't open file {path!r}: {error}", file=sys.stderr)
        raise SystemExit(2) from None
    sys.path[0] = os.path.dirname(os.path.realpath(path))
    _run(source, place, [path, *arguments], None)


def run_module(name: str, arguments: Sequence[str]) -> None:
    """Runs a module as ``python -m name arguments…`` does, with lazygrad in place of PyTorch.

    Args:
        name: of the module; of a package, its ``__main__`` runs.
        arguments: what follows the module's name on the command line.

    Raises:
        SystemExit: there is no such module; also what the program itself exits with.
    """
    if not sys.flags.safe_path:
        sys.path[0] = os.getcwd()
    as_torch()
    spec = _spec_of(name)
    if spec is None or spec.origin is None:
        print(f"{sys.executable}: No module named {name}", file=sys.stderr)
        raise SystemExit(1)
    with io.open_code(spec.origin) as file:
        source = file.read()
    _run(source, spec.origin, [spec.origin, *arguments], spec)


def _spec_of(name: str) -> ModuleSpec | None:
    try:
        spec = importlib.util.find_spec(name)
        if spec is not None and spec.submodule_search_locations is not None:
            return importlib.util.find_spec(f"{name}.__main__")
    except ModuleNotFoundError as error:
        if error.name is None or not f"{name}.".startswith(f"{error.name}."):
            raise
        return None
    return spec


def _run(source: bytes, path: str, arguments: list[str], spec: ModuleSpec | None) -> None:
    as_torch()
    main = ModuleType("__main__")
    main.__dict__.update(__file__=path, __builtins__=builtins, __spec__=spec, __cached__=None)
    main.__package__ = spec.parent if spec is not None else None
    _keep.append(sys.modules["__main__"])
    sys.modules["__main__"] = main
    sys.argv = arguments
    sys.excepthook = _from_the_program_on(sys.excepthook, path)
    code: CodeType = compile(source, path, "exec", dont_inherit=True)
    exec(code, main.__dict__)


_keep: list[ModuleType] = []  # the frames that run the program still use the module that was __main__ before


def _from_the_program_on(show: Any, path: str) -> Any:
    """An excepthook that leaves out the frames above the program's first."""

    def show_program(kind: type[BaseException], error: BaseException, traceback: TracebackType | None) -> None:
        first = traceback
        while first is not None and first.tb_frame.f_code.co_filename != path:
            first = first.tb_next
        if first is not None or (isinstance(error, SyntaxError) and error.filename == path):
            error.__traceback__ = traceback = first  # Python's own hook shows that of the error
        show(kind, error, traceback)

    return show_program
